// Memory made of dma-bufs: mapped, passed to another process, and refused if it is something else.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "core/memory/dma_buf.h"
#include "core/transport/shm/shm_socket.h"
#include "tests/dmabuf/virtual_card.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kBytes = 8192;

std::vector<std::byte> pattern(int seed) {
    std::vector<std::byte> bytes(kBytes);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        bytes[at] = static_cast<std::byte>(at * 31 + static_cast<std::size_t>(seed));
    }
    return bytes;
}

bool isFilledWith(const std::byte* memory, const std::vector<std::byte>& bytes) {
    return std::memcmp(memory, bytes.data(), bytes.size()) == 0;
}

TEST(DmaBufMemory, SlotsAreTheBuffersAndFollowEachOther) {
    const VirtualCard card;
    const auto ring = card.ring(3, pattern(0));
    EXPECT_EQ(ring->slotCount(), 3U);
    EXPECT_EQ(ring->memory()->kind(), MemoryKind::Buffers);
    EXPECT_FALSE(ring->memory()->writable());
    EXPECT_LT(ring->memory()->descriptor(), 0);
    for (int slot = 0; slot < 3; ++slot) {
        const UniqueFd& buffer = ring->memory()->buffers()[static_cast<std::size_t>(slot)];
        EXPECT_EQ(dmaBufBytes(buffer.get()), kBytes);
        write(buffer, pattern(slot));
        EXPECT_TRUE(isFilledWith(ring->slotData(static_cast<std::uint32_t>(slot)), pattern(slot)));
    }
}

TEST(DmaBufMemory, OutlivesTheCard) {
    std::shared_ptr<FramePool> ring;
    {
        const VirtualCard card;
        ring = card.ring(1, pattern(1));
    }
    EXPECT_TRUE(isFilledWith(ring->slotData(0), pattern(1)));
}

TEST(DmaBufMemory, PassesToAnotherProcessWithItsBuffers) {
    const VirtualCard card;
    const auto ring = card.ring(2, pattern(0));
    write(ring->memory()->buffers()[1], pattern(1));
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    shm::ShmSocket here{UniqueFd(ends[0])}, peer{UniqueFd(ends[1])};
    std::vector<UniqueFd> deathSockets;
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd alive(ends[0]);
    deathSockets.emplace_back(ends[1]);
    const UniqueFd records(::memfd_create("records", MFD_CLOEXEC));
    ASSERT_TRUE(peer.pass(7, ring->memory(), UniqueFd(), std::move(deathSockets)));
    ASSERT_TRUE(peer.flush(records.get()));
    shm::PassedMemory passed = here.takeMemory(7);
    ASSERT_EQ(passed.buffers.size(), 2U);
    const auto theirs =
        FramePool::mapPeerBuffers(std::move(passed.buffers), kBytes, 2, std::move(passed.deathSockets));
    EXPECT_EQ(theirs->memory()->kind(), MemoryKind::Peer);
    ASSERT_EQ(theirs->memory()->buffers().size(), 2U);
    EXPECT_TRUE(isFilledWith(theirs->slotData(1), pattern(1)));
    write(ring->memory()->buffers()[0], pattern(5));
    EXPECT_TRUE(isFilledWith(theirs->slotData(0), pattern(5))) << "it is the same memory";
}

TEST(DmaBufMemory, OfAPeerMustBeAsLargeAsAnnounced) {
    const VirtualCard card;
    std::vector<UniqueFd> buffers;
    buffers.push_back(card.buffer(kBytes, {}));
    try {
        FramePool::mapPeerBuffers(std::move(buffers), 2 * kBytes, 1);
        FAIL() << "more is mapped than there is";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Peer);
        EXPECT_STREQ(error.what(), "the peer's buffer 0 holds 8192 bytes, 16384 are needed");
    }
}

}  // namespace
}  // namespace verbcast::testing
