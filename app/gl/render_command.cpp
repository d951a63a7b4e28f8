#include "app/gl/render_command.h"

#include <memory>

#include "app/host_check.h"
#include "app/interrupt.h"
#include "app/sending.h"
#include "app/verbosity.h"
#include "capture/gl_source.h"

namespace verbcast {
namespace {

GlSourceOptions sourceOptions(const RenderOptions& options) {
    return {.scene = options.scene,
            .width = options.width,
            .height = options.height,
            .frameRate = options.pacing == Pacing::Rate ? options.rate : Rational{0, 1},
            .slots = options.slots + (options.preview ? kPreviewSlots : 0)};
}

}  // namespace

int runRender(const RenderOptions& options) {
    setVerbosity(options.verbosity);
    checkHostExists(options);
    installInterruptHandler();
    return Sending(options, std::make_unique<GlSource>(sourceOptions(options))).run();
}

}  // namespace verbcast
