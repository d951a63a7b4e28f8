// Frames in dma-bufs of a program's own, through the C interface.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <verbcast/verbcast.hpp>

#include "core/stream/frame_receiver.h"
#include "tests/core/session/core_support.h"
#include "tests/dmabuf/virtual_card.h"
#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kColumns = 64, kRows = 48;
constexpr std::uint64_t kPictureBytes = std::uint64_t{kColumns} * kRows * 4;

struct OwnBuffer {
    explicit OwnBuffer(const VirtualCard& card) : buffer(card.buffer(kPictureBytes, {})) {
        vc_memory_options options = vc::Memory::defaults();
        options.kind = VC_MEMORY_DMA_BUF;
        options.dma_buf = buffer.get();
        options.user = &released;
        options.released = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
        memory = std::make_unique<vc::Memory>(options);
    }
    std::atomic<int> released{0};
    UniqueFd buffer;
    std::unique_ptr<vc::Memory> memory;
};

class LentDmaBufs : public ::testing::TestWithParam<const char*> {};

TEST_P(LentDmaBufs, AreReadWhereTheyLie) {
    const VirtualCard card;
    // More than receivers keep mapped.
    std::array<std::unique_ptr<OwnBuffer>, 10> own;
    for (auto& each : own) {
        each = std::make_unique<OwnBuffer>(card);
    }
    vc_sender_options options = vc::Sender::defaults();
    const std::string scheme = GetParam();
    const std::string url =
        scheme == "shm" ? "shm://lent-" + std::to_string(::getpid()) : scheme + "://127.0.0.1:0";
    options.url = url.c_str();
    options.policy = VC_LOSSLESS;
    vc::Sender sender(options);
    sender.setFormat(vc::videoFormat(VC_PIXEL_RGBA, kColumns, kRows));
    ReceiverOptions receiving;
    receiving.url = parseUrl(sender.addresses());
    FrameReceiver receiver(receiving);
    ASSERT_EQ(sender.wait(60'000), VC_OK);
    for (std::size_t i = 0; i < 3 * own.size(); ++i) {
        OwnBuffer& one = *own.at(i % own.size());
        const std::vector<std::byte> content(kPictureBytes, static_cast<std::byte>(i + 1));
        ASSERT_TRUE(eventually([&] { return one.released == static_cast<int>(i / own.size()); })) << i;
        write(one.buffer, content);
        vc::Slot slot = sender.lend(*one.memory);
        ASSERT_TRUE(slot) << i;
        EXPECT_EQ(slot->planes[0], nullptr);
        EXPECT_EQ(slot->strides[0], kColumns * 4);
        ASSERT_EQ(sender.submit(slot), VC_OK);
        ReceivedFrame frame;
        ASSERT_EQ(receiver.receive(frame, kPatience), Status::Ok);
        EXPECT_TRUE(std::equal(content.begin(), content.end(), frame.lease.data())) << i;
    }
    EXPECT_EQ(sender.finish("done", 60'000), VC_OK);
    EXPECT_EQ(sender.stats().frames, 3 * own.size());
    EXPECT_EQ(sender.stats().bytes_copied, scheme == "tcp" ? 3 * own.size() * kPictureBytes : 0U)
        << "into the kernel";
    for (const auto& each : own) {
        EXPECT_TRUE(eventually([&] { return each->released == 3; }));
    }
}

INSTANTIATE_TEST_SUITE_P(Over, LentDmaBufs, ::testing::Values("shm", "tcp"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace
}  // namespace verbcast::testing
