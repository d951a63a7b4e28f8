// Measures what showing a frame costs: upload, conversion and drawing of each pixel format, against memcpy of
// the same bytes. Also measures rendering: the scenes, and reading them back.
//   render_bench [WIDTHxHEIGHT [TARGETWIDTHxTARGETHEIGHT [FORMAT]]]
// Prints the wall time until the driver is done with a frame, the CPU time of all threads for it, the ratio
// of its rate to memcpy's, and the wall time with the waveform over it, as medians over the frames. Only the
// ratio is comparable between machines.
#include <epoxy/gl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/memory/frame_pool.h"
#include "render/gl/gl_handles.h"
#include "render/gl/gl_renderer.h"
#include "render/gl/offscreen_context.h"
#include "render/gl/plane_textures.h"
#include "render/overlays/overlay.h"
#include "render/readback/frame_readback.h"
#include "render/scenes/scene.h"
#include "render/scenes/scene_names.h"
#include "render/stream_renderer.h"

namespace verbcast {
namespace {

constexpr int kFrames = 24;
constexpr float kBlack[3] = {0, 0, 0};

struct Size {
    unsigned width, height;
};

Size parseSize(const char* text) {
    Size size{};
    if (std::sscanf(text, "%ux%u", &size.width, &size.height) != 2 || size.width == 0 || size.height == 0) {
        throw Error(ErrorKind::Usage, std::string("size \"") + text + "\" is not WIDTHxHEIGHT");
    }
    return size;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Cost {
    double wallMs, cpuMs;
};

template <typename Work>
Cost measure(Work work) {
    std::vector<double> wall, cpu;
    work();
    for (int i = 0; i < kFrames; ++i) {
        const double cpuStart = processCpuSeconds();
        const auto start = nowNs();
        work();
        wall.push_back(static_cast<double>(nowNs() - start) / 1e6);
        cpu.push_back((processCpuSeconds() - cpuStart) * 1e3);
    }
    return {median(wall), median(cpu)};
}

std::vector<std::byte> noise(std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    std::uint32_t state = 1;
    for (auto& value : data) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<std::byte>(state >> 24);
    }
    return data;
}

void benchFormat(const PixelFormatInfo& info, Size picture, Size target) {
    const auto format = tightFormat(picture.width, picture.height, info.format);
    const auto payload = noise(format.payloadBytes);
    std::vector<std::byte> copy(payload.size());
    const auto placement =
        fitPlacement(format, static_cast<int>(target.width), static_cast<int>(target.height));

    const auto copied = measure([&] { std::memcpy(copy.data(), payload.data(), payload.size()); });
    StreamRenderer direct(UploadPath::Direct);
    const auto show = [&] {
        direct.draw(placement, static_cast<int>(target.width), static_cast<int>(target.height), kBlack);
        glFinish();
    };
    const auto uploaded = measure([&] {
        direct.upload(format, payload.data());
        glFinish();
    });
    const auto shown = measure([&] {
        direct.upload(format, payload.data());
        show();
    });
    const auto repainted = measure(show);
    Overlays overlays;
    const TargetRect all{0, 0, static_cast<int>(target.width), static_cast<int>(target.height)};
    const auto scoped = measure([&] {
        direct.upload(format, payload.data());
        direct.draw(placement, all.width, all.height, kBlack);
        overlays.draw({std::string(kWaveform)}, direct, {all.width, all.height, all, all});
        glFinish();
    });
    std::printf("%-12s %8.2f %8.2f %8.2f %8.2f %8.2f %8.0f %8.3f %8.2f\n", std::string(info.name).c_str(),
                copied.wallMs, uploaded.wallMs, shown.wallMs, shown.cpuMs, repainted.wallMs,
                1e3 / shown.wallMs, copied.wallMs / shown.wallMs, scoped.wallMs);
}

/// Reads a drawn picture back, both ways, until its bytes are in the slot.
void benchReadback(Size picture) {
    const auto format = tightFormat(picture.width, picture.height, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 2});
    SceneTarget target(picture.width, picture.height, 0);
    const auto from = pool->tryAcquire();
    const auto copied = measure([&] {
        const auto to = pool->tryAcquire();
        std::memcpy(to->data(), from->data(), format.payloadBytes);
    });
    for (const ReadbackPath path : {ReadbackPath::Direct, ReadbackPath::Ring}) {
        FrameReadback readback(format, RowOrder::TopFirst, path, target.framebuffer(), *pool);
        const auto read = measure([&] {
            ReadbackFrame frame;
            static_cast<void>(readback.start(target.framebuffer(), *pool->tryAcquire(), ReadbackStamp{}));
            static_cast<void>(readback.take(frame, std::chrono::seconds(10)));
        });
        std::printf("%-12s %8.2f %8.2f %8s %8.2f %8s %8.0f %8.3f\n",
                    path == ReadbackPath::Direct ? "read direct" : "read ring", copied.wallMs, read.wallMs,
                    "", read.cpuMs, "", 1e3 / read.wallMs, copied.wallMs / read.wallMs);
    }
}

void benchScenes(Size picture) {
    for (const SceneName& name : kSceneNames) {
        SceneTarget target(picture.width, picture.height, sceneSamples());
        Scene scene(std::string(name.name), picture.width, picture.height);
        const auto drawn = measure([&] {
            scene.advance(std::chrono::milliseconds(16));
            scene.draw(target, 0);
            glFinish();
        });
        std::printf("%-12s %8s %8s %8.2f %8.2f %8s %8.0f\n", std::string(name.name).c_str(), "", "",
                    drawn.wallMs, drawn.cpuMs, "", 1e3 / drawn.wallMs);
    }
}

void run(int argc, char** argv) {
    const Size picture = argc > 1 ? parseSize(argv[1]) : Size{3840, 2160};
    const Size target = argc > 2 ? parseSize(argv[2]) : Size{1280, 720};
    const OffscreenContext context;
    // The byte order that most windows have.
    const auto texture = makeTexture(GL_RGBA, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
                                     static_cast<GLsizei>(target.width), static_cast<GLsizei>(target.height));
    const auto framebuffer = GlFramebuffer::create();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.get(), 0);

    std::printf("%s\n%ux%u into %ux%u, milliseconds\n", glRendererName().c_str(), picture.width,
                picture.height, target.width, target.height);
    std::printf("%-12s %8s %8s %8s %8s %8s %8s %8s %8s\n", "format", "memcpy", "upload", "shown", "cpu",
                "repaint", "fps", "ratio", "waveform");
    if (argc <= 3) {
        benchReadback(picture);
        benchScenes(picture);
    }
    for (const auto& info : allPixelFormats()) {
        if (argc <= 3 || info.name == argv[3]) {
            benchFormat(info, picture, target);
        }
    }
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    try {
        verbcast::run(argc, argv);
    } catch (const verbcast::Error& error) {
        std::fprintf(stderr, "render_bench: %s\n%s\n", error.what(), error.remedy().c_str());
        return error.exitCode();
    }
    return 0;
}
