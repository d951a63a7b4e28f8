// Files that are missing, broken, truncated, or not video; inputs that stall.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>
#include <utility>

#include "core/base/os/unique_fd.h"
#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

class DamagedFileTest : public FfmpegTest {
  protected:
    static std::string bytesOf(const std::string& path) {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    static void write(const std::string& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }
    std::string makeClip(const std::string& name, const std::string& encoder) {
        const std::string path = file(name);
        ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -frames:v 50 " + encoder + " " + path);
        return path;
    }
    static Error errorOf(const std::string& source) {
        try {
            openSource({.source = source});
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << source << " could be opened";
        return {ErrorKind::Internal, ""};
    }
};

TEST_F(DamagedFileTest, MissingFile) {
    const Error error = errorOf(file("missing.mp4"));
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(error.what()).find("missing.mp4"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
}

TEST_F(DamagedFileTest, NotAMediaFile) {
    std::string bytes(20000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(i * i >> 3);
    }
    write(file("letter.bin"), bytes);
    const Error error = errorOf(file("letter.bin"));
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(error.what()).find("letter.bin"), std::string::npos);
}

TEST_F(DamagedFileTest, EmptyFileAndFolder) {
    write(file("empty.mp4"), "");
    EXPECT_EQ(errorOf(file("empty.mp4")).kind(), ErrorKind::Input);
    EXPECT_EQ(errorOf(file("")).kind(), ErrorKind::Input);
}

TEST_F(DamagedFileTest, NoVideoInIt) {
    ffmpeg("-f lavfi -i sine -t 1 " + file("sound.wav"));
    const Error sound = errorOf(file("sound.wav"));
    EXPECT_EQ(sound.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(sound.what()).find("no video"), std::string::npos);

    ffmpeg(
        "-f lavfi -i sine -f lavfi -i testsrc2=s=64x48 -frames:v 1 -t 1 -c:v mjpeg -pix_fmt yuvj420p "
        "-disposition:v attached_pic " +
        file("song.m4a"));
    const Error song = errorOf(file("song.m4a"));
    EXPECT_EQ(song.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(song.what()).find("cover"), std::string::npos);
}

TEST_F(DamagedFileTest, TooSmallAPicture) {
    ffmpeg("-f lavfi -i testsrc2=s=8x8 -frames:v 2 -c:v ffv1 " + file("tiny.mkv"));
    const Error error = errorOf(file("tiny.mkv"));
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_NE(error.remedy().find("--size"), std::string::npos);
    const auto scaled = openSource({.source = file("tiny.mkv"), .width = 32, .height = 32});
    EXPECT_EQ(takeSums(*scaled).size(), 2U);
}

TEST_F(DamagedFileTest, TruncatedFilePlaysWhatDecodes) {
    const std::string encoder = "-c:v libx264 -preset veryfast -g 10 -pix_fmt yuv420p ";
    for (const auto& [name, options] : {std::pair<std::string, std::string>{"cut.mkv", encoder},
                                        {"cut.mp4", encoder + "-movflags +faststart"},
                                        {"cut.avi", "-c:v mpeg4"}}) {
        SCOPED_TRACE(name);
        const std::string whole = bytesOf(makeClip(name, options));
        write(file(name), whole.substr(0, whole.size() * 6 / 10));
        const auto source = openSource({.source = file(name)});
        const auto sums = takeSums(*source);
        EXPECT_EQ(sums.size(), ffmpegFrameSums("-i " + file(name)).size());
        EXPECT_GT(sums.size(), 5U);
        EXPECT_LT(sums.size(), 50U);
        const SourceCounters counters = source->counters();
        EXPECT_GT(counters.framesDamaged + counters.packetsUndecodable, 0U);
    }
}

TEST_F(DamagedFileTest, AWrongDurationIsNoDamage) {
    std::string bytes = bytesOf(makeClip("clip.mkv", "-c:v mpeg4"));
    const std::size_t duration = bytes.find("\x44\x89\x88");  // Duration, 8 bytes: 2000 ms
    ASSERT_NE(duration, std::string::npos);
    bytes[duration + 4] = '\xd0';  // 131072000 ms
    write(file("clip.mkv"), bytes);
    const auto source = openSource({.source = file("clip.mkv")});
    EXPECT_EQ(takeSums(*source).size(), 50U);
    EXPECT_EQ(source->counters().packetsUndecodable, 0U);
    ASSERT_EQ(source->notes().size(), 1U);
    EXPECT_NE(source->notes().front().find(" s before the end that it announces"), std::string::npos);
}

TEST_F(DamagedFileTest, CorruptPacketsAreCounted) {
    const std::string path = makeClip("clip.mkv", "-c:v libx264 -preset veryfast -g 10 -pix_fmt yuv420p");
    std::string bytes = bytesOf(path);
    for (std::size_t i = bytes.size() / 3; i < bytes.size() / 3 + 2000; ++i) {
        bytes[i] = static_cast<char>(i * 7);
    }
    write(path, bytes);
    // Also with several decoder threads: FFmpeg 5.1 then loses the marks of concealed pictures.
    for (const int threads : {1, 4}) {
        SCOPED_TRACE(threads);
        const auto source = openSource({.source = path, .decoderThreads = threads});
        const Event never;
        CapturedFrame frame;
        std::uint64_t frames = 0, flagged = 0;
        while (source->capture(frame, never) == Status::Ok) {
            ++frames;
            flagged += frame.flags & kFrameDamaged;
        }
        EXPECT_EQ(frames, ffmpegFrameSums("-threads " + std::to_string(threads) + " -i " + path).size());
        const SourceCounters counters = source->counters();
        EXPECT_EQ(counters.framesDamaged, flagged);
        EXPECT_GT(counters.framesDamaged, 0U);
    }
}

TEST_F(DamagedFileTest, NothingDecodable) {
    const std::string path = makeClip("clip.avi", "-c:v ffvhuff -frames:v 4 ");
    std::string bytes = bytesOf(path);
    const std::size_t start = bytes.find("movi") + 4;
    for (std::size_t i = start; i < bytes.size(); ++i) {
        bytes[i] = 0;
    }
    write(path, bytes);
    EXPECT_EQ(errorOf(path).kind(), ErrorKind::Input);
}

/// Serves the beginning of a file to one client over TCP and then stalls.
class StallingServer {
  public:
    explicit StallingServer(std::string bytes) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(listener_.get(), 1) != 0 ||
            ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
            throw std::runtime_error("no TCP port on the loopback");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::jthread([this, bytes = std::move(bytes)] {
            client_.reset(::accept(listener_.get(), nullptr, nullptr));
            std::size_t sent = 0;
            while (sent < bytes.size()) {
                const ssize_t now =
                    ::send(client_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
                if (now <= 0) {
                    return;
                }
                sent += static_cast<std::size_t>(now);
            }
        });
    }
    std::string url() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

  private:
    UniqueFd listener_, client_;
    int port_ = 0;
    std::jthread thread_;
};

/// A source whose input has stalled: reads 100 frames, then cancels the wait for more.
void expectCancellable(FrameSource& source) {
    Event cancel;
    std::promise<void> streaming;
    auto reading = std::async(std::launch::async, [&] {
        CapturedFrame frame;
        for (int frames = 1;; ++frames) {
            if (const Status status = source.capture(frame, cancel); status != Status::Ok) {
                return status;
            }
            if (frames == 100) {
                streaming.set_value();
            }
        }
    });
    streaming.get_future().wait();
    EXPECT_EQ(reading.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
    cancel.notify();
    EXPECT_EQ(reading.get(), Status::Cancelled);
}

class StalledInputTest : public DamagedFileTest {
  protected:
    /// Long enough for FFmpeg to stop probing (5 MB or 5 s of video) and open.
    std::string makeLongClip() {
        const std::string path = file("clip.ts");
        ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25 -t 12 -c:v mpeg2video -b:v 4M " + path);
        return path;
    }
};

TEST_F(StalledInputTest, NetworkReadsCanBeCancelled) {
    StallingServer server(bytesOf(makeLongClip()));
    expectCancellable(*openSource({.source = server.url()}));
}

/// Writes to a named pipe and keeps it open until destroyed.
class PipeWriter {
  public:
    PipeWriter(const std::string& pipe, const std::string& bytes) {
        ::signal(SIGPIPE, SIG_IGN);  // a cancelled reader closes its end
        thread_ = std::jthread([=, this] {
            std::ofstream stream(pipe, std::ios::binary);
            stream << bytes << std::flush;
            mayClose_.get_future().wait();
        });
    }
    ~PipeWriter() { close(); }
    void close() {
        if (!std::exchange(closed_, true)) {
            mayClose_.set_value();
        }
    }

  private:
    std::promise<void> mayClose_;
    bool closed_ = false;
    std::jthread thread_;
};

TEST_F(StalledInputTest, NamedPipesPlayAndCanBeCancelled) {
    const std::string path = makeLongClip(), pipe = file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    {
        PipeWriter writer(pipe, bytesOf(path));
        writer.close();
        EXPECT_EQ(takeSums(*openSource({.source = pipe})), ffmpegFrameSums("-i " + path));
    }
    PipeWriter writer(pipe, bytesOf(path));
    expectCancellable(*openSource({.source = pipe}));
}

TEST_F(StalledInputTest, ANamedPipeThatNobodyOpensCanBeCancelled) {
    const std::string pipe = file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Event cancel;
    cancel.notify();
    EXPECT_THROW(openSource({.source = pipe, .cancel = &cancel}), Error);
}

}  // namespace
}  // namespace verbcast::testing
