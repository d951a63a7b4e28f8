// OpenGL beside the driver double: a context off screen.
#pragma once

#include <optional>

#include "core/base/error.h"
#include "render/offscreen_context.h"
#include "tests/gpu/double_control.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {

class GlOverTheDouble : public OverTheDouble {
  protected:
    void SetUp() override {
        OverTheDouble::SetUp();
        try {
            context_.emplace();
        } catch (const Error& error) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << error.what();
        }
    }

    std::optional<OffscreenContext> context_;
};

}  // namespace verbcast::testing
