// Packets between two processes over shared memory, next to the ring of records.
#include "core/transport/shm/shm_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/memory/memory.h"

namespace verbcast::testing {
namespace {

using shm::ShmSocket;

std::array<UniqueFd, 2> socketPair(int type) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class ShmSocketTest : public ::testing::Test {
  protected:
    void pass(UniqueFd deathSocket) {
        std::vector<UniqueFd> deathSockets;
        deathSockets.push_back(std::move(deathSocket));
        ASSERT_TRUE(peer->pass(7, memory_, {}, std::move(deathSockets)));
        ASSERT_TRUE(peer->flush(memory_->descriptor()));
    }
    std::array<UniqueFd, 2> ends_ = socketPair(SOCK_SEQPACKET);
    const std::shared_ptr<const Memory> memory_ = Memory::allocate({.bytes = 4096, .hugePages = false});
    ShmSocket here{std::move(ends_[0])};
    std::optional<ShmSocket> peer{std::move(ends_[1])};
};

TEST_F(ShmSocketTest, ALifelineIsAStreamOfThisMachine) {
    for (const int other : {::dup(memory_->descriptor()), ::dup(socketPair(SOCK_DGRAM)[0].get()),
                            ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}) {
        pass(UniqueFd(other));
        EXPECT_THROW(here.takeMemory(7), Error);
    }
}

TEST_F(ShmSocketTest, NothingThatAPeerPassesLingers) {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const linger minute{.l_onoff = 1, .l_linger = 60};
    ASSERT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &minute, sizeof minute), 0);
    pass(UniqueFd(::dup(socket.get())));
    EXPECT_THROW(here.takeMemory(7), Error);
    linger left = minute;
    socklen_t size = sizeof left;
    ASSERT_EQ(::getsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &left, &size), 0);
    EXPECT_EQ(left.l_onoff, 0);
}

TEST_F(ShmSocketTest, MemoryPassedBeforeThePeerClosedIsTaken) {
    ASSERT_NO_FATAL_FAILURE(pass(std::move(socketPair(SOCK_STREAM)[0])));
    here.ringDoorbell();  // never read: the kernel reports that to this end, before the data that has arrived
    peer.reset();
    EXPECT_TRUE(here.takeMemory(7).memory);
    EXPECT_FALSE(here.takeMemory(8).memory);
    EXPECT_FALSE(here.peerGone().empty());
}

}  // namespace
}  // namespace verbcast::testing
