// Playback of a file that is sent: pause, seek, and sending only a part.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class PlaybackTest : public ProgramAndFfmpegTest {
  protected:
    /// Two seconds of frames that all differ.
    void makeClip() {
        ffmpeg({"-f", "lavfi", "-i", movingPicture(64, 48, "yuv420p"), "-frames:v", "50", "-r", "25", "-c:v",
                "rawvideo", file("clip.nut")});
        whole_ = ffmpegFrameSums({"-i", file("clip.nut")});
        ASSERT_EQ(whole_.size(), 50U);
    }
    std::vector<std::string> got() const {
        std::vector<std::string> sums;
        for (const FrameSum& sum : frameSums(file("got"))) {
            sums.push_back(sum.md5);
        }
        return sums;
    }
    Arguments send(const Arguments& more) const {
        Arguments all{"send", file("clip.nut"), "--once", "--listen", listenAddressFor("shm")};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Arguments view(Verbcast& sender) const {
        return {"view", "--headless", "--once", sender.listenAddress(), "--frame-md5", file("got")};
    }

    std::vector<FrameSum> whole_;
};

TEST_F(PlaybackTest, CommandsPauseStepAndSeek) {
    makeClip();
    KernelPipe control;
    // There before the sender: it pauses at the first picture.
    const std::string first = "pause\nseek 1\nstep 3\n";
    ASSERT_EQ(::write(control.writing.get(), first.data(), first.size()), static_cast<ssize_t>(first.size()));
    // The statistics go to stderr, where the test can wait for lines.
    Verbcast sender(send({"--control", "--stats-fd", "2", "--fps", "max"}), home_, control.reading.get());
    control.reading.reset();
    const auto command = [&](const std::string& lines, const std::string& place) {
        const std::size_t mark = sender.errorMark();
        ASSERT_EQ(::write(control.writing.get(), lines.data(), lines.size()),
                  static_cast<ssize_t>(lines.size()));
        ASSERT_TRUE(sender.waitForError(R"({"playback":{"position_s":)" + place + R"(,"duration_s":)", mark))
            << place << " is not reached: " << sender.errors();
    };
    Verbcast viewer(view(sender), home_);
    ASSERT_TRUE(sender.waitForError(R"("position_s":1.12,)")) << sender.errors();
    ASSERT_NO_FATAL_FAILURE(command("seek 0.2\n", "0.2"));
    ASSERT_NO_FATAL_FAILURE(command("step -2\n", "0.12"));
    ASSERT_NO_FATAL_FAILURE(command("faster\nstep 1\n", "0.16"));
    EXPECT_TRUE(viewer.running()) << "paused, the stream has ended";
    ASSERT_EQ(::write(control.writing.get(), "play\n", 5), 5);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));

    std::vector<std::string> expected;
    for (const std::size_t picture : {25U, 26U, 27U, 28U, 5U, 3U}) {
        expected.push_back(whole_[picture].md5);
    }
    for (std::size_t picture = 4; picture < 50; ++picture) {
        expected.push_back(whole_[picture].md5);
    }
    EXPECT_EQ(got(), expected);
    EXPECT_TRUE(holds(sender.errors(), "\"faster\" is none of pause, play, seek SECONDS, step N"));
}

/// Also in the middle of a picture that is shown for an hour.
TEST_F(PlaybackTest, CommandsOfOneWriteFollowEachOther) {
    ffmpeg({"-r", "1/3600", "-f", "lavfi", "-i", movingPicture(64, 48, "yuv420p"), "-frames:v", "5", "-c:v",
            "rawvideo", file("clip.nut")});
    whole_ = ffmpegFrameSums({"-i", file("clip.nut")});
    ASSERT_EQ(whole_.size(), 5U);
    KernelPipe control;
    Verbcast sender(send({"--control", "--stats-fd", "2"}), home_, control.reading.get());
    control.reading.reset();
    Verbcast viewer(view(sender), home_);
    ASSERT_TRUE(sender.waitForError(R"("frames_shown":1)")) << sender.errors();
    const auto command = [&](const std::string& lines, const std::string& state) {
        const std::size_t mark = sender.errorMark();
        ASSERT_EQ(::write(control.writing.get(), lines.data(), lines.size()),
                  static_cast<ssize_t>(lines.size()));
        ASSERT_TRUE(sender.waitForError(R"({"playback":{"position_s":)" + state, mark))
            << lines << " does not lead to " << state << ": " << sender.errors();
    };
    ASSERT_NO_FATAL_FAILURE(command("pause\n", R"(0.0,"duration_s":14400.0,"paused":true)"));
    ASSERT_NO_FATAL_FAILURE(command("play\nseek 7200\npause\n", "7200.0,"));
    ASSERT_NO_FATAL_FAILURE(command("step 1\nstep -3\n", "0.0,"));
    ASSERT_NO_FATAL_FAILURE(command("seek 14400\nstep -1\n", "10800.0,"));
    ASSERT_NO_FATAL_FAILURE(command("seek 3600\nplay\n", R"(3600.0,"duration_s":14400.0,"paused":false)"));
    ASSERT_NO_FATAL_FAILURE(command("step -1\n", "0.0,"));
    EXPECT_TRUE(sender.waitForError(R"("frames_shown":6)")) << sender.errors();
    viewer.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 0));
    std::vector<std::string> expected;
    for (const std::size_t picture : {0U, 2U, 0U, 3U, 1U, 0U}) {
        expected.push_back(whole_[picture].md5);
    }
    EXPECT_EQ(got(), expected);
}

/// A number says of which file a line is; without one it is for all. So do the statistics.
TEST_F(PlaybackTest, SeveralFilesAreControlledByOne) {
    makeClip();
    KernelPipe control;
    const std::string address = listenAddressFor("shm");
    Verbcast sender({"send", file("clip.nut"), file("clip.nut"), "--once", "--listen", address, "--control",
                     "--stats-fd", "2", "--fps", "max", "--name", "left", "--name", "right"},
                    home_, control.reading.get());
    control.reading.reset();
    const auto command = [&](const std::string& lines, const std::string& answer) {
        const std::size_t mark = sender.errorMark();
        ASSERT_EQ(::write(control.writing.get(), lines.data(), lines.size()),
                  static_cast<ssize_t>(lines.size()));
        ASSERT_TRUE(sender.waitForError(answer, mark))
            << lines << " does not lead to " << answer << ": " << sender.errors();
    };
    const std::string left = R"({"stream":1,"name":"left","playback":{"position_s":)";
    const std::string right = R"({"stream":2,"name":"right","playback":{"position_s":)";
    ASSERT_EQ(::write(control.writing.get(), "pause\n", 6), 6);
    Verbcast first({"view", "--headless", "--once", address, "--frame-md5", file("got-1")}, home_);
    Verbcast second({"view", "--headless", "--once", address + "-2", "--frame-md5", file("got")}, home_);
    ASSERT_NO_FATAL_FAILURE(command("2 seek 1\n", right + "1.0,"));
    ASSERT_NO_FATAL_FAILURE(command("step 1\n1 step 2\n", left + "0.08,"));
    ASSERT_NO_FATAL_FAILURE(command("3 pause\n", "no stream that can be controlled has the number 3"));
    EXPECT_TRUE(sender.waitForError(R"({"stream":2,"name":"right","width":64,)")) << sender.errors();
    ASSERT_EQ(::write(control.writing.get(), "play\n", 5), 5);
    for (Verbcast* const program : {&sender, &first, &second}) {
        EXPECT_TRUE(endsWith(*program, 0));
    }
    EXPECT_EQ(frameSums(file("got-1")).size(), 50U);
    std::vector<std::string> expected;
    for (std::size_t picture = 25; picture < 50; ++picture) {
        expected.push_back(whole_[picture].md5);
    }
    EXPECT_EQ(got(), expected);
}

TEST_F(PlaybackTest, ASenderWhoseControllerIsGonePlaysOn) {
    makeClip();
    KernelPipe control;
    ASSERT_EQ(::write(control.writing.get(), "pause\n", 6), 6);
    Verbcast sender(send({"--control", "--fps", "max"}), home_, control.reading.get());
    control.writing.reset();
    Verbcast viewer(view(sender), home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_EQ(got().size(), 50U);
}

TEST_F(PlaybackTest, WhatCannotBeDoneIsRefusedAndPlaysOn) {
    makeClip();
    const std::string pipe = file("pipe.nut");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    ChildProcess writer({"ffmpeg", "-v", "error", "-y", "-i", file("clip.nut"), "-c", "copy", pipe});
    KernelPipe control;
    const std::string lines = "pause\nseek 1\nstep -1\nstep -9223372036854775808\nplay\n";
    ASSERT_EQ(::write(control.writing.get(), lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
    Verbcast sender(
        {"send", pipe, "--once", "--listen", listenAddressFor("shm"), "--control", "--fps", "max"}, home_,
        control.reading.get());
    Verbcast viewer(view(sender), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(got().size(), 50U);
    EXPECT_TRUE(holds(sender.errors(), "the source is a pipe, which cannot seek"));
    EXPECT_TRUE(holds(sender.errors(), "\"step -9223372036854775808\" is none of"));
}

TEST_F(PlaybackTest, PausedItSeesItsViewersLeave) {
    makeClip();
    KernelPipe control;
    ASSERT_EQ(::write(control.writing.get(), "pause\nstep 1\n", 13), 13);
    Verbcast sender(send({"--control", "--stats-fd", "2"}), home_, control.reading.get());
    Verbcast stays(view(sender), home_);
    ASSERT_TRUE(sender.waitForError(R"("frames_shown":1)")) << "nobody sees the picture";
    Verbcast leaves({"view", "--headless", "--once", sender.listenAddress()}, home_);
    ASSERT_TRUE(sender.waitForError(R"("connections":2)")) << "nobody else has come";
    leaves.signal(SIGINT);
    EXPECT_TRUE(sender.waitForError("is gone: "));
    stays.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 0));
}

TEST_F(PlaybackTest, AControllerThatNeverStopsTalkingHoldsNothingUp) {
    makeClip();
    KernelPipe control;
    ASSERT_EQ(::write(control.writing.get(), "pause\nstep 1\n", 13), 13);
    Verbcast sender(send({"--control", "--stats-fd", "2"}), home_, control.reading.get());
    Verbcast stays(view(sender), home_);
    ASSERT_TRUE(sender.waitForError(R"("frames_shown":1)")) << "nobody sees the picture";
    Verbcast leaves({"view", "--headless", "--once", sender.listenAddress()}, home_);
    ASSERT_TRUE(sender.waitForError(R"("connections":2)")) << "nobody else has come";
    ASSERT_EQ(::fcntl(control.writing.get(), F_SETFL, O_NONBLOCK), 0);
    std::promise<void> flows;
    const std::jthread talking([&](const std::stop_token& stop) {
        for (int written = 0; !stop.stop_requested();) {
            const bool more = ::write(control.writing.get(), "pause\nnonsense\n", 15) > 0;
            if (more && ++written == 20'000) {  // more than a pipe holds
                flows.set_value();
            }
        }
    });
    ASSERT_EQ(flows.get_future().wait_for(kPatience), std::future_status::ready);
    leaves.signal(SIGINT);
    EXPECT_TRUE(sender.waitForError("is gone: "));
    stays.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_NE(sender.errors().find("more like it"), std::string::npos);
}

TEST_F(PlaybackTest, PausedItSeesThatItsTimeIsOver) {
    makeClip();
    KernelPipe control;
    Verbcast sender(send({"--control", "--seconds", "1"}), home_, control.reading.get());
    const std::string lines = "pause\nstep 1\n";
    ASSERT_EQ(::write(control.writing.get(), lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
    Verbcast viewer(view(sender), home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_EQ(got().size(), 1U);
}

TEST_F(PlaybackTest, APartIsWhatFfmpegTakes) {
    makeClip();
    for (const Arguments& part :
         {Arguments{"-ss", "0.5", "-t", "1"}, Arguments{"--start", "0:00.5", "--length=1"}}) {
        Arguments arguments = send(part);
        arguments.insert(arguments.end(), {"--fps", "max"});
        Verbcast sender(arguments, home_);
        Verbcast viewer(view(sender), home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_EQ(frameSums(file("got")), ffmpegFrameSums({"-ss", "0.5", "-t", "1", "-i", file("clip.nut")}));
    }
}

}  // namespace
}  // namespace verbcast::testing
