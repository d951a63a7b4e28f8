// Both upload paths, and the choice between them.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/base/error.h"
#include "render/gl/gl_renderer.h"
#include "render/upload/texture_upload.h"
#include "tests/render/gl_support.h"
#include "tests/render/pictures.h"
#include "tests/support/changes_mirror.h"

namespace verbcast::testing {
namespace {

class Upload : public GlTest {};

RgbaImage shownBy(StreamRenderer& renderer, const VideoFormat& format, std::uint32_t seed) {
    auto payload = packPicture(format, noisePicture(format, seed));
    renderer.upload(format, payload.data());
    payload.assign(payload.size(), std::byte{0});  // the renderer must no longer read it
    return renderer.readPicture();
}

TEST_F(Upload, BothPathsShowTheSame) {
    if (!StagingRing::supported()) {
        GTEST_SKIP() << "SKIPPED: this OpenGL has no persistently mapped buffers (" << glRendererName()
                     << ")";
    }
    StreamRenderer direct(UploadPath::Direct), persistent(UploadPath::PersistentPbo);
    for (const auto& info : allPixelFormats()) {
        auto padded = namedFormat(127, 95, info.format);
        layOutPlanes(padded, 256, 64);
        for (const auto& format : {namedFormat(127, 95, info.format), padded}) {
            for (std::uint32_t frame = 1; frame <= 3; ++frame) {
                EXPECT_TRUE(shownBy(direct, format, frame).pixels ==
                            shownBy(persistent, format, frame).pixels)
                    << describe(format) << ", frame " << frame;
            }
        }
    }
    EXPECT_EQ(direct.uploadReport().path, UploadPath::Direct);
    EXPECT_EQ(persistent.uploadReport().path, UploadPath::PersistentPbo);
}

/// As where graphics memory is short.
TEST_F(Upload, WhereNoBufferCanBeMappedThePathThatWorksIsTaken) {
    if (!StagingRing::supported()) {
        GTEST_SKIP() << "SKIPPED: this OpenGL has no persistently mapped buffers (" << glRendererName()
                     << ")";
    }
    const auto original = epoxy_glMapBufferRange;
    epoxy_glMapBufferRange = [](GLenum, GLintptr, GLsizeiptr, GLbitfield) -> void* { return nullptr; };
    StreamRenderer measuring(UploadPath::Measure), direct(UploadPath::Direct),
        wanted(UploadPath::PersistentPbo);
    const VideoFormat format = namedFormat(64, 48, PixelFormat::rgba);
    for (std::uint32_t frame = 1; frame <= 30; ++frame) {
        EXPECT_TRUE(shownBy(measuring, format, frame).pixels == shownBy(direct, format, frame).pixels);
    }
    EXPECT_EQ(measuring.uploadReport().path, UploadPath::Direct);
    EXPECT_THROW(shownBy(wanted, format, 1), Error);
    epoxy_glMapBufferRange = original;
}

/// A renderer that is given the changed areas shows the same as one that uploads every picture in full.
TEST_F(Upload, ChangedPartsShowTheWholePicture) {
    for (const UploadPath path : {UploadPath::Direct, UploadPath::PersistentPbo}) {
        if (path == UploadPath::PersistentPbo && !StagingRing::supported()) {
            continue;
        }
        StreamRenderer whole(path), parts(path);
        std::mt19937 random(5);
        for (const auto& info : allPixelFormats()) {
            auto padded = namedFormat(127, 95, info.format);
            layOutPlanes(padded, 512, 64);  // the format differs in each case
            for (const auto& format : {namedFormat(127, 95, info.format), padded}) {
                auto shown = packPicture(format, noisePicture(format, 1));
                parts.upload(format, shown.data(), PictureChanges::none());  // it has no earlier picture
                for (std::uint32_t frame = 2; frame <= 6; ++frame) {
                    const auto next = packPicture(format, noisePicture(format, frame));
                    PictureChanges changes = PictureChanges::none();
                    for (std::uint32_t i = 0; i + 2 < frame; ++i) {
                        const FrameRect rect{static_cast<std::uint16_t>(random() % 100),
                                             static_cast<std::uint16_t>(random() % 60),
                                             static_cast<std::uint16_t>(1 + random() % 27),
                                             static_cast<std::uint16_t>(1 + random() % 35)};
                        changes.add(rect);
                        eachRow(format, rect, [&](std::uint64_t at, std::uint64_t bytes) {
                            std::memcpy(&shown[at], &next[at], bytes);
                        });
                    }
                    whole.upload(format, shown.data());
                    parts.upload(format, shown.data(), changes);
                    EXPECT_TRUE(parts.readPicture().pixels == whole.readPicture().pixels)
                        << describe(format) << ", frame " << frame;
                }
                // What is declared unchanged is not read.
                const std::vector<std::byte> other(format.payloadBytes);
                parts.upload(format, other.data(), PictureChanges::none());
                EXPECT_TRUE(parts.readPicture().pixels == whole.readPicture().pixels) << describe(format);
            }
        }
    }
}

/// A picture that is overwritten while it is read is dropped and the previous one stays; its changes are
/// added to the next.
TEST_F(Upload, WhatWasNotWholeIsNotShown) {
    for (const UploadPath path : {UploadPath::Direct, UploadPath::PersistentPbo}) {
        if (path == UploadPath::PersistentPbo && !StagingRing::supported()) {
            continue;
        }
        StreamRenderer renderer(path), expected(path);
        for (const PixelFormat pixelFormat : {PixelFormat::rgba, PixelFormat::yuv420p, PixelFormat::v210}) {
            const auto format = namedFormat(127, 95, pixelFormat);
            const auto noise = [&](std::uint32_t seed) {
                return packPicture(format, noisePicture(format, seed));
            };
            auto shown = noise(1);
            const bool other = renderer.hasPicture();
            const auto before = other ? renderer.readPicture() : RgbaImage{};
            EXPECT_FALSE(
                renderer.uploadIf(format, shown.data(), PictureChanges::all(), [] { return false; }));
            EXPECT_EQ(renderer.hasPicture(), other) << describe(format);
            EXPECT_TRUE(!other || renderer.readPicture().pixels == before.pixels) << "of the format before";

            const auto takes = [&](const PictureChanges& changes, bool whole) {
                auto payload = shown;
                const bool taken = renderer.uploadIf(format, payload.data(), changes, [&] {
                    std::fill(payload.begin(), payload.end(), std::byte{0x55});  // it is no longer read
                    return whole;
                });
                EXPECT_EQ(taken, whole);
            };
            takes(PictureChanges::all(), true);
            expected.upload(format, shown.data());
            for (std::uint32_t frame = 2; frame < 20; ++frame) {
                const auto next = noise(frame);
                const FrameRect rect{static_cast<std::uint16_t>(frame * 37 % 90),
                                     static_cast<std::uint16_t>(frame * 23 % 60), 20, 30};
                eachRow(format, rect, [&](std::uint64_t at, std::uint64_t bytes) {
                    std::memcpy(&shown[at], &next[at], bytes);
                });
                PictureChanges changes = PictureChanges::none();
                changes.add(rect);
                const bool whole = frame % 3 != 0 && frame % 5 != 0;
                if (frame % 7 == 0) {
                    renderer.upload(format, shown.data(), changes);
                    expected.upload(format, shown.data());
                } else {
                    takes(changes, whole);
                    if (whole) {
                        expected.upload(format, shown.data());
                    }
                }
                EXPECT_TRUE(renderer.readPicture().pixels == expected.readPicture().pixels)
                    << describe(format) << ", frame " << frame;
            }
        }
    }
}

/// The format stays that of the picture shown, and what was staged for the small one must not be used for it.
TEST_F(Upload, ATornPictureOfAnotherSizeChangesNothing) {
    for (const UploadPath path : {UploadPath::Direct, UploadPath::PersistentPbo}) {
        if (path == UploadPath::PersistentPbo && !StagingRing::supported()) {
            continue;
        }
        StreamRenderer renderer(path);
        const auto large = namedFormat(640, 480, PixelFormat::rgba),
                   small = namedFormat(16, 16, PixelFormat::rgba);
        for (std::uint32_t seed = 1; seed < 4; ++seed) {
            const auto shown = packPicture(large, noisePicture(large, seed));
            renderer.upload(large, shown.data());
            const auto torn = packPicture(small, noisePicture(small, seed));
            EXPECT_FALSE(renderer.uploadIf(small, torn.data(), PictureChanges::all(), [] { return false; }));
            renderer.upload(large, shown.data());
            StreamRenderer expected(path);
            expected.upload(large, shown.data());
            EXPECT_TRUE(renderer.readPicture().pixels == expected.readPicture().pixels) << seed;
        }
    }
}

TEST_F(Upload, MeasuringEndsWithAChoiceAndItsReason) {
    StreamRenderer renderer;
    const auto format = namedFormat(320, 180, PixelFormat::rgba);
    const auto first = shownBy(renderer, format, 1);
    for (int frame = 0; frame < 30; ++frame) {
        EXPECT_TRUE(shownBy(renderer, format, 1).pixels == first.pixels) << "frame " << frame;
    }
    const auto report = renderer.uploadReport();
    EXPECT_NE(report.path, UploadPath::Measure);
    EXPECT_NE(report.reason.find("direct"), std::string::npos) << report.reason;
    EXPECT_GT(report.lastMilliseconds, 0);
}

TEST_F(Upload, PictureAboveTheDriversLimitIsRefused) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    auto format = tightFormat(64, 64, PixelFormat::gray);
    format.width = static_cast<std::uint32_t>(limit) + 1;
    layOutPlanes(format, 1, 1);
    const std::vector<std::byte> payload(tightBytes(format));
    StreamRenderer renderer;
    try {
        renderer.upload(format, payload.data());
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Display);
        EXPECT_NE(std::string(error.what()).find(std::to_string(limit)), std::string::npos) << error.what();
    }
    EXPECT_FALSE(renderer.hasPicture());
    EXPECT_TRUE(renderer.readPicture().pixels.empty());
}

TEST_F(Upload, LeavesNoStateBehind) {
    StreamRenderer renderer;
    const Canvas canvas(40, 30);
    const auto format = namedFormat(64, 48, PixelFormat::yuv420p);
    glEnable(GL_BLEND);
    shownBy(renderer, format, 1);
    renderer.draw(fitPlacement(format, 40, 30), 40, 30, kBlack);
    const auto value = [](GLenum name) {
        GLint result = -1;
        glGetIntegerv(name, &result);
        return result;
    };
    EXPECT_EQ(value(GL_CURRENT_PROGRAM), 0);
    EXPECT_EQ(value(GL_VERTEX_ARRAY_BINDING), 0);
    EXPECT_EQ(value(GL_PIXEL_UNPACK_BUFFER_BINDING), 0);
    EXPECT_EQ(value(GL_UNPACK_ALIGNMENT), 4);
    EXPECT_EQ(value(GL_UNPACK_ROW_LENGTH), 0);
    EXPECT_EQ(value(GL_ACTIVE_TEXTURE), GL_TEXTURE0);
    EXPECT_FALSE(glIsEnabled(GL_BLEND));
    for (const GLenum unit : {GL_TEXTURE2, GL_TEXTURE1, GL_TEXTURE0}) {
        glActiveTexture(unit);
        EXPECT_EQ(value(GL_TEXTURE_BINDING_2D), 0);
    }
    EXPECT_NE(value(GL_DRAW_FRAMEBUFFER_BINDING), 0) << "the canvas is still bound";
}

}  // namespace
}  // namespace verbcast::testing
