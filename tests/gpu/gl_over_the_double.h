// OpenGL beside the driver double: a context off screen.
#pragma once

#include <cstdlib>
#include <optional>

#include "core/base/error.h"
#include "render/offscreen_context.h"
#include "tests/gpu/double_control.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {

class GlOverTheDouble : public OverTheDouble {
  protected:
    /// Where textures are those of NVIDIA's GPUs: Mesa names another maker and renderer.
    explicit GlOverTheDouble(bool asNvidia = false) : asNvidia_(asNvidia) {}

    void SetUp() override {
        OverTheDouble::SetUp();
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
        OverTheDouble::TearDown();
    }

    std::optional<OffscreenContext> context_;

  private:
    const bool asNvidia_;
};

}  // namespace verbcast::testing
