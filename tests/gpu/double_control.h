// The double's control functions, looked up in the driver that the program under test has loaded.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/gpu/gpu_devices.h"
#include "core/memory/device_memory.h"
#include "tests/gpu/driver/cuda_double.h"

namespace verbcast::testing {

/// Skipped over a real driver, which has no control functions.
class OverTheDouble : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(gpuReport().state, GpuState::Ready) << gpuReport().reason;
        library_ = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(library_, nullptr);
        if (::dlsym(library_, "cudaDoubleCounts") == nullptr) {
            GTEST_SKIP() << "needs the driver double: LD_LIBRARY_PATH names a real driver";
        }
        fail("");
    }
    void TearDown() override {
        if (library_ != nullptr && ::dlsym(library_, "cudaDoubleCounts") != nullptr) {
            fail("");
            EXPECT_EQ(counts().alive, 0U) << "left behind in the driver";
        }
    }

    void fail(const char* spec) { call<void(const char*)>("cudaDoubleFail")(spec); }
    void setPeermem(bool on) { call<void(bool)>("cudaDoublePeermem")(on); }
    void setDmaBuf(bool on) { call<void(bool)>("cudaDoubleDmaBuf")(on); }
    void setOrder(int order, int flushes) { call<void(int, int)>("cudaDoubleOrder")(order, flushes); }
    void setShares(int how) { call<void(int)>("cudaDoubleShares")(how); }
    CudaDoubleCounts counts() { return call<CudaDoubleCounts()>("cudaDoubleCounts")(); }
    /// The content of device memory, for the test to inspect.
    std::byte* bytesAt(DeviceMemoryAddress address) {
        return static_cast<std::byte*>(
            call<void*(std::uint64_t)>("cudaDoubleBytes")(static_cast<std::uint64_t>(address)));
    }

  private:
    template <typename Function>
    Function* call(const char* name) {
        return reinterpret_cast<Function*>(::dlsym(library_, name));
    }
    void* library_ = nullptr;
};

}  // namespace verbcast::testing
