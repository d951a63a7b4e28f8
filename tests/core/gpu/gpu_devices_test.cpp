#include "core/gpu/gpu_devices.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

TEST(GpuDevices, AreWhatTheDriverTells) {
    const GpuReport report = gpuReport();
    ASSERT_EQ(report.state, GpuState::Ready) << report.reason;
    EXPECT_GE(report.driverVersion, 11070);
    ASSERT_FALSE(report.devices.empty());
    const GpuDevice& gpu = report.devices.front();
    EXPECT_EQ(gpu.number, 0);
    EXPECT_NE(gpu.name, "");
    EXPECT_GT(gpu.memoryBytes, 0U);
    EXPECT_GE(gpu.computeMajor, 5);
    EXPECT_EQ(gpu.pciAddress.size(), std::string("0000:3b:00.0").size());
    EXPECT_NE(cudaHeaderVersion(), "");
    void* const loaded = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(loaded, nullptr);
    if (::dlsym(loaded, "cudaDoubleCounts") == nullptr) {
        return;  // LD_LIBRARY_PATH names a real driver: the rest tests the double
    }
    EXPECT_EQ(gpu.name, "Double 0");
    EXPECT_EQ(gpu.pciAddress, "0000:fa:00.0") << "as sysfs writes it";
    EXPECT_EQ(gpu.memoryBytes, 1U << 30);
    EXPECT_TRUE(gpu.directRdma);
    EXPECT_TRUE(gpu.dmaBuf);
    EXPECT_TRUE(gpu.flushesByCall);
    EXPECT_FALSE(gpu.flushesOnStream);
    EXPECT_EQ(gpu.writeOrder, GpuWriteOrder::OwnDevice);
}

TEST(GpuDevices, AreToldInOneLine) {
    GpuReport report;
    EXPECT_EQ(gpuSummary(report), "CUDA not compiled in");
    report.state = GpuState::NoDriver;
    report.reason = "x";
    EXPECT_EQ(gpuSummary(report), "CUDA " + cudaHeaderVersion() + " (no driver: x)");
    report.state = GpuState::Ready;
    report.driverVersion = 12040;
    report.devices.resize(2);
    report.devices[0].name = "A";
    report.devices[1].number = 1;
    report.devices[1].name = "B";
    EXPECT_EQ(gpuSummary(report), "CUDA " + cudaHeaderVersion() + ", driver 12.4: A, B");
}

TEST(GpuDevices, SayHowRemoteWritesBecomeVisible) {
    GpuDevice gpu;
    EXPECT_EQ(gpuWriteOrderText(gpu), "remote writes cannot be flushed");
    gpu.flushesOnStream = true;
    EXPECT_EQ(gpuWriteOrderText(gpu), "remote writes must be flushed on a stream");
    gpu.flushesByCall = true;
    EXPECT_EQ(gpuWriteOrderText(gpu), "remote writes must be flushed by a call");
    gpu.writeOrder = GpuWriteOrder::OwnDevice;
    EXPECT_EQ(gpuWriteOrderText(gpu), "remote writes are in order for this GPU");
    gpu.writeOrder = GpuWriteOrder::AllDevices;
    EXPECT_EQ(gpuWriteOrderText(gpu), "remote writes are in order for all GPUs");
}

}  // namespace
}  // namespace verbcast::testing
