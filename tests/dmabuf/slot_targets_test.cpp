// Pictures drawn into dma-bufs: every byte equals what is read back, and nothing else is touched.
#include "render/readback/slot_targets.h"

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "capture/gl/gl_source.h"
#include "render/kms/drawing_card.h"
#include "render/readback/pixel_readback.h"
#include "render/scenes/scene.h"
#include "render/stream_renderer.h"
#include "tests/dmabuf/virtual_card.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

/// The visible bytes, row by row.
std::vector<std::byte> visible(const VideoFormat& format, const std::byte* payload) {
    std::vector<std::byte> bytes;
    for (std::uint32_t row = 0; row < format.height; ++row) {
        const std::byte* from =
            payload + format.planes[0].offset + std::size_t{row} * format.planes[0].stride;
        bytes.insert(bytes.end(), from, from + tightRowBytes(format, 0));
    }
    return bytes;
}

/// A scene in a size with rows that a card may want wider.
struct Stage {
    Stage(std::uint32_t width, std::uint32_t height)
        : target(width, height, 0),
          scene("waves", width, height),
          format(tightFormat(width, height, PixelReadback::preferredFormat(target.framebuffer()))) {
        scene.setShare(0, 1);
    }
    void draw(int moment) {
        scene.showAt(1'763'000'000s + moment * 40ms);
        scene.draw(target, 0);
    }
    std::vector<std::byte> readBack() const {
        std::vector<std::byte> payload(format.payloadBytes);
        PixelReadback readback(format, RowOrder::TopFirst, ReadbackPath::Direct, target.framebuffer(),
                               nullptr);
        bool damaged = false;
        EXPECT_EQ(readback.start(target.framebuffer(), payload.data()), Status::Ok);
        EXPECT_EQ(readback.take(damaged, 10s), Status::Ok);
        return visible(format, payload.data());
    }

    SceneTarget target;
    Scene scene;
    VideoFormat format;
};

void finish(SlotTargets& targets) {
    while (!targets.finish(10s)) {
    }
}

class SlotTargetsTest : public ::testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

    /// Buffers of the card that draws; changes the format to how they lie.
    std::shared_ptr<FramePool> ringFor(VideoFormat& format, std::uint32_t slots) const {
        CardBuffers buffers = card.makeBuffers(format, slots);
        EXPECT_EQ(buffers.descriptors.size(), slots);
        format.planes[0] = {.offset = buffers.offset, .stride = buffers.stride};
        format.payloadBytes = buffers.offset + std::uint64_t{buffers.stride} * format.height;
        return FramePool::onBuffers(std::move(buffers.descriptors), format.payloadBytes);
    }

    const DrawingCard card;
};

TEST_F(SlotTargetsTest, HoldWhatIsReadBack) {
    EXPECT_NE(card.name().find(" (vgem)"), std::string::npos) << card.name();
    for (const auto& [width, height] : {std::pair{64U, 48U}, {126U, 91U}, {320U, 180U}}) {
        Stage stage(width, height);
        VideoFormat format = stage.format;
        const auto ring = ringFor(format, 3);
        SlotTargets targets(format, *ring);
        SCOPED_TRACE(describe(format));
        std::vector<std::vector<std::byte>> pictures;
        std::vector<FrameLease> leases;
        for (int moment = 0; moment < 3; ++moment) {
            leases.push_back(std::move(*ring->tryAcquire()));
            stage.draw(moment);
            pictures.push_back(stage.readBack());
            targets.begin(stage.target.framebuffer(), leases.back().slot());
        }
        for (std::size_t at = 0; at < pictures.size(); ++at) {
            finish(targets);
            EXPECT_TRUE(visible(format, leases[at].data()) == pictures[at]) << at;
        }
        EXPECT_NE(pictures[0], pictures[2]) << "the scene moves";
    }
}

TEST_F(SlotTargetsTest, WiderRowsKeepTheirPaddingAndAreRightAfterReuse) {
    const VirtualCard vgem;
    Stage stage(62, 47);
    VideoFormat format = stage.format;
    layOutPlanes(format, 256, 256);
    ASSERT_GT(format.planes[0].stride, tightRowBytes(format, 0));
    const std::vector<std::byte> before(format.payloadBytes, std::byte{0x5a});
    const auto ring = vgem.ring(1, before);
    SlotTargets targets(format, *ring);
    for (int moment = 0; moment < 3; ++moment) {
        const auto lease = ring->tryAcquire();
        ASSERT_TRUE(lease);
        stage.draw(moment);
        targets.begin(stage.target.framebuffer(), lease->slot());
        finish(targets);
        EXPECT_TRUE(visible(format, lease->data()) == stage.readBack()) << moment;
        EXPECT_EQ(lease->data()[tightRowBytes(format, 0)], std::byte{0x5a}) << "padding";
    }
}

TEST_F(SlotTargetsTest, LeaveTheFramebuffersBound) {
    Stage stage(64, 48);
    VideoFormat format = stage.format;
    const auto ring = ringFor(format, 1);
    const auto lease = ring->tryAcquire();
    glBindFramebuffer(GL_FRAMEBUFFER, stage.target.framebuffer());
    SlotTargets targets(format, *ring);
    targets.begin(stage.target.framebuffer(), 0);
    GLint draw = 0, read = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read);
    EXPECT_EQ(static_cast<unsigned>(draw), stage.target.framebuffer());
    EXPECT_EQ(static_cast<unsigned>(read), stage.target.framebuffer());
    finish(targets);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/// As a viewer with a graphics card does: the picture is read where it lies.
TEST_F(SlotTargetsTest, AreShownWithoutAnUpload) {
    Stage stage(64, 48);
    VideoFormat format = stage.format;
    const auto ring = ringFor(format, 1);
    SlotTargets targets(format, *ring);
    const auto lease = ring->tryAcquire();
    stage.draw(3);
    targets.begin(stage.target.framebuffer(), lease->slot());
    finish(targets);
    StreamRenderer viewer(UploadPath::Direct, SoftwareImport::Allow), other(UploadPath::Direct);
    ASSERT_TRUE(viewer.adopt(format, *lease)) << viewer.uploadReport().reason;
    other.upload(stage.format, stage.readBack().data());
    EXPECT_TRUE(viewer.readPicture().pixels == other.readPicture().pixels);
    EXPECT_EQ(viewer.uploadReport().uploaded, 0U);
}

TEST_F(SlotTargetsTest, ThatOpenGlCannotDrawIntoAreRefusedWithTheReason) {
    const VirtualCard vgem;
    const VideoFormat format = tightFormat(64, 48, PixelFormat::rgb24);
    const auto ring = vgem.ring(1, std::vector<std::byte>(format.payloadBytes));
    try {
        const SlotTargets targets(format, *ring);
        FAIL() << "this driver has no textures of 24 bits";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        const std::string what = error.what();
        EXPECT_EQ(
            what.find("OpenGL cannot draw into dma-bufs of 64x48 rgb24, 192 bytes a row: eglCreateImage"), 0U)
            << what;
    }
}

TEST(DmaBufSource, GivesItsSlotsBackAndItsDescriptors) {
    const auto descriptors = [] {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
            ++count;
        }
        return count;
    };
    const Event never;
    std::size_t before = 0;
    for (int round = 0; round < 3; ++round) {
        std::shared_ptr<FramePool> ring;
        {
            GlSource source({.width = 62,
                             .height = 48,
                             .frameRate = {0, 1},
                             .slots = 2,
                             .memory = PictureMemory::DmaBuf});
            EXPECT_EQ(source.readbackReport().path, ReadbackPath::Slot);
            ASSERT_FALSE(source.notes().empty());
            EXPECT_NE(source.notes().front().find("frames are drawn into their slots, dma-bufs of /dev/dri/"),
                      std::string::npos)
                << source.notes().front();
            for (int frame = 0; frame < 12; ++frame) {  // more than there are slots
                CapturedFrame captured;
                ASSERT_EQ(source.capture(captured, never), Status::Ok);
                EXPECT_EQ(captured.lease.pool()->memory()->kind(), MemoryKind::Buffers);
                ring = captured.lease.pool();
            }
            EXPECT_EQ(source.counters().pixelCopies, 0U);
        }
        EXPECT_EQ(ring->slots().freeCount(), ring->slotCount());
        ring.reset();
        before = round == 0 ? descriptors() : before;  // what drivers keep open was opened by then
        EXPECT_EQ(descriptors(), before) << round;
    }
}

}  // namespace
}  // namespace verbcast::testing
