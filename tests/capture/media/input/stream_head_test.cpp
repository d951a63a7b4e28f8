#include "capture/media/input/stream_head.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "capture/media/file_source.h"
#include "core/base/os/unique_fd.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/support/kernel_pipe.h"

namespace verbcast::testing {
namespace {

constexpr std::string_view kY4m = "YUV4MPEG2 W64 H48 F25:1 C420jpeg\nFRAME\n";

struct Pipe : KernelPipe {
    void put(std::string_view text) const {
        ASSERT_EQ(::write(writing.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
};

std::string textOf(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

TEST(StreamHead, ItsNameIsLookedForInTheFirstBytesOnly) {
    Pipe pipe;
    pipe.put(kY4m.substr(0, 12));
    StreamHead y4m(pipe.reading.get(), "a pipe", nullptr);
    EXPECT_TRUE(y4m.namesItself());  // without waiting for more
    EXPECT_EQ(textOf(y4m.take()), kY4m.substr(0, 12));

    pipe.put("YUV4MPEG3 and other pixels");
    StreamHead pixels(pipe.reading.get(), "a pipe", nullptr);
    EXPECT_FALSE(pixels.namesItself());
    EXPECT_EQ(textOf(pixels.take()), "YUV4MPEG3 and other pixels");

    pipe.writing.reset();
    StreamHead empty(pipe.reading.get(), "a pipe", nullptr);
    EXPECT_FALSE(empty.namesItself());
    EXPECT_TRUE(empty.take().empty());
}

TEST(StreamHead, WhatFfmpegKnowsIsRecognised) {
    Pipe pipe;
    pipe.put(kY4m);
    const PipedMedia media = StreamHead(pipe.reading.get(), "a pipe", nullptr).recognise();
    EXPECT_STREQ(media.format->name, "yuv4mpegpipe");
    EXPECT_EQ(media.descriptor, pipe.reading.get());
    EXPECT_EQ(textOf(media.head), kY4m);
}

class StreamHeadOfFiles : public FfmpegTest {};

TEST_F(StreamHeadOfFiles, JpegsOneAfterAnotherAreAStream) {
    for (const auto& [size, name] : {std::pair{"64x48", "small"}, std::pair{"640x480", "large"}}) {
        SCOPED_TRACE(name);
        const std::string base = file(name);
        ffmpeg(std::string("-f lavfi -i testsrc2=s=") + size + " -frames:v 5 " + base + "%d.jpg");
        std::ofstream all(base, std::ios::binary);
        for (const char picture : {'1', '2', '3', '4', '5'}) {
            all << std::ifstream(base + picture + ".jpg", std::ios::binary).rdbuf();
        }
        all.close();
        KernelPipe pipe;
        std::jthread writing([&] {
            const std::ifstream from(base, std::ios::binary);
            std::ostringstream text;
            text << from.rdbuf();
            EXPECT_EQ(::write(pipe.writing.get(), text.str().data(), text.str().size()),
                      static_cast<ssize_t>(text.str().size()));
            pipe.writing.reset();
        });
        FileSource source({.source = "-"}, StreamHead(pipe.reading.get(), "a pipe", nullptr).recognise());
        EXPECT_EQ(takeSums(source).size(), 5U);
        EXPECT_TRUE(source.notes().empty());
    }
}

TEST(StreamHead, PixelsAreNotAndTheErrorSaysWhatTheyNeed) {
    for (const bool empty : {false, true}) {
        Pipe pipe;
        if (!empty) {
            pipe.put(std::string(5000, '\x80'));
        }
        pipe.writing.reset();
        try {
            StreamHead(pipe.reading.get(), "a pipe", nullptr).recognise();
            ADD_FAILURE() << "recognised";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_NE(std::string(error.what()).find("raw frames need --size and --format"),
                      std::string::npos)
                << error.what();
        }
    }
}

TEST(StreamHead, WaitingCanBeCancelled) {
    Pipe pipe;
    pipe.put("Y");
    Event cancel;
    cancel.notify();
    StreamHead head(pipe.reading.get(), "a pipe", &cancel);
    EXPECT_THROW(head.recognise(), Error);
}

TEST(StreamHead, AFileIsLeftAtItsBeginning) {
    TemporaryFolder folder;
    const UniqueFd file(::open(folder.file("a.y4m").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::write(file.get(), kY4m.data(), kY4m.size()), static_cast<ssize_t>(kY4m.size()));
    ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
    const PipedMedia media = StreamHead(file.get(), "a file", nullptr).recognise();
    EXPECT_TRUE(media.head.empty());
    EXPECT_EQ(::lseek(file.get(), 0, SEEK_CUR), 0);
}

}  // namespace
}  // namespace verbcast::testing
