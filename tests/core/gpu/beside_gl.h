// OpenGL beside a driver for GPUs: a context off screen.
#pragma once

#include <cstdlib>
#include <optional>

#include "core/base/error.h"
#include "render/gl/offscreen_context.h"
#include "tests/core/gpu/over_the_double.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {

/// `Driver` is OverADriver or OverTheDouble.
template <typename Driver>
class BesideGl : public Driver {
  protected:
    /// Over the double Mesa draws, and its textures are software's; or it calls itself NVIDIA's. NVIDIA's is
    /// never software.
    explicit BesideGl(bool asNvidia = false) : asNvidia_(asNvidia) {}

    void SetUp() override {
        Driver::SetUp();
        if (this->IsSkipped() || this->HasFatalFailure()) {
            return;
        }
        if (!this->double_ && !asNvidia_) {
            GTEST_SKIP() << "software draws beside the double alone";
        }
        if (asNvidia_) {
            ::setenv("force_gl_vendor", "NVIDIA Corporation", 1);
            ::setenv("force_gl_renderer", "Double", 1);
        }
        try {
            context_.emplace();
        } catch (const Error& error) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << error.what();
        }
    }

    void TearDown() override {
        context_.reset();
        ::unsetenv("force_gl_vendor");
        ::unsetenv("force_gl_renderer");
        Driver::TearDown();
    }

    std::optional<OffscreenContext> context_;

  private:
    const bool asNvidia_;
};

}  // namespace verbcast::testing
