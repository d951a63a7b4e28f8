// Rings in a GPU's memory: what they provide, what they refuse, and that nothing leaks.
#include "core/gpu/gpu_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <type_traits>

#include "core/memory/memory.h"
#include "tests/core/gpu/gpu_expectations.h"
#include "tests/core/gpu/over_the_double.h"

namespace verbcast::testing {
namespace {

using GpuMemory = OverADriver;
using GpuMemoryOverTheDouble = OverTheDouble;

template <typename Lease>
concept GivesPointer = requires(Lease lease) {
    lease.data();
};
static_assert(GivesPointer<FrameLease>);
static_assert(!GivesPointer<DeviceLease>, "a device's slot has no pointer");
static_assert(!std::is_convertible_v<DeviceMemoryAddress, const void*> &&
              !std::is_convertible_v<DeviceMemoryAddress, std::uint64_t>);

TEST_F(GpuMemory, SlotsKeepWhatIsWritten) {
    DevicePool ring = makeGpuRing(0, 10'000, 3);
    EXPECT_EQ(ring.slotBytes(), 12'288U);
    auto first = ring.tryAcquire(), second = ring.tryAcquire();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(second->address(), first->address() + ring.slotBytes());
    const auto one = noiseOf(10'000, 1), two = noiseOf(12'288, 2);
    first->write(one);
    second->write(two);
    EXPECT_EQ(contentOf(*first, one.size()), one);
    std::vector<std::byte> back(5'000);
    second->read(back, 7'288);
    EXPECT_EQ(std::memcmp(back.data(), two.data() + 7'288, back.size()), 0);
    EXPECT_TRUE(ring.tryAcquire());
    auto third = ring.tryAcquire();
    EXPECT_TRUE(third);
    EXPECT_FALSE(ring.tryAcquire()) << "all slots are held";
    first = DeviceLease();
    EXPECT_TRUE(ring.tryAcquire());
}

TEST_F(GpuMemory, TheProcessorGetsNoPointer) {
    DevicePool ring = makeGpuRing(0, 4096, 2);
    const FrameLease lease = std::move(*ring.tryAcquire()).release();
    const Memory& memory = *lease.pool()->memory();
    EXPECT_EQ(memory.kind(), MemoryKind::Device);
    EXPECT_TRUE(memory.bytes().empty());
    EXPECT_FALSE(memory.writable());
    EXPECT_LT(memory.descriptor(), 0);
    EXPECT_EQ(memory.size(), 2U << 20) << "whole blocks";
    EXPECT_TRUE(
        contains(errorOf(ErrorKind::Internal, [&] { static_cast<void>(lease.data()); }), "cannot reach"));
}

TEST_F(GpuMemory, APointerMadeOfAnAddressFaults) {
    DevicePool ring = makeGpuRing(0, 4096, 1);
    const auto lease = ring.tryAcquire();
    const auto* pointer =
        reinterpret_cast<const volatile char*>(static_cast<std::uint64_t>(lease->address()));
    EXPECT_DEATH(static_cast<void>(*pointer), "");
}

TEST_F(GpuMemory, WhatLiesOutsideASlotIsRefused) {
    const Counted driver = count();
    DevicePool ring = makeGpuRing(0, 4096, 2);
    auto lease = ring.tryAcquire();
    std::vector<std::byte> bytes(4097);
    EXPECT_TRUE(
        contains(errorOf(ErrorKind::Internal, [&] { lease->write(bytes); }), "outside a slot of 4096"));
    EXPECT_TRUE(contains(errorOf(ErrorKind::Internal, [&] { lease->read(bytes, 1); }), "outside a slot"));
    EXPECT_TRUE(contains(
        errorOf(ErrorKind::Internal, [&] { ring.device().read((2U << 20) - 1, std::span(bytes).first(2)); }),
        "lie outside"));
    if (const auto did = driver.soFar()) {
        EXPECT_EQ(did->alive, 4U) << "a context, the memory, its stream and the event to wait for";
    }
}

TEST_F(GpuMemory, ShapesAndGpusThatCannotBeAreNamed) {
    EXPECT_TRUE(contains(errorOf(ErrorKind::Usage, [] { makeGpuRing(0, 0, 2); }), "0 bytes"));
    EXPECT_TRUE(contains(errorOf(ErrorKind::Usage, [] { makeGpuRing(0, 4096, 257); }), "1 to 256 slots"));
    EXPECT_TRUE(contains(errorOf(ErrorKind::Usage, [] { makeGpuRing(0, ~0ULL, 256); }), "slots expected"));
    const int gpus = static_cast<int>(gpuReport().devices.size());
    EXPECT_TRUE(contains(errorOf(ErrorKind::Device, [&] { makeGpuRing(gpus, 4096, 2); }),
                         "there is no GPU " + std::to_string(gpus) + ": 0 "));
    EXPECT_TRUE(contains(errorOf(ErrorKind::Device, [] { makeGpuRing(-1, 4096, 2); }), "verbcast devices"));
}

TEST_F(GpuMemoryOverTheDouble, ShortMemoryIsTold) {
    const std::string text = errorOf(ErrorKind::Resource, [] { makeGpuRing(0, 512U << 20, 4); });
    EXPECT_TRUE(contains(text, "cuMemAlloc on Double 0 (GPU 0), 2048 MiB: CUDA_ERROR_OUT_OF_MEMORY (2)"));
    EXPECT_TRUE(contains(text, "fewer slots (--slots)"));
}

TEST_F(GpuMemoryOverTheDouble, EachCallThatFailsLeavesNothing) {
    for (const char* call : {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent", "cuMemAlloc",
                             "cuStreamCreateWithPriority", "cuEventCreate", "cuPointerSetAttribute"}) {
        fail((std::string(call) + ":801").c_str());
        const std::string text = errorOf(ErrorKind::Device, [] { makeGpuRing(0, 4096, 2); });
        EXPECT_TRUE(contains(text, "CUDA_ERROR_NOT_SUPPORTED (801)"));
        EXPECT_TRUE(contains(text, call));
        fail("");
        EXPECT_EQ(counts().alive, 0U) << call;
    }
}

TEST_F(GpuMemoryOverTheDouble, AGpuThatFailsInACopyIsTold) {
    DevicePool ring = makeGpuRing(0, 4096, 2);
    auto lease = ring.tryAcquire();
    std::vector<std::byte> bytes(4096);
    fail("cuMemcpyDtoHAsync:719:1");
    lease->read(bytes);
    for (int again = 0; again < 2; ++again) {
        const std::string text = errorOf(ErrorKind::Device, [&] { lease->read(bytes); });
        EXPECT_TRUE(contains(text, "cuMemcpyDtoHAsync on Double 0 (GPU 0): CUDA_ERROR_LAUNCH_FAILED (719)"));
        EXPECT_TRUE(contains(text, "dmesg"));
    }
    fail("cuEventSynchronize:719");  // an error of the copy itself
    EXPECT_TRUE(
        contains(errorOf(ErrorKind::Device, [&] { lease->write(bytes); }), "cuEventSynchronize on Double 0"));
}

TEST_F(GpuMemoryOverTheDouble, PinnedMemoryNeedsNoCopyByTheProcessor) {
    DevicePool ring = makeGpuRing(0, 8192, 1);
    auto lease = ring.tryAcquire();
    const auto host = Memory::allocate({.bytes = 8192});
    const CudaDoubleCounts before = counts();
    lease->write(host->bytes().first(8192));
    EXPECT_EQ(counts().pageable - before.pageable, 8192U);
    {
        const auto pinned = ring.device().pin(host);
        lease->write(host->bytes().first(8192));
        lease->read(host->bytes().first(4096));
        EXPECT_EQ(counts().pageable - before.pageable, 8192U);
        EXPECT_EQ(counts().toDevice - before.toDevice, 2 * 8192U);
        EXPECT_EQ(counts().toHost - before.toHost, 4096U);
    }
    lease->write(host->bytes().first(8192));
    EXPECT_EQ(counts().pageable - before.pageable, 2 * 8192U) << "the pin was taken back";
    fail("cuMemHostRegister:2");
    EXPECT_TRUE(
        contains(errorOf(ErrorKind::Resource, [&] { ring.device().pin(host); }), "cuMemHostRegister on "));
}

TEST_F(GpuMemoryOverTheDouble, IsExportedAsOneDescriptor) {
    DevicePool ring = makeGpuRing(0, 4096, 2);
    auto lease = ring.tryAcquire();
    const auto noise = noiseOf(4096, 5);
    lease->write(noise);
    const ExportedMemory exported = ring.device().exportDmaBuf();
    ASSERT_TRUE(exported.descriptor) << exported.problem;
    void* const seen = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, exported.descriptor.get(), 0);
    ASSERT_NE(seen, MAP_FAILED);
    EXPECT_EQ(std::memcmp(seen, noise.data(), noise.size()), 0);
    ::munmap(seen, 4096);
    fail("cuMemGetHandleForAddressRange:801");
    EXPECT_TRUE(contains(ring.device().exportDmaBuf().problem, "CUDA_ERROR_NOT_SUPPORTED"));
    EXPECT_FALSE(ring.device().exportDmaBuf().descriptor);
}

TEST_F(GpuMemoryOverTheDouble, OfAGpuWithoutDmaBufsSaysSo) {
    setDmaBuf(false);
    const auto memory = gpuAllocator(0)->allocate(4096);
    EXPECT_EQ(memory->exportDmaBuf().problem, "this GPU and its driver export none");
    setDmaBuf(true);
}

TEST_F(GpuMemory, ServesSeveralThreads) {
    DevicePool ring = makeGpuRing(0, 64U << 10, 4);
    std::vector<std::jthread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([&ring, number] {
            auto lease = ring.tryAcquire();
            ASSERT_TRUE(lease);
            for (int round = 0; round < 50; ++round) {
                const auto noise = noiseOf(64U << 10, number * 100 + round);
                std::vector<std::byte> back(noise.size());
                lease->write(noise);
                lease->read(back);
                ASSERT_EQ(back, noise);
            }
        });
    }
}

/// The double detects leaks: a program that leaves memory allocated exits with a special code.
TEST_F(GpuMemoryOverTheDouble, WhatIsLeftIsNoticed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            static_cast<void>(gpuAllocator(0)->allocate(4096).release());
            std::exit(0);
        },
        ::testing::ExitedWithCode(kCudaDoubleLeaked), "leaked: 1 allocations, 1 streams");
}

}  // namespace
}  // namespace verbcast::testing
