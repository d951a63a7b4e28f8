// verbcast compose --layout: streams of other processes in one picture.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "core/stream/broadcast.h"
#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Program = std::unique_ptr<Verbcast>;

class MosaicProgram : public DrawingTest<ProgramTest> {
  protected:
    Program start(const Arguments& arguments, int input = -1) const {
        return std::make_unique<Verbcast>(arguments, home_, input);
    }
    Program sender(const std::string& address, const char* size = "64x36") const {
        return start({"send", "pattern:counter", "--size", size, "--fps", "20", "--listen", address});
    }
    Program mosaic(const Arguments& inputs, const Arguments& more = {}, int input = -1) const {
        return start(Arguments{"compose", "--layout", "grid", "--size", "192x72", "--listen",
                               listenAddressFor("shm")} +
                         more + inputs,
                     input);
    }
    /// Views that many frames of it.
    void see(Verbcast& sender, const char* frames = "10") const {
        const Program viewer =
            start({"view", "--headless", "--frames", frames, "-q", sender.listenAddress()});
        EXPECT_TRUE(endsWith(*viewer, 0)) << sender.errors();
    }
};

TEST_F(MosaicProgram, GoesOnWhateverItsInputsDo) {
    const Program first = sender(listenAddressFor("shm"));
    Program second = sender("tcp://127.0.0.1:0");
    const std::string address = second->listenAddress();
    // One twice, one that nobody sends, one of this host.
    const Program all =
        mosaic({first->listenAddress(), first->listenAddress(), address, "shm://nobody", "pattern"},
               {"--names", "auto", "--border", "1", "--align", "capture"});
    const Program viewer = start({"view", "--headless", "--frame-md5", "-", all->listenAddress()});
    EXPECT_EQ(viewer->line(), "#sequence,pts,bytes,md5");
    const auto goesOn = [&] {
        for (int i = 0; i < 10; ++i) {
            ASSERT_NE(viewer->line(), "") << all->errors();
        }
    };
    goesOn();
    const std::size_t mark = all->errorMark();
    second->kill();
    EXPECT_TRUE(all->waitForError("", mark));
    goesOn();
    second = sender(address, "96x96");  // returns with another size
    ASSERT_TRUE(second->waitForError("sending ")) << second->errors();
    goesOn();
    viewer->signal(SIGINT);
    EXPECT_TRUE(endsWith(*viewer, 130));
    all->signal(SIGINT);
    EXPECT_TRUE(endsWith(*all, 130)) << all->errors();
}

class ThoroughMosaicProgram : public MosaicProgram {};

TEST_F(ThoroughMosaicProgram, TakesSixteenInputs) {
    const Program first = sender(listenAddressFor("shm"));
    const Program second = sender("tcp://127.0.0.1:0", "96x96");
    Arguments inputs{"pattern:zone", "pattern:gradient"};
    for (int i = 0; i < 7; ++i) {
        inputs.push_back(first->listenAddress());
        inputs.push_back(second->listenAddress());
    }
    const Program all = mosaic(inputs, {"--align", "capture"});
    see(*all, "40");
    all->signal(SIGINT);
    EXPECT_TRUE(endsWith(*all, 130)) << all->errors();
}

TEST_F(ThoroughMosaicProgram, AnInputMayChangeItsFormatFiftyTimes) {
    SenderOptions options;
    options.url = parseUrl("tcp://127.0.0.1:0");
    Broadcast changing(options);
    const Program all = mosaic({changing.listenAddresses().front(), "pattern"});
    const Program viewer = start({"view", "--headless", "--frame-md5", "-", all->listenAddress()});
    EXPECT_EQ(viewer->line(), "#sequence,pts,bytes,md5");
    const Event never;
    ASSERT_EQ(changing.waitForReceiver(kPatience, never), Status::Ok) << all->errors();
    constexpr std::array kFormats{PixelFormat::rgba, PixelFormat::yuv420p, PixelFormat::yuv422p10le,
                                  PixelFormat::gray};
    for (std::uint32_t i = 0; i < 50; ++i) {
        VideoFormat format = tightFormat(64 + 2 * (i * 37 % 100), 48 + 2 * (i * 17 % 50), kFormats.at(i % 4));
        format.timeBase = {1, 25};
        const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 2});
        for (int frame = 0; frame < 2; ++frame) {
            auto lease = pool->tryAcquire();
            ASSERT_TRUE(lease);
            std::memset(lease->data(), static_cast<int>(i + 1) * 5 % 256, format.payloadBytes);
            FrameInfo info;
            info.pts = 2 * i + static_cast<std::uint32_t>(frame);
            info.capturedAt = nowNs();
            ASSERT_EQ(changing.submit(std::move(*lease), format, info, never), Status::Ok);
        }
        ASSERT_NE(viewer->line(), "") << i << ": " << all->errors();
        ASSERT_NE(viewer->line(), "") << i << ": " << all->errors();
    }
    EXPECT_EQ(changing.stats().connectionsLost, 0U) << all->errors();
    viewer->signal(SIGINT);
    EXPECT_TRUE(endsWith(*viewer, 130));
    all->signal(SIGINT);
    EXPECT_TRUE(endsWith(*all, 130)) << all->errors();
}

/// A viewer that stands still costs neither memory nor another viewer's frames.
TEST_F(ThoroughMosaicProgram, AStoppedViewerCostsNothing) {
    const Program all = mosaic({"pattern:zone", "pattern:noise"}, {"--fps", "60"});
    const Program stopped = start({"view", "--headless", "-q", all->listenAddress()});
    const Program viewer = start({"view", "--headless", "--frame-md5", file("seen"), all->listenAddress()});
    ASSERT_TRUE(viewer->waitForError("receiving ")) << viewer->errors();
    stopped->signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(3));
    const auto early = residentKilobytes(*all);
    const auto seen = md5Lines(file("seen")).size();
    std::this_thread::sleep_for(std::chrono::seconds(7));
    const auto late = residentKilobytes(*all);
    ASSERT_GT(early, 0U);
    if (!VERBCAST_SANITIZED) {  // which keeps freed memory
        EXPECT_LT(late, early + early / 10);
    }
    EXPECT_GT(md5Lines(file("seen")).size(), seen + 50);
    stopped->signal(SIGCONT);
    stopped->signal(SIGKILL);
    for (const Program* program : {&viewer, &all}) {
        (*program)->signal(SIGINT);
        EXPECT_TRUE(endsWith(**program, 130)) << (*program)->errors();
    }
}

TEST_F(MosaicProgram, ChangesByLines) {
    KernelPipe control;
    const Program all =
        mosaic({"pattern:bars", "pattern:zone"}, {"--control", "--fps", "max"}, control.reading.get());
    control.reading.reset();
    const Program viewer = start({"view", "--headless", "--frame-md5", "-", all->listenAddress()});
    EXPECT_EQ(viewer->line(), "#sequence,pts,bytes,md5");
    ASSERT_NE(viewer->line(), "");
    const auto command = [&](const std::string& lines) {
        ASSERT_EQ(::write(control.writing.get(), lines.data(), lines.size()),
                  static_cast<ssize_t>(lines.size()));
    };
    command(
        "fade 0.2\nlayout pip\nfocus 2\nadd pattern:gradient\norder 3 1 2\nreplace 1 pattern:noise\nremove "
        "2\n"
        "panes 1:0,0,100;2:50,50,25,50,height=25\nnames on\n");
    command("focus 3\n");
    EXPECT_TRUE(all->waitForError("--control \"focus 3\": \"3\": the number of an input expected, 1 to 2"))
        << all->errors();
    command("replace 1 missing/clip.mp4\n");
    EXPECT_TRUE(all->waitForError("missing/clip.mp4")) << all->errors();
    for (int i = 0; i < 10; ++i) {
        ASSERT_NE(viewer->line(), "") << all->errors();
    }
    viewer->signal(SIGINT);
    EXPECT_TRUE(endsWith(*viewer, 130));
    all->signal(SIGINT);
    EXPECT_TRUE(endsWith(*all, 130)) << all->errors();
}

TEST_F(MosaicProgram, MayShowItself) {
    const std::string address = listenAddressFor("shm");
    const Program all = start({"compose", "--layout", "pip", "--size", "192x108", "--fps", "20", "pattern",
                               address, "--listen", address});
    see(*all, "20");
    all->signal(SIGINT);
    EXPECT_TRUE(endsWith(*all, 130)) << all->errors();
}

TEST_F(MosaicProgram, EndsAfterItsFramesAndIsAStreamLikeAnyOther) {
    const Program all = mosaic({"pattern"}, {"--frames", "12", "--once", "--policy", "lossless", "--format",
                                             "x2rgb10le", "--frame-md5", file("sent")});
    const Program viewer =
        start({"view", "--headless", "--once", "--frame-md5", file("got"), all->listenAddress()});
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*all, 0)) << all->errors();
    EXPECT_EQ(frameSums(file("got")).size(), 12U);
    EXPECT_EQ(frameSums(file("got")), frameSums(file("sent")));
}

TEST_F(MosaicProgram, WhatIsWrongIsSaidAtOnce) {
    const auto refused = [&](const Arguments& arguments, ErrorKind kind, const char* text) {
        const Program program = start(Arguments{"compose"} + arguments);
        EXPECT_TRUE(endsWith(*program, static_cast<int>(kind)));
        EXPECT_TRUE(holds(program->errors(), text));
    };
    refused({"--layout", "grid"}, ErrorKind::Usage, "URL");
    refused({"pattern"}, ErrorKind::Usage, "--layout grid");
    refused({"a", "b", "--size", "64x64"}, ErrorKind::Usage, "--size needs --layout");
    refused({"--layout", "grid", "a", "--by", "order"}, ErrorKind::Usage, "--by with --layout");
    refused({"--layout", "wipe", "a"}, ErrorKind::Usage, "grid, focus, side, pip or free");
    refused({"--layout", "grid", "a", "--panes", "1:0,0,100"}, ErrorKind::Usage, "--layout free");
    refused({"--layout", "grid", "a", "--focus", "2"}, ErrorKind::Usage, "there is 1 input");
    refused({"--layout", "grid", "a", "--audio-from", "2"}, ErrorKind::Usage, "--audio-from \"2\": focus");
    refused({"a", "b", "--audio-from", "mix"}, ErrorKind::Usage, "--audio-from needs --layout");
    refused({"--layout", "grid", "a", "--size", "1x1"}, ErrorKind::Usage, "1x1");
    refused({"--layout", "grid", "a", "--fade", "5"}, ErrorKind::Usage, "0 to 1");
    refused({"--layout", "grid", "a", "--delay", "5"}, ErrorKind::Usage, "--align");
    refused({"--layout", "grid", "-", "--control"}, ErrorKind::Usage, "standard input");
    refused({"--layout", "grid", "a", "--format", "x2rgb10le", "--memory", "device"}, ErrorKind::Usage,
            "rgba");
    refused({"--layout", "grid", "missing/clip.mp4"}, ErrorKind::Input, "missing/clip.mp4");
    refused({"--layout", "grid", "pattern", "--background", "missing.png"}, ErrorKind::Input, "--background");
    refused({"--layout", "grid", "tcp://host.invalid:1"}, ErrorKind::Network, "host.invalid");
    Arguments many{"--layout", "grid"};
    many.resize(2 + 65, "pattern");
    refused(many, ErrorKind::Usage, "at most 64");
}

}  // namespace
}  // namespace verbcast::testing
