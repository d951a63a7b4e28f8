// The kernel is told when the processor reads a ring of dma-bufs (DMA_BUF_IOCTL_SYNC): calls are recorded
// here.
#include <gtest/gtest.h>
#include <linux/dma-buf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/dmabuf/virtual_card.h"

namespace verbcast::testing {
namespace {

using Calls = std::vector<std::string>;

std::mutex recording;
std::optional<Calls> calls;  // while a test records
int interruptions = 0;       // calls that a signal interrupts first

/// "start 5": what it is for, and the descriptor.
bool record(int descriptor, const dma_buf_sync& sync) {
    const std::lock_guard lock(recording);
    if (calls && interruptions > 0) {
        --interruptions;
        calls->push_back("interrupted");
        return false;
    }
    if (calls) {
        const bool reads = (sync.flags & DMA_BUF_SYNC_RW) == DMA_BUF_SYNC_READ;
        calls->push_back(((sync.flags & DMA_BUF_SYNC_END) != 0 ? "end " : "start ") +
                         std::to_string(descriptor) + (reads ? "" : " for more than reading"));
    }
    return true;
}

}  // namespace

class ProcessorReadsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const std::lock_guard lock(recording);
        calls.emplace();
        interruptions = 0;
    }
    void TearDown() override {
        const std::lock_guard lock(recording);
        calls.reset();
    }
    static Calls taken() {
        const std::lock_guard lock(recording);
        return std::exchange(*calls, {});
    }
    static std::string nameOf(const FramePool& ring, std::size_t slot) {
        return std::to_string(ring.memory()->buffers()[slot].get());
    }

    const VirtualCard card;
    const std::shared_ptr<FramePool> ring = card.ring(2, std::vector<std::byte>(4096));
};

TEST_F(ProcessorReadsTest, BeginWithTheFirstPointerAndEndBeforeTheNextPicture) {
    const std::string first = nameOf(*ring, 0);
    auto lease = ring->tryAcquire();
    EXPECT_EQ(taken(), Calls{}) << "nobody has read";
    static_cast<void>(lease->data());
    static_cast<void>(lease->share().data());
    static_cast<void>(ring->slotData(0));
    EXPECT_EQ(taken(), Calls{"start " + first}) << "once";
    lease.reset();
    EXPECT_EQ(taken(), Calls{});
    lease = ring->tryAcquire();
    EXPECT_EQ(taken(), Calls{"end " + first}) << "before the device writes again";
    static_cast<void>(lease->data());
    EXPECT_EQ(taken(), Calls{"start " + first});
}

TEST_F(ProcessorReadsTest, OfFramesThatItLeavesAloneCostNothing) {
    for (int frame = 0; frame < 4; ++frame) {
        ring->tryAcquire().reset();
    }
    EXPECT_EQ(taken(), Calls{});
}

TEST_F(ProcessorReadsTest, AreRepeatedWhereASignalInterrupts) {
    const auto lease = ring->tryAcquire();
    interruptions = 2;
    static_cast<void>(lease->data());
    EXPECT_EQ(taken(), (Calls{"interrupted", "interrupted", "start " + nameOf(*ring, 0)}));
}

TEST_F(ProcessorReadsTest, OfAPeersRingEndBeforeTheNextFrameInThatSlot) {
    std::vector<UniqueFd> buffers;
    for (const UniqueFd& buffer : ring->memory()->buffers()) {
        buffers.emplace_back(::dup(buffer.get()));
    }
    const auto theirs = FramePool::mapPeerBuffers(std::move(buffers), ring->slotBytes(), 2);
    const std::string second = nameOf(*theirs, 1);
    for (int frame = 0; frame < 2; ++frame) {
        auto lease = theirs->adopt(1);
        ASSERT_TRUE(lease);
        EXPECT_EQ(taken(), frame == 0 ? Calls{} : Calls{"end " + second});
        static_cast<void>(lease->data());
        EXPECT_EQ(taken(), Calls{"start " + second});
        lease.reset();
        theirs->slots().takeFree([](std::uint32_t) {});  // the sender fills it again
    }
}

TEST_F(ProcessorReadsTest, OfOtherMemoryAreNotTold) {
    const auto ours = FramePool::create({.slotBytes = 4096, .slotCount = 1});
    static_cast<void>(ours->tryAcquire()->data());
    EXPECT_EQ(taken(), Calls{});
}

}  // namespace verbcast::testing

/// In place of libc's, for the whole program.
extern "C" int ioctl(int descriptor, unsigned long request, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, request);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (request == DMA_BUF_IOCTL_SYNC &&
        !verbcast::testing::record(descriptor, *static_cast<const dma_buf_sync*>(argument))) {
        errno = EINTR;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_ioctl, descriptor, request, argument));
}
