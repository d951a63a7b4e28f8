// GPUs over whatever driver the loader finds: NVIDIA's, or the double. What is tested so is our contract;
// what has to steer the driver, or to look into it, is in over_the_double.h.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "core/gpu/gpu_devices.h"
#include "core/memory/device_pool.h"
#include "tests/core/gpu/driver/cuda_double.h"

namespace verbcast::testing {

/// The double's control functions, looked up in the driver that the program under test has loaded.
class CudaDouble {
  public:
    /// Nothing if the driver is another one, or is to be taken for one (VERBCAST_TEST_ANY_DRIVER=1).
    static std::optional<CudaDouble> loaded() {
        void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        if (library == nullptr || ::dlsym(library, "cudaDoubleCounts") == nullptr ||
            std::getenv("VERBCAST_TEST_ANY_DRIVER") != nullptr) {
            return {};
        }
        return CudaDouble(library);
    }

    void fail(const char* spec) const { call<void(const char*)>("cudaDoubleFail")(spec); }
    void setPeermem(bool on) const { call<void(bool)>("cudaDoublePeermem")(on); }
    void setDmaBuf(bool on) const { call<void(bool)>("cudaDoubleDmaBuf")(on); }
    void setOrder(int order, int flushes) const { call<void(int, int)>("cudaDoubleOrder")(order, flushes); }
    void setShares(int how) const { call<void(int)>("cudaDoubleShares")(how); }
    CudaDoubleCounts counts() const { return call<CudaDoubleCounts()>("cudaDoubleCounts")(); }
    std::byte* bytesAt(DeviceMemoryAddress address) const {
        return static_cast<std::byte*>(
            call<void*(std::uint64_t)>("cudaDoubleBytes")(static_cast<std::uint64_t>(address)));
    }

  private:
    explicit CudaDouble(void* library) : library_(library) {}
    template <typename Function>
    Function* call(const char* name) const {
        return reinterpret_cast<Function*>(::dlsym(library_, name));
    }
    void* library_;
};

/// What the double does after this was made.
class Counted {
  public:
    explicit Counted(const std::optional<CudaDouble>& driver) : double_(driver) {
        if (double_) {
            before_ = double_->counts();
        }
    }
    /// Nothing over any other driver.
    std::optional<CudaDoubleCounts> soFar() const {
        if (!double_) {
            return {};
        }
        const CudaDoubleCounts now = double_->counts();
        return CudaDoubleCounts{now.toHost - before_.toHost, now.toDevice - before_.toDevice,
                                now.within - before_.within, now.pageable - before_.pageable,
                                now.copies - before_.copies, now.flushes - before_.flushes,
                                now.alive - before_.alive};
    }

  private:
    std::optional<CudaDouble> double_;
    CudaDoubleCounts before_{};
};

class OverADriver : public ::testing::Test {
  protected:
    void SetUp() override {
        const GpuReport report = gpuReport();
        ASSERT_EQ(report.state, GpuState::Ready) << report.reason;
        gpu_ = report.devices.front();
        double_ = CudaDouble::loaded();
    }
    void TearDown() override {
        if (double_) {
            double_->fail("");
            EXPECT_EQ(double_->counts().alive, 0U) << "left behind in the driver";
        }
    }

    /// How errors name GPU 0: "Double 0 (GPU 0)".
    std::string gpuName() const { return gpu_.name + " (GPU 0)"; }
    /// What lies in a slot. The double does not count this as a copy.
    std::vector<std::byte> contentOf(const DeviceLease& slot, std::size_t bytes) const {
        std::vector<std::byte> content(bytes);
        if (double_) {
            std::memcpy(content.data(), double_->bytesAt(slot.address()), bytes);
        } else {
            slot.read(content);
        }
        return content;
    }
    /// The driver's work from now on, of which only the double keeps count.
    Counted count() const { return Counted(double_); }

    GpuDevice gpu_;
    std::optional<CudaDouble> double_;
};

}  // namespace verbcast::testing
