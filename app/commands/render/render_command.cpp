#include "app/commands/render/render_command.h"

#include <memory>

#include "app/cli/peer_options.h"
#include "app/commands/send/sending.h"
#include "app/host/interrupt.h"
#include "capture/gl/gl_source.h"

namespace verbcast {
namespace {

std::optional<ScenePart> partOf(const RenderOptions& options) {
    return options.part ? std::optional(ScenePart{options.part->first - 1, options.part->second})
                        : std::nullopt;
}

std::optional<Eye> eyeOf(const RenderOptions& options) {
    return options.eye.empty() ? std::nullopt : std::optional(options.eye == "left" ? Eye::Left : Eye::Right);
}

std::optional<SceneCanvas> canvasOf(const RenderOptions& options) {
    return options.wall ? std::optional(SceneCanvas{options.wall->width, options.wall->height,
                                                    options.place.x, options.place.y})
                        : std::nullopt;
}

GlSourceOptions sourceOptions(const RenderOptions& options) {
    return {.scene = options.scene,
            .width = options.size.width,
            .height = options.size.height,
            .canvas = canvasOf(options),
            .frameRate = options.pacing == Pacing::Rate ? options.rate : Rational{0, 1},
            .slots = options.sender.slots + (options.sender.preview ? kPreviewSlots : 0),
            .memory = options.memory,
            .whyHost = options.whyHost,
            .part = partOf(options),
            .eye = eyeOf(options)};
}

}  // namespace

int runRender(const RenderOptions& options) {
    checkHostExists(options.sender);
    installInterruptHandler();
    return Sending(options, std::make_unique<GlSource>(sourceOptions(options))).run();
}

}  // namespace verbcast
