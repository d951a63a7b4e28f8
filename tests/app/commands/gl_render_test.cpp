// verbcast render, and the viewers that steer it.
#include <algorithm>
#include <filesystem>

#include "core/stream/frame_receiver.h"
#include "core/video/video_format.h"
#include "tests/app/programs/gl_program.h"
#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

/// `verbcast render` with a small picture, to `verbcast view --headless`.
class GlRender : public GlProgram {
  protected:
    /// Runs both until both have exited with 0; returns the viewer's statistics.
    nlohmann::json stream(const std::string& transport, const Arguments& more) {
        Arguments arguments{
            "render",       "--size",       "320x180", "--frame-md5", file("sent"),
            "--stats-json", file("sender"), "--once",  "--listen",    listenAddressFor(transport)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (std::find(more.begin(), more.end(), "--frames") == more.end()) {
            arguments.insert(arguments.end(), {"--frames", "30"});
        }
        Verbcast sender(arguments, home_);
        Verbcast viewer({"view", "--headless", "--once", "--frame-md5", file("received"), "--stats-json",
                         file("viewer"), sender.listenAddress()},
                        home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_EQ(sender.output() + viewer.output(), "");
        errors_ = sender.errors();
        return readJson(file("viewer"));
    }
};

TEST_F(GlRender, ArrivesWholeAndMoves) {
    for (const char* transport : {"shm", "tcp"}) {
        for (const char* scene : {"waves", "swarm"}) {
            SCOPED_TRACE(std::string(transport) + " " + scene);
            const auto viewer = stream(transport, {"--scene", scene, "--fps", "max", "--policy", "lossless"});
            const auto sent = frameSums(file("sent"));
            EXPECT_EQ(frameSums(file("received")), sent);
            ASSERT_EQ(sent.size(), 30U);
            for (std::size_t i = 1; i < sent.size(); ++i) {
                EXPECT_NE(sent[i].md5, sent[i - 1].md5) << "frame " << i;
                EXPECT_GT(sent[i].pts, sent[i - 1].pts) << "frame " << i;
            }
            EXPECT_EQ(viewer["width"], 320);
            EXPECT_EQ(viewer["height"], 180);
            EXPECT_TRUE(viewer["pixel_format"] == "rgba" || viewer["pixel_format"] == "bgra");
            EXPECT_EQ(viewer["frames_received"], 30);
            EXPECT_EQ(viewer["frames_dropped"], 0);
            EXPECT_TRUE(holds(errors_, renderer_));
            EXPECT_TRUE(holds(errors_, "frames are read back"));
        }
    }
}

TEST_F(GlRender, KeepsARateAndEndsAfterItsTime) {
    const auto viewer =
        stream("shm", {"--fps", "20", "--seconds", "0.5", "--policy", "lossless", "--allow-input", "-v"});
    EXPECT_EQ(viewer["frames_received"], 10);
    const auto sums = frameSums(file("received"));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(sums[i].pts, static_cast<std::int64_t>(i));
    }
    EXPECT_TRUE(holds(errors_, "scene waves"));
}

TEST_F(GlRender, EndsAfterItsTimeAlsoWhenItIsTooSlowForItsRate) {
    stream("shm", {"--fps", "100000", "--seconds", "0.2", "--frames", "20000"});
    const auto sender = readJson(file("sender"));
    EXPECT_EQ(sender["exit_reason"], "duration");
    EXPECT_LT(sender["frames_sent"], 20000) << "the frames of 0.2 s at that rate";
}

TEST_F(GlRender, WithoutAGraphicsCardHasNoBuffersToExportAndSaysSo) {
    if (std::filesystem::exists("/dev/dri")) {
        GTEST_SKIP() << "this machine has a graphics card: what it does with it is tested in tests/dmabuf";
    }
    Verbcast program({"render", "--memory", "dmabuf", "--listen", "shm://nobody"}, home_);
    EXPECT_TRUE(endsWith(program, 7));
    EXPECT_TRUE(
        holds(program.errors(),
              "verbcast: no graphics card has buffers to export: /dev/dri lists none\n  try: leave out "
              "--memory dmabuf: pictures are then read back\n"));
}

TEST_F(GlRender, RefusesWhatContradictsBuffersOfACard) {
    const auto expectError = [&](const Arguments& arguments, const std::string& text) {
        Verbcast program(Arguments{"render", "--memory", "dmabuf", "--listen", "shm://nobody"} + arguments,
                         home_);
        EXPECT_TRUE(endsWith(program, 2));
        EXPECT_TRUE(holds(program.errors(), text));
    };
    expectError({"--part", "1/2"}, "--part with --memory dmabuf: depths are read back");
    expectError({"--changes", "compare"},
                "--changes compare with --memory dmabuf: the processor compares pictures");
    Verbcast program({"run", "--memory", "dmabuf", "--", "true"}, home_);
    EXPECT_TRUE(endsWith(program, 2)) << "what a program shows is not exported";
}

/// The picture without its lower quarter, where the frame number changes.
std::vector<std::byte> withoutNumber(const ReceivedFrame& frame) {
    const VideoFormat& format = *frame.format;
    const std::byte* payload = frame.lease.data() + format.planes[0].offset;
    return {payload, payload + std::size_t{format.planes[0].stride} * (format.height * 3 / 4)};
}

/// A viewer that steers a scene.
class Steering {
  public:
    explicit Steering(const std::string& address) : receiver_(options(address)) {}

    FrameReceiver& receiver() { return receiver_; }
    ReceivedFrame next() {
        ReceivedFrame frame;
        EXPECT_EQ(receiver_.receive(frame, kPatience), Status::Ok);
        return frame;
    }
    /// Sends the event and waits for the first frame that shows it.
    std::vector<std::byte> after(const InputEvent& event) {
        const std::uint64_t number = receiver_.sendInput(event);
        EXPECT_GT(number, 0U);
        ReceivedFrame frame = next();
        while (frame.lease && frame.info.inputSequence < number) {
            frame = next();
        }
        return frame.lease ? withoutNumber(frame) : std::vector<std::byte>();
    }

  private:
    static ReceiverOptions options(const std::string& address) {
        ReceiverOptions options;
        options.url = parseUrl(address);
        options.peerTimeout = kPatience;
        options.reconnect = false;
        return options;
    }

    FrameReceiver receiver_;
};

TEST_F(GlRender, ViewersSteerIt) {
    constexpr std::uint32_t kSpace = 0x20;
    Verbcast sender({"render", "--size", "320x180", "--fps", "30", "--allow-input", "--once", "--listen",
                     listenAddressFor("shm")},
                    home_);
    {
        Steering viewer(sender.listenAddress());
        EXPECT_EQ(viewer.next().info.inputSequence, 0U);
        EXPECT_TRUE(viewer.receiver().inputAllowed());
        const auto paused = viewer.after({.kind = InputKind::Key, .pressed = true, .code = kSpace});
        EXPECT_TRUE(withoutNumber(viewer.next()) == paused) << "Space holds the scene";
        EXPECT_TRUE(
            viewer.after({.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 50, .y = 50}) ==
            paused);
        const auto turned = viewer.after({.kind = InputKind::PointerMove, .x = 90, .y = 60});
        EXPECT_FALSE(turned == paused) << "dragging turns the camera";
        EXPECT_TRUE(withoutNumber(viewer.next()) == turned);
        EXPECT_FALSE(viewer.after({.kind = InputKind::Wheel, .x = 90, .y = 60, .dy = 1}) == turned);
    }
    EXPECT_TRUE(endsWith(sender, 0));
}

TEST_F(GlRender, ViewersSteerNothingUnlessAllowed) {
    Verbcast sender({"render", "--size", "320x180", "--once", "--listen", listenAddressFor("shm")}, home_);
    {
        Steering viewer(sender.listenAddress());
        viewer.next();
        EXPECT_FALSE(viewer.receiver().inputAllowed());
        EXPECT_EQ(viewer.receiver().sendInput({.kind = InputKind::PointerMove, .x = 1, .y = 1}), 0U);
        EXPECT_EQ(viewer.next().info.inputSequence, 0U);
    }
    EXPECT_TRUE(endsWith(sender, 0));
}

TEST_F(GlRender, TwoEyesSeeTheSameMomentFromTwoPlaces) {
    const auto eye = [&](const char* which) {
        return std::make_unique<Verbcast>(
            Arguments{"render", "--eye", which, "--size", "160x90", "--fps", "20", "--policy", "lossless",
                      "--once", "--listen", listenAddressFor("shm")},
            home_);
    };
    const auto left = eye("left"), right = eye("right");
    Verbcast viewer({"view", "--headless", "--once", "--frames", "60", "--frame-md5", file("eye-%n"),
                     left->listenAddress(), right->listenAddress()},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0)) << viewer.errors();
    std::size_t pairs = 0;
    for (const FrameSum& one : frameSums(file("eye-1"))) {
        for (const FrameSum& other : frameSums(file("eye-2"))) {
            if (other.pts == one.pts) {
                EXPECT_NE(other.md5, one.md5);
                ++pairs;
            }
        }
    }
    EXPECT_GE(pairs, 1U);
}

TEST_F(GlRender, SaysWhatOpenGlIsMissing) {
    const Arguments command{verbcastPath(), "render", "--listen", listenAddressFor("shm")};
    const auto without = [&](const std::string& setting) {
        Arguments arguments{"env", setting};
        arguments.insert(arguments.end(), command.begin(), command.end());
        ChildProcess program(arguments, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, kDisplay));
        EXPECT_TRUE(holds(program.errors(), "no off-screen OpenGL"));
        EXPECT_TRUE(holds(program.errors(), "try: "));
    };
    without("__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null");
    if (renderer_.find("llvmpipe") != std::string::npos) {
        without("MESA_GL_VERSION_OVERRIDE=3.1");
    }
}

}  // namespace
}  // namespace verbcast::testing
