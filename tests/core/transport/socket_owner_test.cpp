// The owner of a TCP connection, as the kernel reports it.
#include "core/transport/socket_owner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/transport/registry.h"
#include "tests/support/raw_tcp_sockets.h"

namespace verbcast::testing {
namespace {

TEST(SocketOwner, IsFoundForEitherFamilyAndForOpenSocketsOnly) {
    for (const char* host : {"127.0.0.1", "[::1]"}) {
        const Url url = parseUrl(std::string("tcp://") + host + ":0");
        const auto listener = transportFor(url).listen(url, {});
        UniqueFd caller = rawSocket(listener->address());
        const SocketAddress here = localAddressOf(caller.get()), there = peerAddressOf(caller.get());
        EXPECT_EQ(ownerOfSocket(here, there), ::geteuid()) << here.text();
        EXPECT_EQ(ownerOfSocket(there, here), ::geteuid()) << "not accepted yet: " << there.text();
        EXPECT_EQ(ownerOfSocket(here, here), std::nullopt);
        caller.reset();
        EXPECT_EQ(ownerOfSocket(here, there), std::nullopt) << here.text();
    }
}

/// Both ways of asking the kernel agree.
void expectSame(const std::optional<ListedSocket>& byDiag, const std::optional<ListedSocket>& inTables) {
    ASSERT_TRUE(byDiag && inTables);
    EXPECT_EQ(byDiag->inode, inTables->inode);
    EXPECT_EQ(byDiag->established, inTables->established);
    if (byDiag->inode != 0) {
        EXPECT_EQ(byDiag->user, inTables->user);
    }
}

TEST(SocketOwner, IsTheSameByQueryAndByTable) {
    for (const char* host : {"127.0.0.1", "[::1]"}) {
        SCOPED_TRACE(host);
        const Url url = parseUrl(std::string("tcp://") + host + ":0");
        const auto listener = transportFor(url).listen(url, {});
        UniqueFd caller = rawSocket(listener->address());
        const SocketAddress here = localAddressOf(caller.get()), there = peerAddressOf(caller.get());
        if (!socketByDiag(here, &there)) {
            GTEST_SKIP() << "this kernel has no sock_diag for TCP, or forbids it";
        }
        expectSame(socketByDiag(here, &there), socketInTables(here, &there));
        expectSame(socketByDiag(there, &here), socketInTables(there, &here));
        expectSame(socketByDiag(there, nullptr), socketInTables(there, nullptr));
        EXPECT_FALSE(socketByDiag(here, nullptr));
        EXPECT_FALSE(socketInTables(here, nullptr));
        EXPECT_FALSE(socketByDiag(there, &there)) << "not its listener";
        caller.reset();
        EXPECT_FALSE(socketByDiag(here, &there) && socketByDiag(here, &there)->inode != 0);
    }
}

}  // namespace
}  // namespace verbcast::testing
