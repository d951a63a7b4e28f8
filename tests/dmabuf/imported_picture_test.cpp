// Pictures imported from dma-bufs as textures: every pixel equals that of an uploaded picture.
#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <utility>

#include "render/stream_renderer.h"
#include "tests/dmabuf/virtual_card.h"
#include "tests/render/pictures.h"

namespace verbcast::testing {
namespace {

class ImportedPicture : public ::testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

    static VideoFormat paddedFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat) {
        VideoFormat format = tightFormat(width, height, pixelFormat);
        layOutPlanes(format, 64, 64);
        return format;
    }
    static RgbaImage uploaded(const VideoFormat& format, const std::vector<std::byte>& payload) {
        StreamRenderer renderer(UploadPath::Direct);
        renderer.upload(format, payload.data());
        return renderer.readPicture();
    }

    const VirtualCard card;
    GbmContext context{card.descriptor()};
    StreamRenderer renderer{UploadPath::Direct, SoftwareImport::Allow};
};

TEST_F(ImportedPicture, EqualsTheSameOneUploaded) {
    std::size_t imported = 0;
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const auto& [width, height] : {std::pair{64U, 64U}, {126U, 91U}}) {
            const VideoFormat format = paddedFormat(width, height, info.format);
            SCOPED_TRACE(describe(format));
            const std::vector<std::byte> payload = packPicture(format, noisePicture(format));
            const auto ring = card.ring(1, payload);
            const FrameLease lease = std::move(*ring->tryAcquire());
            const auto uploadedBefore = renderer.uploadReport().uploaded;
            if (!renderer.adopt(format, lease)) {
                // Formats without a texture in this driver are reported by name.
                renderer.upload(format, payload.data());
                const std::string why = renderer.uploadReport().reason;
                EXPECT_NE(why.find("the sender's dma-buf is uploaded: eglCreateImage takes no "),
                          std::string::npos)
                    << why;
                EXPECT_EQ(info.format, PixelFormat::rgb24) << why;
                continue;
            }
            ++imported;
            EXPECT_EQ(renderer.uploadReport().reason, "dma-buf: read where it lies");
            EXPECT_GT(renderer.uploadReport().inPlace, 0U);
            EXPECT_EQ(renderer.uploadReport().uploaded, uploadedBefore);
            const RgbaImage shown = renderer.readPicture(), expected = uploaded(format, payload);
            EXPECT_EQ(shown.width, expected.width);
            EXPECT_TRUE(shown.pixels == expected.pixels);
        }
    }
    EXPECT_EQ(imported, 2 * (allPixelFormats().size() - 1)) << "all but rgb24";
}

TEST_F(ImportedPicture, HoldsItsSlotUntilTheNextOneIsTaken) {
    const VideoFormat format = paddedFormat(64, 64, PixelFormat::bgra);
    const std::vector<std::byte> first = packPicture(format, noisePicture(format, 1));
    const std::vector<std::byte> second = packPicture(format, noisePicture(format, 2));
    const auto ring = card.ring(2, first);
    write(ring->memory()->buffers()[1], second);
    for (const auto* payload : {&first, &second, &first}) {
        auto lease = ring->tryAcquire();
        ASSERT_TRUE(lease) << "the slot before last is free again";
        ASSERT_TRUE(renderer.adopt(format, *lease)) << renderer.uploadReport().reason;
        lease.reset();
        EXPECT_EQ(ring->slots().freeCount(), 1U);
        EXPECT_TRUE(renderer.readPicture().pixels == uploaded(format, *payload).pixels);
    }
    renderer.upload(format, second.data());
    EXPECT_EQ(ring->slots().freeCount(), 2U);
    EXPECT_TRUE(renderer.readPicture().pixels == uploaded(format, second).pixels);
}

TEST_F(ImportedPicture, WhatIsWrittenIntoASlotAgainIsSeen) {
    const VideoFormat format = paddedFormat(64, 64, PixelFormat::bgra);
    const auto ring = card.ring(1, packPicture(format, noisePicture(format, 1)));
    for (std::uint32_t seed = 1; seed < 5; ++seed) {
        const std::vector<std::byte> payload = packPicture(format, noisePicture(format, seed));
        write(ring->memory()->buffers()[0], payload);
        {
            const auto lease = ring->tryAcquire();
            ASSERT_TRUE(lease);
            ASSERT_TRUE(renderer.adopt(format, *lease));
        }
        EXPECT_TRUE(renderer.readPicture().pixels == uploaded(format, payload).pixels) << seed;
        renderer.upload(format, payload.data());  // releases the slot
    }
}

/// A torn picture leaves the imported one in place, which keeps its slot.
TEST_F(ImportedPicture, StaysWhenTheNextOneIsTorn) {
    const VideoFormat format = paddedFormat(64, 64, PixelFormat::bgra);
    const std::vector<std::byte> first = packPicture(format, noisePicture(format, 1));
    const std::vector<std::byte> second = packPicture(format, noisePicture(format, 2));
    const auto ring = card.ring(1, first);
    ASSERT_TRUE(renderer.adopt(format, *ring->tryAcquire()));
    EXPECT_FALSE(renderer.uploadIf(format, second.data(), PictureChanges::none(), [] { return false; }));
    EXPECT_TRUE(renderer.readPicture().pixels == uploaded(format, first).pixels);
    EXPECT_EQ(ring->slots().freeCount(), 0U);
    EXPECT_TRUE(renderer.uploadIf(format, second.data(), PictureChanges::none(), [] { return true; }));
    EXPECT_TRUE(renderer.readPicture().pixels == uploaded(format, second).pixels);
    EXPECT_EQ(ring->slots().freeCount(), 1U);
}

TEST_F(ImportedPicture, IsUploadedInSoftwareAndSaysSo) {
    const VideoFormat format = paddedFormat(64, 64, PixelFormat::bgra);
    const std::vector<std::byte> payload = packPicture(format, noisePicture(format));
    const auto ring = card.ring(1, payload);
    const auto lease = ring->tryAcquire();
    StreamRenderer usual(UploadPath::Direct);
    EXPECT_FALSE(usual.adopt(format, *lease));
    usual.upload(format, lease->data());
    EXPECT_EQ(
        usual.uploadReport().reason,
        "asked for; the sender's dma-buf is uploaded: OpenGL draws in software, which gains nothing by it");
    EXPECT_TRUE(usual.readPicture().pixels == uploaded(format, payload).pixels);
}

TEST_F(ImportedPicture, InMemoryOfOursIsNone) {
    const VideoFormat format = tightFormat(64, 64, PixelFormat::bgra);
    const auto ring = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 1});
    EXPECT_FALSE(renderer.adopt(format, *ring->tryAcquire()));
    EXPECT_EQ(renderer.uploadReport().reason, "asked for");
}

}  // namespace
}  // namespace verbcast::testing
