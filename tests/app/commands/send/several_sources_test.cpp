// verbcast send with several sources in one process: each is a stream of its own.
#include <algorithm>
#include <csignal>
#include <map>

#include "tests/app/commands/view/many_streams.h"

namespace verbcast::testing {
namespace {

/// Pictures of two files of raw frames, and of patterns.
class SeveralSources : public ManyStreams, public ::testing::WithParamInterface<std::string> {
  protected:
    static constexpr int kFrames = 15;
    static Arguments three(const Arguments& more) {
        return Arguments{"send",     "pattern:bars", "pattern:counter", "pattern:gradient",
                         "--size",   "96x64",        "--format",        "rgba",
                         "--fps",    "60",           "--frames",        "15",
                         "--policy", "lossless",     "--once",          "--name",
                         "left",     "--name",       "middle",          "--name",
                         "right"} +
               more;
    }
    /// Everything that the sender sent under each number has arrived in exactly one stream of the viewer.
    void expectAllArrived() const {
        std::map<std::vector<std::string>, int> arrived;
        for (int number = 1; number <= 3; ++number) {
            ++arrived[md5Lines(received(number))];
        }
        for (int number = 1; number <= 3; ++number) {
            const auto sent = md5Lines(file("sent-" + std::to_string(number)));
            EXPECT_EQ(sent.size(), std::size_t{kFrames});
            EXPECT_EQ(arrived[sent], 1) << "stream " << number;
        }
        EXPECT_EQ(arrived.size(), 3U) << "no two are alike";
    }
    void expectStats() const {
        const Json stats = readJson(file("sender"));
        const std::vector<std::string> names{"left", "middle", "right"};
        ASSERT_EQ(stats.at("streams").size(), 3U);
        EXPECT_EQ(stats.at("exit_reason"), "frames");
        for (std::size_t i = 0; i < 3; ++i) {
            const Json& stream = stats.at("streams").at(i);
            EXPECT_EQ(stream.at("number"), i + 1);
            EXPECT_EQ(stream.at("name"), names[i]);
            EXPECT_EQ(stream.at("frames"), kFrames);
            EXPECT_EQ(stream.at("connections"), 1);
            EXPECT_EQ(stream.at("exit_reason"), "frames");
        }
    }
};

TEST_P(SeveralSources, ListenAtOneAddressAfterTheOther) {
    // Free consecutive ports can only be found by trying.
    for (int attempt = 0;; ++attempt) {
        const ReservedAddress place(GetParam());
        const Program sender = start(
            three({"--listen", place.url(), "--frame-md5", file("sent-%n"), "--stats-json", file("sender")}));
        const Url first = parseUrl(place.url());
        std::vector<std::string> addresses;
        for (int i = 0; i < 3; ++i) {
            Url url = first;
            url.port = static_cast<std::uint16_t>(url.isName() ? url.port : url.port + i);
            url.name += url.isName() && i > 0 ? "-" + std::to_string(i + 1) : "";
            addresses.push_back(url.text());
        }
        bool listens = true;
        for (std::size_t i = 0; i < 3; ++i) {
            listens = listens && sender->waitForError("stream " + std::to_string(i + 1) +
                                                      ": waiting for a viewer on " + addresses[i]);
        }
        if (!listens && attempt < 20) {
            continue;  // a port was in use: reported, and nothing was sent
        }
        ASSERT_TRUE(listens) << sender->errors();
        const Program viewer = view(addresses);
        EXPECT_TRUE(endsWith(*viewer, 0));
        EXPECT_TRUE(endsWith(*sender, 0));
        expectAllArrived();
        expectStats();
        for (int number = 1; number <= 3; ++number) {
            EXPECT_EQ(md5Lines(received(number)), md5Lines(file("sent-" + std::to_string(number))));
        }
        return;
    }
}

TEST_P(SeveralSources, GoToOneViewerThatTakesAsMany) {
    const Program viewer = view({"--listen", listenAddressFor(GetParam()), "--streams", "3"});
    const Program sender = start(three(
        {"--to", viewer->listenAddress(), "--frame-md5", file("sent-%n"), "--stats-json", file("sender")}));
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*sender, 0));
    expectAllArrived();
    expectStats();
    std::vector<std::string> names;
    for (const Json& stream : streams()) {
        names.push_back(stream.at("name"));
    }
    std::ranges::sort(names);
    EXPECT_EQ(names, (std::vector<std::string>{"left", "middle", "right"}));
}

/// FFmpeg says what is in the files; of the pair, each right picture has its left one's time stamp.
TEST_P(SeveralSources, AStereoPairIsOneStreamWithTwoTracks) {
    std::vector<std::vector<FrameSum>> sums;
    for (const auto& [name, start] : {std::pair{"left.nut", "0"}, std::pair{"right.nut", "2"}}) {
        ffmpeg({"-ss", start, "-f", "lavfi", "-i", movingPicture(96, 64, "yuv420p"), "-frames:v", "12",
                "-c:v", "rawvideo", file(name)});
        sums.push_back(ffmpegFrameSums({"-i", file(name)}));
    }
    ASSERT_NE(sums[0].front().md5, sums[1].front().md5);
    const Program sender =
        start({"send", "--stereo", file("left.nut"), file("right.nut"), "--once", "--listen",
               listenAddressFor(GetParam()), "--name", "pair", "--stats-json", file("sender")});
    const Program viewer = view({"--stereo", sender->listenAddress()});
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*sender, 0));
    for (int eye : {1, 2}) {
        const std::vector<FrameSum> got = frameSums(received(eye));
        ASSERT_EQ(got.size(), 12U) << eye;
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].md5, sums[static_cast<std::size_t>(eye) - 1][i].md5) << eye << ": " << i;
            EXPECT_EQ(got[i].pts, frameSums(received(1))[i].pts) << eye << ": " << i;
        }
    }
    EXPECT_EQ(readJson(file("sender")).at("connections"), 1) << "one session";
    EXPECT_EQ(streams().at(1).at("frames_received"), 12);
}

INSTANTIATE_TEST_SUITE_P(Over, SeveralSources, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

class SeveralSourcesLife : public ManyStreams {};

TEST_F(SeveralSourcesLife, FilesOfDifferentLengthsEndEachByItself) {
    makeContent(std::size_t{64} * 48 * 5);
    const UniqueFd input = opened("content");
    const Program viewer = view({"--listen", "tcp://127.0.0.1:0", "--streams", "2"});
    // One is read from standard input, the other is an endless pattern.
    const Program sender =
        start({"send", "-", "pattern", "--size", "64x48", "--format", "gray", "--fps", "100", "--policy",
               "lossless", "--once", "--to", viewer->listenAddress(), "--stats-json", file("sender")},
              input.get());
    EXPECT_TRUE(sender->waitForError("stream 1: sent 5 frames"));
    EXPECT_TRUE(sender->running());
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*sender, 130));
    EXPECT_TRUE(endsWith(*viewer, 0));
    const auto stats = readJson(file("sender"));
    EXPECT_EQ(stats.at("streams").at(0).at("exit_reason"), "end of stream");
    EXPECT_EQ(stats.at("streams").at(1).at("exit_reason"), "interrupted");
    EXPECT_EQ(stats.at("exit_reason"), "interrupted");
}

TEST_F(SeveralSourcesLife, WhatCannotBeIsToldBeforeAnythingIsSent) {
    const auto errorsOf = [this](const Arguments& arguments, int code) {
        Verbcast program(Arguments{"send"} + arguments, home_);
        EXPECT_TRUE(endsWith(program, code));
        return program.errors();
    };
    const Arguments two{"pattern", "pattern:zone"};
    EXPECT_TRUE(holds(errorsOf(two + Arguments{"--name", "one"}, 2), "1 name given for 2 sources"));
    EXPECT_TRUE(holds(errorsOf(two + Arguments{"--preview", "shm://x"}, 2), "--preview with 2 sources"));
    EXPECT_TRUE(holds(errorsOf(two + Arguments{"--stats-fd", "0"}, 2), "no descriptor that is open for"));
    EXPECT_TRUE(holds(errorsOf(two + Arguments{"--control"}, 2), "none of the sources is one"));
    EXPECT_TRUE(holds(errorsOf(two + Arguments{"--frame-md5", "sums"}, 2), "%n, for a stream's number"));
    EXPECT_TRUE(holds(errorsOf({"-", "-"}, 2), "standard input is one source"));
    EXPECT_TRUE(
        holds(errorsOf(two + Arguments{"--listen", "tcp://127.0.0.1:65535"}, 2), "give a lower port"));
    const std::string missing = errorsOf({"pattern", "no-such-clip.mp4"}, 3);
    EXPECT_TRUE(holds(missing, "no-such-clip.mp4"));
    EXPECT_EQ(missing.find("waiting for a viewer"), std::string::npos) << missing;
}

}  // namespace
}  // namespace verbcast::testing
