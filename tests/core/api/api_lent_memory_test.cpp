// Frames in memory of the program that sends them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "tests/core/api/api_sender.h"
#include "tests/core/session/core_support.h"
#include "tests/support/expectations.h"
#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kColumns = 64, kRows = 48;
constexpr std::uint64_t kBytes = std::uint64_t{kColumns} * kRows * 4;

/// A frame's memory, and what the library said of it: outlives the sender, which may be the last to know it.
class OwnFrame {
  public:
    explicit OwnFrame(std::uint64_t bytes = kBytes) : pixels_(bytes) {
        vc_memory_options options = vc::Memory::defaults();
        options.address = pixels_.data();
        options.bytes = bytes;
        options.user = this;
        options.released = [](void* user) { ++static_cast<OwnFrame*>(user)->released; };
        options.closed = [](void* user) { ++static_cast<OwnFrame*>(user)->closed; };
        memory_ = vc_memory_open(&options);
        EXPECT_NE(memory_, nullptr) << vc_error();
    }
    ~OwnFrame() { close(); }
    OwnFrame(const OwnFrame&) = delete;
    OwnFrame& operator=(const OwnFrame&) = delete;
    void close() { vc_memory_close(std::exchange(memory_, nullptr)); }

    vc_memory* memory() const { return memory_; }
    std::uint8_t* pixels() { return pixels_.data(); }
    void fill(int value) { std::ranges::fill(pixels_, static_cast<std::uint8_t>(value)); }

    std::atomic<int> released{0}, closed{0};

  private:
    std::vector<std::uint8_t> pixels_;
    vc_memory* memory_ = nullptr;
};

class LentMemory : public Api {
  protected:
    void SetUp() override { options_.policy = VC_LOSSLESS; }

    SenderPointer openRgba() {
        SenderPointer sender = open();
        url_ = vc_sender_addresses(sender.get());
        EXPECT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, kColumns, kRows), VC_OK) << vc_error();
        return sender;
    }
    static vc_slot lend(vc_sender* sender, OwnFrame& own) {
        vc_slot slot = VC_INIT(vc_slot);
        EXPECT_EQ(vc_sender_lend(sender, VC_PICTURE_TRACK, own.memory(), &slot), VC_OK) << vc_error();
        return slot;
    }
    static void send(vc_sender* sender, OwnFrame& own, int value) {
        own.fill(value);
        vc_slot slot = lend(sender, own);
        ASSERT_EQ(slot.planes[0], own.pixels());
        ASSERT_EQ(vc_sender_submit(sender, &slot), VC_OK) << vc_error();
    }
    static void expectNext(FrameReceiver& receiver, int value, ReceivedFrame& frame) {
        ASSERT_EQ(receiver.receive(frame, kPatience), Status::Ok);
        const auto* const data = reinterpret_cast<const std::uint8_t*>(frame.lease.data());
        EXPECT_TRUE(std::all_of(data, data + kBytes, [&](std::uint8_t byte) { return byte == value; }))
            << value << " expected";
    }
    static vc_stats statsOf(vc_sender* sender) {
        vc_stats stats = VC_INIT(vc_stats);
        EXPECT_EQ(vc_sender_stats(sender, &stats), VC_OK) << vc_error();
        return stats;
    }
};

TEST_F(LentMemory, IsSentOverTcpAsItLiesAndReturns) {
    url_ = "tcp://127.0.0.1:0";
    std::array<OwnFrame, 3> own;
    const SenderPointer sender = openRgba();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    for (int i = 0; i < 20; ++i) {
        OwnFrame& one = own[static_cast<std::size_t>(i) % own.size()];
        ASSERT_TRUE(eventually([&] { return one.released == i / 3; })) << i;
        send(sender.get(), one, i + 1);
        ReceivedFrame frame;
        expectNext(receiver, i + 1, frame);
        EXPECT_EQ(frame.info.pts, i);
    }
    ASSERT_EQ(vc_sender_finish(sender.get(), nullptr, 10'000), VC_OK) << vc_error();
    EXPECT_TRUE(
        eventually([&] { return own[0].released == 7 && own[1].released == 7 && own[2].released == 6; }));
    EXPECT_EQ(statsOf(sender.get()).frames, 20U);
    EXPECT_EQ(statsOf(sender.get()).bytes_copied, 20 * kBytes) << "once: into the kernel";
    EXPECT_EQ(own[0].closed, 0);
}

/// And the copies have a ring as large as any: a viewer that holds some holds up nobody.
TEST_F(LentMemory, IsCopiedOnceForReceiversThatShareMemory) {
    OwnFrame own;
    const SenderPointer sender = openRgba();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    std::array<ReceivedFrame, 4> held;
    for (int i = 0; i < 4; ++i) {
        send(sender.get(), own, 100 + i);
        EXPECT_EQ(own.released, i + 1) << "the copy is made before submitting returns";
        expectNext(receiver, 100 + i, held[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(statsOf(sender.get()).bytes_copied, 4 * kBytes);
}

TEST_F(LentMemory, MixesWithSlotsOfTheRing) {
    OwnFrame own;
    const SenderPointer sender = openRgba();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    for (int i = 0; i < 10; ++i) {
        if (i % 2 == 0) {
            Api::send(sender.get(), i);
        } else {
            send(sender.get(), own, i);
        }
        ReceivedFrame frame;
        expectNext(receiver, i, frame);
        EXPECT_EQ(frame.info.epoch, 1U) << "one format is one epoch, whatever memory brings it";
    }
}

TEST_F(LentMemory, IsLentToOneFrameAtATime) {
    OwnFrame own;
    const SenderPointer sender = openRgba();
    vc_slot slot = lend(sender.get(), own);
    vc_slot other = VC_INIT(vc_slot);
    EXPECT_EQ(vc_sender_lend(sender.get(), VC_PICTURE_TRACK, own.memory(), &other), VC_BUSY);
    EXPECT_EQ(other.id, 0U);
    EXPECT_EQ(own.released, 0);
    vc_slot_discard(&slot);
    EXPECT_EQ(own.released, 1);
    slot = lend(sender.get(), own);
    EXPECT_EQ(vc_sender_lend(sender.get(), VC_PICTURE_TRACK, own.memory(), &slot), VC_ERROR)
        << "the slot is acquired";
    EXPECT_EQ(vc_sender_submit(sender.get(), &slot), VC_BUSY) << "there is no receiver";
    EXPECT_EQ(own.released, 1) << "it is still the caller's";
    vc_slot_discard(&slot);
    EXPECT_EQ(own.released, 2);
}

TEST_F(LentMemory, ThatWasClosedIsStillSent) {
    url_ = "tcp://127.0.0.1:0";
    OwnFrame own, other;
    const SenderPointer sender = openRgba();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    own.fill(9);
    vc_slot slot = lend(sender.get(), own);
    own.close();
    EXPECT_EQ(own.released + own.closed, 0);
    ASSERT_EQ(vc_sender_submit(sender.get(), &slot), VC_OK) << vc_error();
    ReceivedFrame frame;
    expectNext(receiver, 9, frame);
    EXPECT_TRUE(eventually([&] { return own.released == 1; }));
    send(sender.get(), other, 10);
    expectNext(receiver, 10, frame);
    EXPECT_TRUE(eventually([&] { return own.closed == 1; })) << "another frame's memory is in its place";
    EXPECT_EQ(own.released, 1);
}

TEST_F(LentMemory, OutlivesItsSender) {
    OwnFrame own;
    vc_slot slot = VC_INIT(vc_slot);
    {
        const SenderPointer sender = openRgba();
        slot = lend(sender.get(), own);
    }
    std::memset(slot.planes[0], 1, slot.bytes);
    EXPECT_EQ(own.released, 0);
    vc_slot_discard(&slot);
    EXPECT_EQ(own.released, 1);
    own.close();
    EXPECT_EQ(own.closed, 1);
}

/// `call` fails, and says all of `words`.
template <typename Call>
void expectError(Call&& call, std::initializer_list<const char*> words) {
    EXPECT_FALSE(call());
    for (const char* word : words) {
        EXPECT_TRUE(contains(vc_error(), word)) << vc_error();
    }
}

TEST_F(LentMemory, ThatCannotBeIsRefusedByName) {
    const auto opened = [](const vc_memory_options* options) {
        return [options] { return vc_memory_open(options) != nullptr; };
    };
    vc_memory_options options = vc::Memory::defaults();
    expectError(opened(nullptr), {"options expected"});
    expectError(opened(&options), {"an address and a number of bytes"});
    int there = 0;
    options.address = &there;
    expectError(opened(&options), {"an address and a number of bytes"});
    options.bytes = sizeof there;
    options.kind = static_cast<vc_memory_kind>(7);
    expectError(opened(&options), {"kind: 7"});
    const UniqueFd file(::memfd_create("no-dma-buf", MFD_CLOEXEC));
    for (const int descriptor : {-1, file.get()}) {
        options.kind = VC_MEMORY_DMA_BUF;
        options.dma_buf = descriptor;
        expectError(opened(&options), {std::to_string(descriptor).c_str(), "is no dma-buf"});
    }
    options.kind = VC_MEMORY_CUDA;
    options.gpu = 99;
    expectError(opened(&options), {});
    EXPECT_EQ(vc_error_code(), VC_ERROR_DEVICE) << vc_error();
    options.size = 4;
    expectError(opened(&options), {"vc_memory_options begins with its size"});
}

TEST_F(LentMemory, IsRefusedWhereItCannotBeLent) {
    OwnFrame own, small(kBytes - 1);
    const SenderPointer sender = open();
    vc_slot slot = VC_INIT(vc_slot);
    const auto lent = [&](vc_memory* memory, std::uint32_t track = VC_PICTURE_TRACK) {
        return [&, memory, track] { return vc_sender_lend(sender.get(), track, memory, &slot) != VC_ERROR; };
    };
    expectError(lent(own.memory()), {"vc_sender_lend: call vc_sender_set_format() first"});
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, kColumns, kRows), VC_OK);
    expectError(lent(nullptr), {"a vc_memory expected, NULL given"});
    expectError(lent(small.memory()), {"the memory has 12287 bytes, a frame 12288"});
    expectError(lent(own.memory(), VC_SOUND_TRACK), {"track 2", "which is sound"});
    vc_memory* const closed = own.memory();
    slot = lend(sender.get(), own);
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, kColumns, kRows), VC_OK);
    expectError([&] { return vc_sender_submit(sender.get(), &slot) != VC_ERROR; },
                {"format has changed since"});
    vc_slot_discard(&slot);
    own.close();
    expectError(lent(closed), {"the vc_memory was closed, or never opened"});
    vc_memory_close(closed);  // harmless
    vc_memory_close(nullptr);
}

}  // namespace
}  // namespace verbcast::testing
