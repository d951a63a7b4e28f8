// A GPU's memory through the C interface, at both ends.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>
#include <verbcast/verbcast.hpp>

#include "core/gpu/gpu_memory.h"
#include "tests/core/gpu/gpu_expectations.h"
#include "tests/core/gpu/over_the_double.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kWidth = 64, kHeight = 48;
constexpr std::uint64_t kBytes = std::uint64_t{kWidth} * kHeight * 4;

class GpuApi : public OverADriver {
  protected:
    /// What the GPU has at an address that the library gave.
    static std::vector<std::byte> contentAt(const void* address) {
        std::vector<std::byte> content(kBytes);
        lentGpuMemory(0, DeviceMemoryAddress{reinterpret_cast<std::uintptr_t>(address)}, kBytes)
            ->read(0, content);
        return content;
    }
};

TEST_F(GpuApi, FramesGoFromAGpuIntoAGpu) {
    DevicePool ring = makeGpuRing(0, kBytes, 1);
    auto own = ring.tryAcquire();
    ASSERT_TRUE(own);
    std::atomic<int> released{0};
    vc_memory_options lent = vc::Memory::defaults();
    lent.kind = VC_MEMORY_CUDA;
    lent.address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(own->address()));
    lent.bytes = kBytes;
    lent.user = &released;
    lent.released = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
    {
        const vc::Memory memory(lent);
        vc_sender_options options = vc::Sender::defaults();
        options.url = "tcp://127.0.0.1:0";
        options.policy = VC_LOSSLESS;
        vc::Sender sender(options);
        sender.setFormat(vc::videoFormat(VC_PIXEL_RGBA, kWidth, kHeight));
        vc_receiver_options wanted = vc::Receiver::defaults();
        const std::string address = sender.addresses();
        wanted.url = address.c_str();
        wanted.memory = VC_MEMORY_CUDA;
        vc::Receiver receiver(wanted);
        ASSERT_EQ(sender.wait(20'000), VC_OK);
        for (int i = 0; i < 4; ++i) {
            ASSERT_TRUE(eventually([&] { return released == i; }));
            const auto content = noiseOf(kBytes, i);
            own->write(content);
            vc::Slot slot = sender.lend(memory);
            ASSERT_TRUE(slot);
            EXPECT_EQ(static_cast<void*>(slot->planes[0]), lent.address);
            ASSERT_EQ(sender.submit(slot), VC_OK);
            vc::Frame frame;
            ASSERT_EQ(receiver.take(frame, 20'000), VC_OK);
            EXPECT_EQ(contentAt(frame->planes[0]), content);
            EXPECT_EQ(frame->strides[0], kWidth * 4);
        }
    }
    EXPECT_EQ(released, 4);
}

class GpuApiOverTheDouble : public OverTheDouble {};

TEST_F(GpuApiOverTheDouble, AFrameThatFailedStaysWithItsCaller) {
    DevicePool ring = makeGpuRing(0, kBytes, 1);
    auto own = ring.tryAcquire();
    ASSERT_TRUE(own);
    vc_memory_options lent = vc::Memory::defaults();
    lent.kind = VC_MEMORY_CUDA;
    lent.address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(own->address()));
    lent.bytes = kBytes;
    const vc::Memory memory(lent);
    vc_sender_options options = vc::Sender::defaults();
    options.url = "tcp://127.0.0.1:0";
    options.policy = VC_LOSSLESS;
    vc::Sender sender(options);
    sender.setFormat(vc::videoFormat(VC_PIXEL_RGBA, kWidth, kHeight));
    vc_receiver_options wanted = vc::Receiver::defaults();
    const std::string address = sender.addresses();
    wanted.url = address.c_str();
    const vc::Receiver receiver(wanted);
    ASSERT_EQ(sender.wait(20'000), VC_OK);
    vc::Slot slot = sender.lend(memory);
    ASSERT_TRUE(slot);
    fail("cuMemcpyDtoHAsync:719");
    EXPECT_EQ(vc_sender_submit(sender.handle(), &*slot), VC_ERROR);
    EXPECT_NE(slot->id, 0U);
    EXPECT_NE(vc_sender_submit(sender.handle(), &*slot), VC_OK) << "and may be tried again";
}

TEST_F(GpuApi, WhatCannotBeIsRefused) {
    vc_receiver_options wanted = vc::Receiver::defaults();
    wanted.memory = VC_MEMORY_DMA_BUF;
    EXPECT_EQ(vc_receiver_open(&wanted), nullptr);
    EXPECT_TRUE(contains(vc_error(), "VC_MEMORY_HOST or VC_MEMORY_CUDA"));
    wanted.memory = VC_MEMORY_CUDA;
    wanted.gpu = 99;
    EXPECT_EQ(vc_receiver_open(&wanted), nullptr);
    EXPECT_EQ(vc_error_code(), VC_ERROR_DEVICE) << vc_error();
}

}  // namespace
}  // namespace verbcast::testing
