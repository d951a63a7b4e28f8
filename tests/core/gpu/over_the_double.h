// GPUs over the double alone: calls that fail on purpose, GPUs that lack something, and counts.
#pragma once

#include "tests/core/gpu/over_a_driver.h"

namespace verbcast::testing {

/// Skipped over any other driver.
class OverTheDouble : public OverADriver {
  protected:
    void SetUp() override {
        OverADriver::SetUp();
        if (!HasFatalFailure() && !double_) {
            GTEST_SKIP() << "needs the driver double, and libcuda.so.1 is another";
        }
    }

    void fail(const char* spec) { double_->fail(spec); }
    void setPeermem(bool on) { double_->setPeermem(on); }
    void setDmaBuf(bool on) { double_->setDmaBuf(on); }
    void setOrder(int order, int flushes) { double_->setOrder(order, flushes); }
    void setShares(int how) { double_->setShares(how); }
    CudaDoubleCounts counts() { return double_->counts(); }
    /// The content of device memory, for the test to inspect.
    std::byte* bytesAt(DeviceMemoryAddress address) { return double_->bytesAt(address); }
};

}  // namespace verbcast::testing
