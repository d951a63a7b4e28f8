// Packets between two processes over shared memory, next to the ring of records.
#include "core/transport/shm/shm_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/memory/memory.h"

namespace verbcast::testing {
namespace {

using shm::ShmSocket;

TEST(ShmSocket, MemoryPassedBeforeThePeerClosedIsTaken) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    ShmSocket here{UniqueFd(ends[0])};
    std::optional<ShmSocket> peer{UniqueFd(ends[1])};
    const auto memory = Memory::allocate({.bytes = 4096, .hugePages = false});
    std::vector<UniqueFd> lifelines;
    lifelines.emplace_back(::dup(memory->descriptor()));
    ASSERT_TRUE(peer->pass(7, memory, {}, std::move(lifelines)));
    ASSERT_TRUE(peer->flush(memory->descriptor()));
    here.ringDoorbell();  // never read: the kernel reports that to this end, before the data that has arrived
    peer.reset();
    EXPECT_TRUE(here.takeMemory(7).memory);
    EXPECT_FALSE(here.takeMemory(8).memory);
    EXPECT_FALSE(here.peerGone().empty());
}

}  // namespace
}  // namespace verbcast::testing
