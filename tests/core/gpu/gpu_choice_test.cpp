#include "core/gpu/gpu_devices.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbcast::testing {
namespace {

TEST(GpuChoice, ByNumberUuidOrPciAddress) {
    std::vector<GpuDevice> gpus(2);
    gpus[0] = {.number = 0, .name = "A", .pciAddress = "0000:3b:00.0"};
    gpus[0].uuid = "0123456789abcdef0123456789abcdef";
    gpus[1] = {.number = 1, .name = "B", .pciAddress = "0001:5e:00.0"};
    EXPECT_EQ(findGpu(gpus, "0"), 0);
    EXPECT_EQ(findGpu(gpus, "1"), 1);
    for (const char* name : {"GPU-01234567-89ab-cdef-0123-456789abcdef",
                             "gpu-01234567-89AB-cdef-0123-456789abcdef", "0123456789abcdef0123456789abcdef",
                             "0000:3b:00.0", "0000:3B:00.0", "3b:00.0", "00000000:3B:00.0"}) {
        EXPECT_EQ(findGpu(gpus, name), 0) << name;
    }
    EXPECT_EQ(findGpu(gpus, "0001:5e:00.0"), 1);
    for (const char* name : {"", "2", "-", "5e:00.0", "GPU-", "GPU-01234567", "B", "01"}) {
        EXPECT_EQ(findGpu(gpus, name), std::nullopt) << name;
    }
}

TEST(GpuChoice, UuidsAreWrittenAsNvidiasToolsDo) {
    GpuDevice gpu;
    EXPECT_EQ(gpuUuidText(gpu), "");
    gpu.uuid = "0123456789abcdef0123456789abcdef";
    EXPECT_EQ(gpuUuidText(gpu), "GPU-01234567-89ab-cdef-0123-456789abcdef");
}

}  // namespace
}  // namespace verbcast::testing
