// verbcast compose: parts of a scene drawn by several processes merge into the picture that one draws alone.
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Program = std::unique_ptr<Verbcast>;

class ComposeTest : public DrawingTest<ProgramTest>, public ::testing::WithParamInterface<std::string> {
  protected:
    Program start(const Arguments& arguments) const { return std::make_unique<Verbcast>(arguments, home_); }
    Program render(const std::string& part, const std::string& size = "160x90",
                   const Arguments& more = {}) const {
        return renderAt(listenAddressFor(GetParam()), part, size, more);
    }
    Program renderAt(const std::string& address, const std::string& part, const std::string& size,
                     const Arguments& more = {}) const {
        return start(Arguments{"render", "--part", part, "--size", size, "--fps", "10", "--listen", address} +
                     more);
    }
    /// Its output is a line for each frame, of which the first has come.
    Program watch(Verbcast& sender) const {
        Program viewer = start({"view", "--headless", "--frame-md5", "-", sender.listenAddress()});
        EXPECT_EQ(viewer->line(), "#sequence,pts,bytes,md5");
        EXPECT_NE(viewer->line(), "");
        return viewer;
    }
    static std::map<std::int64_t, std::string> sumsByPts(const std::string& path) {
        std::map<std::int64_t, std::string> sums;
        for (const FrameSum& sum : frameSums(path, Gaps::Allowed)) {
            sums[sum.pts] = sum.md5;
        }
        return sums;
    }
};

TEST_P(ComposeTest, PartsOfSeveralProcessesAreThePictureOfOne) {
    const Program whole = render("1/1", "160x90", {"--frame-md5", file("whole")});
    const Program one = render("1/3"), two = render("2/3"), three = render("3/3");
    const Program pair = start({"compose", two->listenAddress(), three->listenAddress(), "--keep-depth",
                                "--listen", listenAddressFor(GetParam())});
    const Program alone = start({"view", "--headless", whole->listenAddress(), "-q"});
    ASSERT_TRUE(whole->waitForError("sending ")) << whole->errors();
    // A tree: a merged pair is merged again.
    const Program all =
        start({"compose", one->listenAddress(), pair->listenAddress(), "--listen",
               listenAddressFor(GetParam()), "--frames", "12", "--frame-md5", file("merged")});
    const Program viewer = start({"view", "--headless", "--once", all->listenAddress(), "-q"});
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*all, 0)) << all->errors();
    whole->signal(SIGINT);
    EXPECT_TRUE(endsWith(*whole, 130));
    const auto expected = sumsByPts(file("whole")), merged = sumsByPts(file("merged"));
    EXPECT_EQ(merged.size(), 12U);
    std::size_t compared = 0;
    for (const auto& [pts, md5] : merged) {
        if (const auto same = expected.find(pts); same != expected.end()) {
            EXPECT_EQ(same->second, md5) << "frame " << pts;
            ++compared;
        }
    }
    EXPECT_GE(compared, 1U) << "no frame was drawn by both";
}

TEST_P(ComposeTest, PartsWhoseTimesNeverMeetAreNamedUntilTheyMeetAndAnInterruptIsHeard) {
    VideoFormat format = tightFormat(64, 36, PixelFormat::rgba);
    addDepth(format);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 16});
    std::array<std::unique_ptr<Broadcast>, 2> parts;
    for (auto& part : parts) {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.policy = Policy::Latest;
        options.peerTimeout = kPatience;
        part = std::make_unique<Broadcast>(options);
    }
    constexpr std::int64_t kAhead = 1'000'000;  // one clock of the other, until that is set
    std::atomic<bool> together{false};
    std::jthread sending([&](const std::stop_token& stop) {
        const Event never;
        for (std::int64_t turn = 0; !stop.stop_requested(); ++turn) {
            const std::int64_t pts = turn / 2 + (together || turn % 2 == 0 ? 0 : kAhead);
            if (auto lease = pool->acquire(std::chrono::milliseconds(10), &never)) {
                FrameInfo info;
                info.pts = pts;
                info.capturedAt = nowNs();
                static_cast<void>(parts[static_cast<std::size_t>(turn % 2)]->submit(std::move(*lease), format,
                                                                                    info, never));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    const Program composing =
        start({"compose", parts[0]->listenAddresses().front(), parts[1]->listenAddresses().front(),
               "--listen", listenAddressFor(GetParam())});
    const Program viewer = start({"view", "--headless", composing->listenAddress(), "--frames", "1", "-q"});
    EXPECT_TRUE(composing->waitForError("has the time stamp of one of every other part"))
        << composing->errors();
    together = true;
    EXPECT_TRUE(viewer->waitForEnd()) << "no picture came";
    composing->signal(SIGINT);
    EXPECT_TRUE(endsWith(*composing, 130));
}

TEST_P(ComposeTest, PartsThatDoNotFitAreNamed) {
    const Program flat = start({"send", "pattern", "--size", "160x90", "--format", "rgba", "--fps", "10",
                                "--listen", listenAddressFor(GetParam())});
    const Program part = render("1/2");
    const Program noDepth = start(
        {"compose", part->listenAddress(), flat->listenAddress(), "--listen", listenAddressFor(GetParam())});
    EXPECT_TRUE(endsWith(*noDepth, kInput));
    EXPECT_NE(noDepth->errors().find("brings no depths"), std::string::npos) << noDepth->errors();
    EXPECT_NE(noDepth->errors().find(flat->listenAddress()), std::string::npos) << noDepth->errors();

    const Program large = render("2/2", "320x180");
    const Program sizes = start(
        {"compose", part->listenAddress(), large->listenAddress(), "--listen", listenAddressFor(GetParam())});
    EXPECT_TRUE(endsWith(*sizes, kInput));
    EXPECT_NE(sizes->errors().find("320x180"), std::string::npos) << sizes->errors();
}

TEST_P(ComposeTest, APartThatComesBackCompletesThePictureAgain) {
    const Program one = render("1/2");
    Program two = render("2/2");
    const std::string address = two->listenAddress();
    const Program all =
        start({"compose", one->listenAddress(), address, "--listen", listenAddressFor(GetParam())});
    const Program viewer = watch(*all);
    two->kill();
    EXPECT_TRUE(all->waitForError("signal lost")) << all->errors();
    two = renderAt(address, "2/2", "160x90");
    EXPECT_TRUE(all->waitForError("signal restored")) << all->errors();
    EXPECT_NE(viewer->line(), "");
}

/// One part's size ends nothing for those who watch.
TEST_P(ComposeTest, APartThatComesBackWithAnotherSizeIsWaitedFor) {
    const Program one = render("1/2");
    Program two = render("2/2");
    const std::string address = two->listenAddress();
    const Program all =
        start({"compose", one->listenAddress(), address, "--listen", listenAddressFor(GetParam())});
    const Program viewer = watch(*all);
    two->kill();
    two = renderAt(address, "2/2", "320x180");
    EXPECT_TRUE(all->waitForError("have the same size")) << all->errors();
    two->kill();
    two = renderAt(address, "2/2", "160x90");
    EXPECT_TRUE(all->waitForError("the parts fit again")) << all->errors();
    EXPECT_NE(viewer->line(), "");
    EXPECT_EQ(viewer->errors().find("receiving 320x180"), std::string::npos);
}

/// Input sent to the viewer of the merged picture reaches all parts, and none lags behind.
TEST_P(ComposeTest, InputMovesAllPartsTogether) {
    using namespace std::chrono_literals;
    const Program one = render("1/2", "160x90", {"--allow-input"});
    const Program two = render("2/2", "160x90", {"--allow-input"});
    const Program whole = render("1/1", "160x90", {"--allow-input"});
    const Program all = start({"compose", one->listenAddress(), two->listenAddress(), "--allow-input",
                               "--listen", listenAddressFor(GetParam())});
    const auto viewing = [](const std::string& address) {
        ReceiverOptions options;
        options.url = parseUrl(address);
        options.peerTimeout = kPatience;
        return options;
    };
    FrameReceiver merged(viewing(all->listenAddress())), drawn(viewing(whole->listenAddress()));
    const auto next = [](FrameReceiver& from) {
        ReceivedFrame frame;
        EXPECT_EQ(from.receive(frame, 20s), Status::Ok);
        return frame;
    };
    next(merged);
    next(drawn);
    ASSERT_TRUE(merged.inputAllowed());
    std::uint64_t last = 0;
    const std::vector<InputEvent> events{
        {.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 20, .y = 40},
        {.kind = InputKind::PointerMove, .x = 90, .y = 55},
        {.kind = InputKind::PointerButton, .pressed = false, .code = 1, .x = 91, .y = 56},
        {.kind = InputKind::Key, .pressed = true, .code = 0xff51},
        {.kind = InputKind::Wheel, .x = 5, .y = 5, .dy = 3}};
    for (const InputEvent& event : events) {
        last = merged.sendInput(event);
        ASSERT_EQ(last, drawn.sendInput(event));
    }
    std::map<std::int64_t, std::vector<std::byte>> pictures;  // from both, by time stamp, after the input
    std::size_t compared = 0;
    for (const auto deadline = std::chrono::steady_clock::now() + 30s;
         compared < 3 && std::chrono::steady_clock::now() < deadline;) {
        for (FrameReceiver* from : {&merged, &drawn}) {
            const ReceivedFrame frame = next(*from);
            if (!frame.lease || frame.info.inputSequence < last) {
                continue;  // the merged picture reports only input that all of its parts show
            }
            const std::size_t bytes = std::size_t{160} * 90 * 4;
            std::vector<std::byte> colours(frame.lease.data(), frame.lease.data() + bytes);
            const auto [place, first] = pictures.try_emplace(frame.info.pts, colours);
            if (!first) {
                ++compared;
                EXPECT_EQ(place->second, colours) << "frame " << frame.info.pts;
            }
        }
    }
    EXPECT_EQ(compared, 3U) << "no frames with equal time stamps";
}

TEST_P(ComposeTest, PartsWithoutInputAreNamed) {
    const Program one = render("1/2"), two = render("2/2");
    const std::string address = two->listenAddress();
    const Program refused = start({"compose", one->listenAddress(), address, "--allow-input", "--listen",
                                   listenAddressFor(GetParam())});
    EXPECT_TRUE(endsWith(*refused, kUsage));
    EXPECT_NE(refused->errors().find("no part takes input"), std::string::npos) << refused->errors();
}

INSTANTIATE_TEST_SUITE_P(Over, ComposeTest, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

/// Needs no OpenGL: the parts are read from files.
class ComposeByOrder : public ProgramTest, public ::testing::WithParamInterface<std::string> {
  protected:
    static constexpr std::size_t kWidth = 64, kHeight = 48, kFrames = 6, kBytes = kWidth * kHeight * 4;

    /// Premultiplied colours; after the first frame only a corner changes.
    std::vector<std::uint8_t> makePart(const std::string& name, std::uint32_t seed) const {
        std::mt19937 random(seed);
        std::vector<std::uint8_t> frame(kBytes), all;
        for (std::size_t number = 0; number < kFrames; ++number) {
            for (std::size_t at = 0; at < (number == 0 ? kBytes : kWidth * 4 * 5); at += 4) {
                const std::uint32_t alpha = random() % 3 == 0 ? random() % 2 * 255 : random() % 256;
                frame[at + 3] = static_cast<std::uint8_t>(alpha);
                for (std::size_t i = 0; i < 3; ++i) {
                    frame[at + i] = static_cast<std::uint8_t>(random() % (alpha + 1));
                }
            }
            all.insert(all.end(), frame.begin(), frame.end());
        }
        std::ofstream(file(name), std::ios::binary)
            .write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size()));
        return all;
    }
    std::unique_ptr<Verbcast> sendPart(const std::string& name, const std::string& format = "rgba",
                                       const std::string& size = "64x48") const {
        const UniqueFd input = opened(name);
        return std::make_unique<Verbcast>(
            Arguments{"send", "-", "--size", size, "--format", format, "--fps", "30", "--changes", "compare",
                      "--once", "--listen", listenAddressFor(GetParam())},
            home_, input.get());
    }
};

TEST_P(ComposeByOrder, LaysTheFirstOverTheSecond) {
    const auto front = makePart("front", 1), back = makePart("back", 2);
    const auto inFront = sendPart("front"), behind = sendPart("back");
    Verbcast all({"compose", "--by", "order", inFront->listenAddress(), behind->listenAddress(), "--policy",
                  "lossless", "--changes", "source", "--once", "--listen", listenAddressFor(GetParam())},
                 home_);
    ReceiverOptions options;
    options.url = parseUrl(all.listenAddress());
    options.peerTimeout = kPatience;
    options.endWithStream = true;
    FrameReceiver viewer(options);
    std::size_t frames = 0, parts = 0;
    ReceivedFrame frame;
    Status status = Status::Ok;
    while ((status = viewer.receive(frame, std::chrono::seconds(20))) == Status::Ok) {
        const auto* pixels = reinterpret_cast<const std::uint8_t*>(frame.lease.data());
        const std::size_t begin = static_cast<std::size_t>(frame.info.pts) * kBytes;
        ASSERT_LT(begin, front.size());
        for (std::size_t at = 0; at < kBytes; ++at) {
            const double clear = 1 - front[begin + at / 4 * 4 + 3] / 255.0;
            const auto expected = std::lround(front[begin + at] + clear * back[begin + at]);
            ASSERT_EQ(pixels[at], expected) << "byte " << at << " of frame " << frame.info.pts;
        }
        ++frames;
        parts += frame.info.rectCount > 0 ? 1 : 0;
        frame = {};
    }
    EXPECT_EQ(status, Status::Closed);
    EXPECT_EQ(frames, kFrames);
    EXPECT_EQ(parts, kFrames - 1) << "each but the first tells what its parts tell";
    EXPECT_TRUE(endsWith(all, 0));
}

TEST_P(ComposeByOrder, PartsThatDoNotFitAreNamed) {
    makePart("content", 3);
    const auto good = sendPart("content");
    const auto errorsOf = [&](const std::unique_ptr<Verbcast>& other) {
        const std::string address = other->listenAddress();
        Verbcast all({"compose", "--by", "order", good->listenAddress(), address, "--listen",
                      listenAddressFor(GetParam())},
                     home_);
        EXPECT_TRUE(endsWith(all, kInput));
        EXPECT_TRUE(holds(all.errors(), address));
        return all.errors();
    };
    const auto grey = sendPart("content", "gray");
    EXPECT_TRUE(holds(errorsOf(grey), "gray, which has no alpha"));
}

TEST_P(ComposeByOrder, PartsOfTwoSizesAreNamed) {
    makePart("content", 3);
    const auto good = sendPart("content"), small = sendPart("content", "rgba", "32x32");
    Verbcast all({"compose", "--by", "order", good->listenAddress(), small->listenAddress(), "--listen",
                  listenAddressFor(GetParam())},
                 home_);
    EXPECT_TRUE(endsWith(all, kInput));
    EXPECT_TRUE(holds(all.errors(), "32x32"));
    EXPECT_TRUE(holds(all.errors(), "64x48"));
}

INSTANTIATE_TEST_SUITE_P(Over, ComposeByOrder, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

class ComposeCommandLine : public ProgramTest {};

TEST_F(ComposeCommandLine, SaysWhatPartsAre) {
    const auto errorsOf = [this](const Arguments& arguments) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, kUsage));
        return program.errors();
    };
    for (const std::string part : {"0/3", "4/3", "1", "1/65", "a/b", "1/3x", "/3"}) {
        EXPECT_NE(errorsOf({"render", "--part", part}).find("--part " + part), std::string::npos) << part;
    }
    EXPECT_NE(errorsOf({"render", "--eye", "left", "--fps", "max"}).find("a rate in common"),
              std::string::npos);
    EXPECT_NE(errorsOf({"render", "--eye", "middle"}).find("--eye middle: left or right"), std::string::npos);
    EXPECT_NE(errorsOf({"render", "--part", "1/2", "--fps", "max"}).find("a rate in common"),
              std::string::npos);
    const Arguments two{"compose", "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"};
    EXPECT_NE(errorsOf(two + Arguments{"--by", "size"}).find("--by size: depth or order"), std::string::npos);
    EXPECT_NE(errorsOf(two + Arguments{"--by", "order", "--keep-depth"}).find("no depth"), std::string::npos);
    EXPECT_NE(errorsOf({"compose", "tcp://127.0.0.1:1"}).find("2 to 64 parts"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
