// What is read back equals what was drawn, in every pixel, in both row orders, and in sequence.
#include "render/readback/frame_readback.h"

#include <gtest/gtest.h>

#include <cstring>

#include "render/gl/gl_state_guard.h"
#include "tests/render/gl_support.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

struct Size {
    std::uint32_t width, height;
};
constexpr Size kSizes[] = {{127, 95}, {64, 64}, {342, 192}, {16, 16}};
constexpr ReadbackPath kPaths[] = {ReadbackPath::Direct, ReadbackPath::Ring};

/// A framebuffer whose every pixel is known: row 0 is OpenGL's first.
class KnownPicture {
  public:
    explicit KnownPicture(Size size)
        : size_(size), texture_(GlTexture::create()), framebuffer_(GlFramebuffer::create()) {
        glBindTexture(GL_TEXTURE_2D, texture_.get());
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width(), height(), 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        GLint before = 0;
        glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
        glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(before));
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    /// Draws picture number `seed`.
    void draw(std::uint32_t seed) {
        const auto pixels = expected(seed);
        glBindTexture(GL_TEXTURE_2D, texture_.get());
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width(), height(), GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    std::vector<std::uint8_t> expected(std::uint32_t seed) const {
        std::vector<std::uint8_t> pixels(std::size_t{4} * size_.width * size_.height);
        std::uint32_t state = seed * 2654435761U + 1;
        for (auto& value : pixels) {
            state = state * 1664525U + 1013904223U;
            value = static_cast<std::uint8_t>(state >> 24);
        }
        return pixels;
    }
    unsigned framebuffer() const { return framebuffer_.get(); }

  private:
    GLsizei width() const { return static_cast<GLsizei>(size_.width); }
    GLsizei height() const { return static_cast<GLsizei>(size_.height); }
    Size size_;
    GlTexture texture_;
    GlFramebuffer framebuffer_;
};

std::shared_ptr<FramePool> poolFor(const VideoFormat& format, std::uint32_t slots) {
    return FramePool::create({.slotBytes = format.payloadBytes, .slotCount = slots, .hugePages = false});
}

/// The payload as RGBA rows in the order of the framebuffer.
std::vector<std::uint8_t> asDrawn(const VideoFormat& format, RowOrder rows, const std::byte* payload) {
    std::vector<std::uint8_t> pixels;
    const bool swap = format.pixelFormat == PixelFormat::bgra;
    for (std::uint32_t row = 0; row < format.height; ++row) {
        const std::uint32_t line = rows == RowOrder::TopFirst ? row : format.height - 1 - row;
        const auto* pixel = reinterpret_cast<const std::uint8_t*>(payload) + format.planes[0].offset +
                            std::size_t{line} * format.planes[0].stride;
        for (std::uint32_t column = 0; column < format.width; ++column, pixel += 4) {
            pixels.insert(pixels.end(), {pixel[swap ? 2 : 0], pixel[1], pixel[swap ? 0 : 2], pixel[3]});
        }
    }
    return pixels;
}

class Readback : public GlTest {
  protected:
    static bool works(ReadbackPath path, RowOrder rows) {
        return path == ReadbackPath::Ring || rows == RowOrder::TopFirst ||
               epoxy_has_gl_extension("GL_MESA_pack_invert");
    }

    /// Reads one known picture and checks every pixel.
    void check(const VideoFormat& format, RowOrder rows, ReadbackPath path) {
        KnownPicture picture({format.width, format.height});
        const auto pool = poolFor(format, 1);
        FrameReadback readback(format, rows, path, picture.framebuffer(), *pool);
        EXPECT_EQ(readback.report().path, path);
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            auto lease = pool->tryAcquire();
            ASSERT_TRUE(lease);
            std::memset(lease->data(), 0xee, format.payloadBytes);
            picture.draw(seed);
            ASSERT_EQ(readback.start(picture.framebuffer(), std::move(*lease), {.number = seed}), Status::Ok);
            picture.draw(seed + 100);  // later drawing must not appear in it
            ReadbackFrame frame;
            ASSERT_EQ(readback.take(frame, 10s), Status::Ok);
            EXPECT_FALSE(frame.damaged);
            EXPECT_EQ(frame.stamp.number, seed);
            EXPECT_TRUE(asDrawn(format, rows, frame.lease.data()) == picture.expected(seed))
                << "picture " << seed;
        }
    }
};

TEST_F(Readback, EveryPixelBothWays) {
    for (const Size size : kSizes) {
        for (const ReadbackPath path : kPaths) {
            for (const RowOrder rows : {RowOrder::TopFirst, RowOrder::BottomFirst}) {
                for (const PixelFormat pixelFormat : {PixelFormat::rgba, PixelFormat::bgra}) {
                    if (!works(path, rows)) {
                        continue;
                    }
                    SCOPED_TRACE(::testing::Message()
                                 << size.width << "x" << size.height << " path " << static_cast<int>(path)
                                 << " rows " << static_cast<int>(rows) << " "
                                 << pixelFormatName(pixelFormat));
                    auto format = tightFormat(size.width, size.height, pixelFormat);
                    check(format, rows, path);
                    layOutPlanes(format, 256, 64);
                    check(format, rows, path);
                }
            }
        }
    }
}

TEST_F(Readback, DirectReadingOfTurnedRowsIsRefusedWhereTheDriverCannot) {
    if (works(ReadbackPath::Direct, RowOrder::BottomFirst)) {
        GTEST_SKIP() << "SKIPPED: this OpenGL turns rows";
    }
    const auto format = tightFormat(64, 64, PixelFormat::rgba);
    KnownPicture picture({64, 64});
    const auto pool = poolFor(format, 1);
    EXPECT_THROW(
        FrameReadback(format, RowOrder::BottomFirst, ReadbackPath::Direct, picture.framebuffer(), *pool),
        Error);
    const FrameReadback readback(format, RowOrder::BottomFirst, ReadbackPath::Measure, picture.framebuffer(),
                                 *pool);
    EXPECT_EQ(readback.report().path, ReadbackPath::Ring);
}

TEST_F(Readback, OrderAndStampsAreKeptAndNothingUntakenIsOverwritten) {
    constexpr std::uint32_t kDepth = FrameReadback::kDepth;
    const auto format = tightFormat(127, 95, PixelFormat::rgba);
    for (const ReadbackPath path : {ReadbackPath::Direct, ReadbackPath::Ring, ReadbackPath::Trial}) {
        SCOPED_TRACE(static_cast<int>(path));
        KnownPicture picture({127, 95});
        const auto pool = poolFor(format, kDepth + 1);
        FrameReadback readback(format, RowOrder::TopFirst, path, picture.framebuffer(), *pool);
        std::uint32_t drawn = 0;
        const auto start = [&] {
            auto lease = pool->tryAcquire();
            picture.draw(++drawn);
            const ReadbackStamp stamp{drawn, drawn * 10, drawn * 1000, drawn * 7ULL};
            const Status status = readback.start(picture.framebuffer(), std::move(*lease), stamp);
            EXPECT_EQ(static_cast<bool>(*lease), status == Status::Busy) << "a lease is taken or left";
            return status;
        };
        std::uint32_t taken = 0;
        const auto take = [&] {
            ReadbackFrame frame;
            ASSERT_EQ(readback.take(frame, 10s), Status::Ok);
            ++taken;
            EXPECT_EQ(frame.stamp.number, taken);
            EXPECT_EQ(frame.stamp.pts, taken * 10);
            EXPECT_EQ(frame.stamp.capturedAt, taken * 1000);
            EXPECT_EQ(frame.stamp.inputSequence, taken * 7ULL);
            EXPECT_TRUE(asDrawn(format, RowOrder::TopFirst, frame.lease.data()) == picture.expected(taken));
        };
        for (std::uint32_t i = 0; i < kDepth; ++i) {
            ASSERT_EQ(start(), Status::Ok);
        }
        ASSERT_EQ(readback.pending(), kDepth);
        ASSERT_EQ(start(), Status::Busy);
        --drawn;  // that picture was not accepted
        for (int i = 0; i < 10; ++i) {
            take();
            ASSERT_EQ(start(), Status::Ok);
        }
        for (std::uint32_t i = 0; i < kDepth; ++i) {
            take();
        }
        ReadbackFrame none;
        EXPECT_EQ(readback.take(none, 0ns), Status::Closed);
        EXPECT_EQ(pool->slots().freeCount(), pool->slotCount());
    }
}

TEST_F(Readback, MeasuringPicksOneAndGivesBothFigures) {
    const auto format = tightFormat(320, 180, PixelFormat::rgba);
    KnownPicture picture({320, 180});
    const auto pool = poolFor(format, 2);
    FrameReadback readback(format, RowOrder::TopFirst, ReadbackPath::Measure, picture.framebuffer(), *pool);
    EXPECT_NE(readback.report().path, ReadbackPath::Measure);
    for (const char* part : {"direct ", "ring of pixel buffers ", " ms (", " GB/s)"}) {
        EXPECT_NE(readback.report().reason.find(part), std::string::npos) << readback.report().reason;
    }
    EXPECT_EQ(readback.pending(), 0U);
    EXPECT_EQ(pool->slots().freeCount(), 2U);
    const auto all = pool->tryAcquire(), more = pool->tryAcquire();
    EXPECT_THROW(
        FrameReadback(format, RowOrder::TopFirst, ReadbackPath::Measure, picture.framebuffer(), *pool),
        Error);
}

TEST_F(Readback, ATrialReadsEveryPictureAndThenPicksOne) {
    const auto format = tightFormat(127, 95, PixelFormat::rgba);
    KnownPicture picture({127, 95});
    const auto pool = poolFor(format, 1);
    FrameReadback readback(format, RowOrder::TopFirst, ReadbackPath::Trial, picture.framebuffer(), *pool);
    EXPECT_EQ(readback.report().path, ReadbackPath::Trial);
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        picture.draw(seed);
        ASSERT_EQ(readback.start(picture.framebuffer(), std::move(*pool->tryAcquire()), {}), Status::Ok);
        ReadbackFrame frame;
        ASSERT_EQ(readback.take(frame, 10s), Status::Ok);
        EXPECT_TRUE(asDrawn(format, RowOrder::TopFirst, frame.lease.data()) == picture.expected(seed))
            << seed;
    }
    EXPECT_TRUE(readback.report().path == ReadbackPath::Direct ||
                readback.report().path == ReadbackPath::Ring);
    EXPECT_NE(readback.report().reason.find("ring of pixel buffers "), std::string::npos)
        << readback.report().reason;
}

TEST_F(Readback, LeavesNoStateBehind) {
    const auto format = tightFormat(100, 50, PixelFormat::bgra);
    const Canvas bound(20, 20);  // its framebuffer is bound
    GLint before = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &before);
    KnownPicture picture({100, 50});
    const auto pool = poolFor(format, 4);
    FrameReadback readback(format, RowOrder::TopFirst, ReadbackPath::Measure, picture.framebuffer(), *pool);
    ASSERT_EQ(readback.start(picture.framebuffer(), std::move(*pool->tryAcquire()), {}), Status::Ok);
    ReadbackFrame frame;
    ASSERT_EQ(readback.take(frame, 10s), Status::Ok);
    const auto value = [](GLenum name) {
        GLint result = -1;
        glGetIntegerv(name, &result);
        return result;
    };
    EXPECT_EQ(value(GL_READ_FRAMEBUFFER_BINDING), before);
    EXPECT_EQ(value(GL_DRAW_FRAMEBUFFER_BINDING), before);
    EXPECT_EQ(value(GL_PIXEL_PACK_BUFFER_BINDING), 0);
    EXPECT_EQ(value(GL_PACK_ROW_LENGTH), 0);
    EXPECT_EQ(value(GL_PACK_ALIGNMENT), 4);
}

TEST_F(Readback, AProgramsScissorsAreAsTheyWere) {
    if (epoxy_gl_version() < 41) {
        GTEST_SKIP() << "one viewport only";
    }
    for (const GLuint cut : {0U, 1U}) {
        glDisable(GL_SCISSOR_TEST);
        glEnablei(GL_SCISSOR_TEST, cut);
        {
            const GlStateGuard guard;
            EXPECT_EQ(glIsEnabled(GL_SCISSOR_TEST), GL_FALSE);
        }
        for (const GLuint viewport : {0U, 1U}) {
            EXPECT_EQ(glIsEnabledi(GL_SCISSOR_TEST, viewport), viewport == cut ? GL_TRUE : GL_FALSE);
        }
    }
    glDisable(GL_SCISSOR_TEST);
}

}  // namespace
}  // namespace verbcast::testing
