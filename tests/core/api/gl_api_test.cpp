// OpenGL renderings, sent by libverbcast-gl to a real receiver.
#include <epoxy/gl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/stream/frame_receiver.h"
#include "render/api/verbcast_gl.h"
#include "render/gl/gl_handles.h"
#include "render/gl/offscreen_context.h"
#include "tests/support/expectations.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kWidth = 321, kHeight = 241;
using Pixels = std::vector<std::uint8_t>;

/// Rows in the texture's order, RGBA.
Pixels picture(std::uint32_t seed) {
    Pixels pixels(std::size_t{4} * kWidth * kHeight);
    std::uint32_t state = seed * 2654435761U + 1;
    for (auto& value : pixels) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<std::uint8_t>(state >> 24);
    }
    return pixels;
}

class GlApi : public ::testing::Test {
  protected:
    void SetUp() override {
        try {
            context_.emplace();
        } catch (const Error& error) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "SKIPPED, no OpenGL here: " << error.what();
        }
        texture_ = GlTexture::create();
        glBindTexture(GL_TEXTURE_2D, texture_.get());
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kWidth, kHeight, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        vc_sender_options options = VC_INIT(vc_sender_options);
        options.url = url_.c_str();
        options.policy = VC_LOSSLESS;
        sender_.reset(vc_sender_open(&options));
        ASSERT_TRUE(sender_) << vc_error();
        options_.width = kWidth;
        options_.height = kHeight;
    }
    void TearDown() override {
        if (context_) {
            EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
            gl_.reset();
            texture_.reset();
        }
    }

    vc_gl* open() {
        gl_.reset(vc_gl_open(sender_.get(), &options_));
        EXPECT_TRUE(gl_) << vc_error();
        return gl_.get();
    }
    FrameReceiver& connect() {
        ReceiverOptions options;
        options.url = parseUrl(url_);
        receiver_.emplace(options);
        EXPECT_EQ(vc_sender_wait(sender_.get(), 10'000), VC_OK) << vc_error();
        return *receiver_;
    }
    void draw(std::uint32_t seed) {
        glBindTexture(GL_TEXTURE_2D, texture_.get());
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE,
                        picture(seed).data());
    }
    /// Receives the next frame, with rows in the texture's order.
    Pixels receive(ReceivedFrame& frame) {
        Pixels pixels;
        if (receiver_->receive(frame, 10s) != Status::Ok) {
            return pixels;
        }
        const VideoFormat& format = *frame.format;
        EXPECT_EQ(format.width, static_cast<std::uint32_t>(kWidth));
        const bool swapped = format.pixelFormat == PixelFormat::bgra;
        for (std::uint32_t row = 0; row < format.height; ++row) {
            const std::uint32_t line = options_.rows == VC_TOP_FIRST ? row : format.height - 1 - row;
            const auto* pixel = reinterpret_cast<const std::uint8_t*>(frame.lease.data()) +
                                format.planes[0].offset + std::size_t{line} * format.planes[0].stride;
            for (std::uint32_t column = 0; column < format.width; ++column, pixel += 4) {
                pixels.insert(pixels.end(),
                              {pixel[swapped ? 2 : 0], pixel[1], pixel[swapped ? 0 : 2], pixel[3]});
            }
        }
        return pixels;
    }
    bool refused(vc_status status, const std::string& word) {
        return status == VC_ERROR && std::string(vc_error()).find(word) != std::string::npos;
    }

    std::string url_ = "shm://gl-api-" + std::to_string(::getpid());
    std::optional<OffscreenContext> context_;
    GlTexture texture_;
    std::unique_ptr<vc_sender, decltype(&vc_sender_close)> sender_{nullptr, &vc_sender_close};
    std::optional<FrameReceiver> receiver_;
    vc_gl_options options_ = VC_INIT(vc_gl_options);
    std::unique_ptr<vc_gl, decltype(&vc_gl_close)> gl_{nullptr, &vc_gl_close};
};

TEST_F(GlApi, TexturesArriveAsTheyWereDrawn) {
    connect();
    std::int64_t sent = 0;
    for (const vc_read_path path : {VC_READ_BUFFERED, VC_READ_FASTEST}) {
        for (const vc_row_order rows : {VC_BOTTOM_FIRST, VC_TOP_FIRST}) {
            SCOPED_TRACE(::testing::Message() << "path " << path << " rows " << rows);
            options_.rows = rows;
            options_.path = path;
            vc_gl* gl = open();
            ASSERT_NE(gl, nullptr);
            for (std::uint32_t first = 1; first <= 9; first += 3) {
                for (std::uint32_t seed = first; seed < first + 3; ++seed) {
                    draw(seed);
                    ASSERT_EQ(vc_gl_send_texture(gl, texture_.get(), seed, 10'000), VC_OK) << vc_error();
                    draw(seed + 100);  // later drawing does not affect the frame
                }
                ASSERT_EQ(vc_gl_finish(gl, 10'000), VC_OK) << vc_error();
                for (std::uint32_t seed = first; seed < first + 3; ++seed) {
                    ReceivedFrame frame;
                    EXPECT_TRUE(receive(frame) == picture(seed)) << "picture " << seed;
                    EXPECT_EQ(frame.info.inputSequence, seed);
                    EXPECT_EQ(frame.info.pts, sent++);
                }
            }
            EXPECT_NE(std::string(vc_gl_description(gl)), "");
        }
    }
}

TEST_F(GlApi, ItsMessagesComeToTheCallbackOfLibverbcast) {
    using Messages = std::vector<std::string>;
    const auto readBacks = [](const Messages& messages) {
        return std::ranges::count_if(messages, [](const std::string& message) {
            return message.starts_with("pictures are read back: ");
        });
    };
    const vc_log_callback keep = [](void* kept, vc_log_level level, const char* message) {
        EXPECT_EQ(level, VC_LOG_INFO) << message;
        static_cast<Messages*>(kept)->emplace_back(message);
    };
    Messages warned, informed;
    ::testing::internal::CaptureStderr();
    vc_set_log(keep, &warned, VC_LOG_WARNING);
    ASSERT_NE(open(), nullptr);
    vc_set_log(keep, &informed, VC_LOG_INFO);
    ASSERT_NE(open(), nullptr);
    ASSERT_NE(open(), nullptr);
    vc_set_log(nullptr, nullptr, VC_LOG_DEBUG);
    ASSERT_NE(open(), nullptr);
    EXPECT_EQ(readBacks(warned), 0);
    EXPECT_EQ(readBacks(informed), 2);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(GlApi, AFramebufferIsSentAsItIs) {
    const GlFramebuffer framebuffer = GlFramebuffer::create();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
    draw(5);
    connect();
    vc_gl* gl = open();
    ASSERT_EQ(vc_gl_send_framebuffer(gl, framebuffer.get(), 0, 10'000), VC_OK) << vc_error();
    ASSERT_EQ(vc_gl_finish(gl, 10'000), VC_OK) << vc_error();
    ReceivedFrame frame;
    EXPECT_TRUE(receive(frame) == picture(5));
    EXPECT_TRUE(refused(vc_gl_send_framebuffer(gl, 4711, 0, 0), "4711")) << vc_error();
}

TEST_F(GlApi, MorePicturesThanPlacesAreSentByWaiting) {
    connect();
    options_.path = VC_READ_BUFFERED;
    vc_gl* gl = open();
    constexpr std::uint32_t kPictures = 40;
    std::jthread receiving([&] {
        for (std::uint32_t seed = 0; seed < kPictures; ++seed) {
            ReceivedFrame frame;
            ASSERT_TRUE(receive(frame) == picture(seed)) << seed;
        }
    });
    for (std::uint32_t seed = 0; seed < kPictures; ++seed) {
        draw(seed);
        ASSERT_EQ(vc_gl_send_texture(gl, texture_.get(), 0, 10'000), VC_OK) << vc_error();
    }
    ASSERT_EQ(vc_gl_finish(gl, 10'000), VC_OK) << vc_error();
}

TEST_F(GlApi, LeavesTheProgramsStateAsItWas) {
    const GlBuffer buffer = GlBuffer::create();
    const GlFramebuffer reading = GlFramebuffer::create(), drawing = GlFramebuffer::create();
    const GlTexture bound = GlTexture::create();
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer.get());
    glBindFramebuffer(GL_READ_FRAMEBUFFER, reading.get());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, drawing.get());
    glPixelStorei(GL_PACK_ROW_LENGTH, 7);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(1, 2, 3, 4);
    glClearColor(0.125f, 0.25f, 0.5f, 1);
    draw(1);
    glBindTexture(GL_TEXTURE_2D, bound.get());
    const auto state = [] {
        std::vector<double> values;
        for (const GLenum name : {GL_PIXEL_PACK_BUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING,
                                  GL_DRAW_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING, GL_PACK_ROW_LENGTH,
                                  GL_PACK_ALIGNMENT, GL_SCISSOR_TEST, GL_TEXTURE_BINDING_2D}) {
            GLint value = -1;
            glGetIntegerv(name, &value);
            values.push_back(value);
        }
        GLfloat colour[4] = {};
        glGetFloatv(GL_COLOR_CLEAR_VALUE, colour);
        values.insert(values.end(), colour, colour + 4);
        return values;
    };
    const auto before = state();
    connect();
    for (const vc_read_path path : {VC_READ_BUFFERED, VC_READ_FASTEST}) {
        options_.path = path;
        vc_gl* gl = open();
        EXPECT_EQ(state(), before);
        ASSERT_EQ(vc_gl_send_texture(gl, texture_.get(), 0, 10'000), VC_OK) << vc_error();
        EXPECT_EQ(state(), before);
        ASSERT_EQ(vc_gl_finish(gl, 10'000), VC_OK) << vc_error();
        ReceivedFrame frame;
        EXPECT_TRUE(receive(frame) == picture(1));
        gl_.reset();
        EXPECT_EQ(state(), before);
    }
}

TEST_F(GlApi, WithoutAReceiverNothingIsReadAndNoPlaceIsTaken) {
    for (const vc_read_path path : {VC_READ_BUFFERED, VC_READ_FASTEST}) {
        options_.path = path;
        vc_gl* gl = open();
        for (int i = 0; i < 50; ++i) {
            EXPECT_EQ(vc_gl_send_texture(gl, texture_.get(), 0, 0), VC_BUSY);
        }
        EXPECT_EQ(vc_gl_finish(gl, 0), VC_OK);
    }
    vc_slot slot = VC_INIT(vc_slot);
    ASSERT_EQ(vc_sender_acquire(sender_.get(), VC_PICTURE_TRACK, &slot, 0), VC_OK) << vc_error();
    vc_slot_discard(&slot);
}

TEST_F(GlApi, MistakesAreToldInWords) {
    EXPECT_EQ(vc_gl_open(nullptr, &options_), nullptr);
    EXPECT_EQ(vc_gl_open(sender_.get(), nullptr), nullptr);
    vc_gl_options wrong = options_;
    wrong.width = 0;
    EXPECT_EQ(vc_gl_open(sender_.get(), &wrong), nullptr);
    EXPECT_NE(std::string(vc_error()), "");
    wrong.width = 60'000;  // beyond what any OpenGL can draw
    EXPECT_EQ(vc_gl_open(sender_.get(), &wrong), nullptr);
    EXPECT_TRUE(contains(vc_error(), "60000"));
    wrong = options_;
    wrong.fps_numerator = 30;  // over a denominator of 0
    EXPECT_EQ(vc_gl_open(sender_.get(), &wrong), nullptr);
    EXPECT_TRUE(contains(vc_error(), "rate"));

    wrong = options_;
    wrong.size = 0;
    EXPECT_EQ(vc_gl_open(sender_.get(), &wrong), nullptr);
    EXPECT_TRUE(contains(vc_error(), "VC_INIT(vc_gl_options)"));

    connect();
    vc_gl* gl = open();
    EXPECT_TRUE(refused(vc_gl_send_texture(gl, 0, 0, 0), "texture 0")) << vc_error();
    EXPECT_TRUE(refused(vc_gl_send_texture(gl, 4711, 0, 0), "4711")) << vc_error();
    const GlTexture small = GlTexture::create();
    glBindTexture(GL_TEXTURE_2D, small.get());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_TRUE(refused(vc_gl_send_texture(gl, small.get(), 0, 0), "16x16")) << vc_error();
    EXPECT_TRUE(refused(vc_gl_send_texture(nullptr, 1, 0, 0), "NULL")) << vc_error();
    std::jthread([&] {  // no context is current there
        EXPECT_TRUE(refused(vc_gl_send_texture(gl, texture_.get(), 0, 0), "not current")) << vc_error();
        EXPECT_EQ(vc_gl_open(sender_.get(), &options_), nullptr);
        EXPECT_TRUE(contains(vc_error(), "no OpenGL context"));
    })
        .join();
    ASSERT_EQ(vc_gl_send_texture(gl, texture_.get(), 0, 10'000), VC_OK) << "it goes on: " << vc_error();
}

}  // namespace
}  // namespace verbcast::testing
