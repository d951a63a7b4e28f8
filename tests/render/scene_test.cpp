// The scenes of `verbcast render`: they show something, they move, and viewers can steer them.
#include "render/scenes/scene.h"
#include "render/gl/gl_renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "capture/convert/merge_pictures.h"
#include "render/readback/pixel_readback.h"
#include "render/scenes/scene_names.h"
#include "tests/render/gl_support.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kWidth = 320, kHeight = 180;
constexpr std::uint32_t kSpace = 0x20, kR = 0x72, kLeftKey = 0xff51;

/// A scene and a target to draw it into.
class Stage {
  public:
    explicit Stage(const std::string& name, std::uint32_t width = kWidth, std::uint32_t height = kHeight,
                   int samples = 0)
        : target_(width, height, samples), scene_(name, width, height) {}

    Scene& scene() { return scene_; }
    SceneTarget& target() { return target_; }
    RgbaImage draw(std::uint64_t number = 0) {
        scene_.draw(target_, number);
        RgbaImage image{target_.width(), target_.height(), {}};
        image.pixels.resize(std::size_t{4} * image.width * image.height);
        glBindFramebuffer(GL_FRAMEBUFFER, target_.framebuffer());
        glReadPixels(0, 0, static_cast<GLsizei>(image.width), static_cast<GLsizei>(image.height), GL_RGBA,
                     GL_UNSIGNED_BYTE, image.pixels.data());
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        return image;
    }
    void send(const InputEvent& event) { scene_.input({.serial = ++serial_, .viewer = 1, .event = event}); }
    void press(std::uint32_t key) {
        send({.kind = InputKind::Key, .pressed = true, .code = key});
        send({.kind = InputKind::Key, .pressed = false, .code = key});
    }

  private:
    SceneTarget target_;
    Scene scene_;
    std::uint64_t serial_ = 0;
};

/// The share of pixels that differ.
double difference(const RgbaImage& a, const RgbaImage& b) {
    std::size_t differing = 0;
    for (std::size_t i = 0; i < a.pixels.size(); i += 4) {
        differing += !std::equal(&a.pixels[i], &a.pixels[i] + 4, &b.pixels[i]) ? 1 : 0;
    }
    return static_cast<double>(differing * 4) / static_cast<double>(a.pixels.size());
}

std::size_t colours(const RgbaImage& image) {
    std::set<std::uint32_t> found;
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
        found.insert(image.pixels[i] | image.pixels[i + 1] << 8 | image.pixels[i + 2] << 16);
    }
    return found.size();
}

class EveryScene : public GlTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(EveryScene, ShowsThousandsOfBoxesInManyColours) {
    Stage stage(GetParam());
    EXPECT_GE(stage.scene().boxes(), 2000U);
    stage.scene().advance(2s);
    const RgbaImage image = stage.draw();
    EXPECT_GT(colours(image), 1000U);
    std::uint8_t brightest = 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
        ASSERT_EQ(image.pixels[i + 3], 255) << "opaque";
        brightest = std::max({brightest, image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]});
        sum += image.pixels[i] + image.pixels[i + 1] + image.pixels[i + 2];
    }
    const double mean = static_cast<double>(sum) / (3.0 * kWidth * kHeight);
    EXPECT_GT(brightest, 180);
    EXPECT_GT(mean, 8) << "not all dark";
    EXPECT_LT(mean, 128) << "on a dark ground";
}

TEST_P(EveryScene, TakesAsManyBoxesAsTheProcessorsCanDraw) {
    Stage stage(GetParam(), 320, 180), untouched(GetParam(), 320, 180);
    const std::uint32_t most = stage.scene().boxes();
    stage.scene().fitTo(stage.target(), 1h);
    EXPECT_EQ(stage.scene().boxes(), most);
    EXPECT_EQ(difference(stage.draw(), untouched.draw()), 0) << "measuring moves nothing";
    stage.scene().fitTo(stage.target(), 0s);
    EXPECT_EQ(stage.scene().boxes(), rendersInSoftware() ? 256U : most);
    EXPECT_GT(colours(stage.draw()), 500U);
}

TEST_P(EveryScene, MovesWithTimeAndOnlyWithTime) {
    Stage stage(GetParam()), twin(GetParam());
    const RgbaImage first = stage.draw();
    EXPECT_EQ(difference(first, stage.draw()), 0);
    stage.scene().advance(300ms);
    const RgbaImage later = stage.draw();
    EXPECT_GT(difference(first, later), 0.02);
    twin.scene().advance(300ms);
    EXPECT_EQ(difference(later, twin.draw()), 0);
}

TEST_P(EveryScene, InputChangesThePictureAndRPutsItBack) {
    Stage stage(GetParam());
    const RgbaImage first = stage.draw();
    const auto expectChanged = [&](const char* what) {
        EXPECT_GT(difference(first, stage.draw()), 0.02) << what;
        stage.press(kR);
        EXPECT_EQ(difference(first, stage.draw()), 0) << what;
    };
    stage.send({.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 100, .y = 100});
    stage.send({.kind = InputKind::PointerMove, .x = 130, .y = 90});
    stage.send({.kind = InputKind::PointerButton, .pressed = false, .code = 1, .x = 130, .y = 90});
    expectChanged("drag");
    stage.send({.kind = InputKind::Wheel, .x = 100, .y = 100, .dy = 2});
    expectChanged("wheel");
    stage.send({.kind = InputKind::Touch, .pressed = true, .code = 0, .x = 10, .y = 10});
    stage.send({.kind = InputKind::Touch, .pressed = true, .code = 0, .x = 10, .y = 40});
    stage.send({.kind = InputKind::Touch, .pressed = false, .code = 0, .x = 10, .y = 40});
    expectChanged("touch");
    stage.send({.kind = InputKind::Key, .pressed = true, .code = kLeftKey});
    stage.scene().advance(200ms);
    stage.send({.kind = InputKind::Key, .pressed = false, .code = kLeftKey});
    expectChanged("arrow key");
}

TEST_P(EveryScene, SpaceHoldsThePicture) {
    Stage stage(GetParam());
    stage.press(kSpace);
    const RgbaImage held = stage.draw();
    stage.scene().advance(1s);
    EXPECT_EQ(difference(held, stage.draw()), 0);
    stage.press(kSpace);
    stage.scene().advance(1s);
    EXPECT_GT(difference(held, stage.draw()), 0.02);
}

TEST_P(EveryScene, NumberIsInTheLowerLeftAndNowhereElse) {
    Stage stage(GetParam());
    const RgbaImage first = stage.draw(123456), second = stage.draw(987650);
    EXPECT_GT(difference(first, second), 0);
    EXPECT_EQ(difference(first, stage.draw(7'000'123'456)), 0) << "the last six digits";
    for (std::uint32_t y = 0; y < kHeight; ++y) {
        for (std::uint32_t x = 0; x < kWidth; ++x) {
            const std::size_t i = 4 * (std::size_t{y} * kWidth + x);
            if (!std::equal(&first.pixels[i], &first.pixels[i] + 4, &second.pixels[i])) {
                ASSERT_LT(x, kWidth / 4);
                ASSERT_GT(y, kHeight * 3 / 4);
            }
        }
    }
}

TEST_P(EveryScene, AnySizeAndSmoothedEdges) {
    for (const auto& [width, height] :
         {std::pair{127U, 95U}, std::pair{16U, 16U}, std::pair{16U, 300U}, std::pair{1366U, 768U}}) {
        Stage stage(GetParam(), width, height);
        EXPECT_GT(colours(stage.draw()), 20U) << width << "x" << height;
    }
    Stage plain(GetParam()), smoothed(GetParam(), kWidth, kHeight, 4);
    const double changed = difference(plain.draw(), smoothed.draw());
    EXPECT_GT(changed, 0);
    EXPECT_LT(changed, 0.9);
}

std::vector<std::string> sceneNames() {
    std::vector<std::string> names;
    for (const SceneName& scene : kSceneNames) {
        names.emplace_back(scene.name);
    }
    return names;
}
INSTANTIATE_TEST_SUITE_P(Named, EveryScene, ::testing::ValuesIn(sceneNames()),
                         [](const auto& scene) { return scene.param; });

class SceneTest : public GlTest {};

TEST_F(SceneTest, UnknownNamesAreRefusedWithTheKnownOnes) {
    try {
        const Scene scene("stars", 64, 64);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        EXPECT_NE(error.remedy().find("waves, swarm"), std::string::npos) << error.remedy();
    }
}

TEST_F(SceneTest, TargetAboveTheDriversLimitIsRefused) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    try {
        const SceneTarget target(static_cast<std::uint32_t>(limit) + 1, 16, 0);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Display);
        EXPECT_NE(std::string(error.what()).find(std::to_string(limit)), std::string::npos) << error.what();
    }
}

/// What drawing a part of a scene produces: colour and depth.
struct Rendering {
    VideoFormat format = tightFormat(kWidth, kHeight, PixelFormat::rgba);
    std::vector<std::byte> payload;
};

Rendering drawShare(const std::string& name, std::uint32_t index, std::uint32_t count) {
    Stage stage(name);
    stage.scene().setShare(index, count);
    stage.scene().showAt(1'763'000'000s + 123ms);
    Rendering rendering;
    addDepth(rendering.format);
    rendering.payload.resize(rendering.format.payloadBytes);
    PixelReadback readback(rendering.format, RowOrder::TopFirst, ReadbackPath::Direct,
                           stage.target().framebuffer(), nullptr);
    stage.scene().draw(stage.target(), 0);
    bool damaged = false;
    EXPECT_EQ(readback.start(stage.target().framebuffer(), rendering.payload.data()), Status::Ok);
    EXPECT_EQ(readback.take(damaged, 10s), Status::Ok);
    return rendering;
}

TEST_P(EveryScene, SharesMergedByDepthAreTheWholePicturePixelByPixel) {
    const Rendering whole = drawShare(GetParam(), 0, 1);
    for (const std::uint32_t count : {2U, 3U, 7U}) {
        std::vector<Rendering> shares;
        std::vector<PartPicture> parts;
        for (std::uint32_t i = 0; i < count; ++i) {
            shares.push_back(drawShare(GetParam(), i, count));
            EXPECT_NE(shares.back().payload, whole.payload) << "a part is not the whole";
        }
        for (const Rendering& share : shares) {
            parts.push_back({&share.format, share.payload.data()});
        }
        std::vector<std::byte> merged(whole.payload.size());
        mergeByDepth(parts, whole.format, merged.data());
        EXPECT_TRUE(merged == whole.payload) << count << " parts";
    }
}

TEST_P(EveryScene, DepthsAreTheSameThroughTheRingOfPixelBuffers) {
    const Rendering direct = drawShare(GetParam(), 0, 2);
    Stage stage(GetParam());
    stage.scene().setShare(0, 2);
    stage.scene().showAt(1'763'000'000s + 123ms);
    stage.scene().draw(stage.target(), 0);
    std::vector<std::byte> payload(direct.payload.size());
    PixelReadback readback(direct.format, RowOrder::TopFirst, ReadbackPath::Ring,
                           stage.target().framebuffer(), nullptr);
    bool damaged = false;
    EXPECT_EQ(readback.start(stage.target().framebuffer(), payload.data()), Status::Ok);
    EXPECT_EQ(readback.take(damaged, 10s), Status::Ok);
    EXPECT_TRUE(payload == direct.payload);
}

}  // namespace
}  // namespace verbcast::testing
