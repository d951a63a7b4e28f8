// Shared by the tests of several streams into one viewer: senders, and checks of what arrived.
#pragma once

#include <unistd.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {

/// What one sender sends.
struct Picture {
    int width, height;
    const char* format;
    int frames;
    std::string size() const { return std::to_string(width) + "x" + std::to_string(height); }
};
// All widths differ: the width identifies the sender of a stream.
inline constexpr std::array<Picture, 6> kPictures{{{160, 90, "rgba", 20},
                                                   {64, 48, "yuv420p", 30},
                                                   {322, 182, "nv12", 12},
                                                   {96, 96, "uyvy422", 25},
                                                   {128, 70, "gray", 9},
                                                   {200, 64, "yuv422p10le", 15}}};

/// The frames of a sender that reads a pipe, written when the test wants.
class Feed {
  public:
    int input() const { return pipe_.reading.get(); }
    void give(int frames) {
        for (int i = 0; i < frames; ++i) {
            const std::vector<char> frame(std::size_t{kWidth} * kHeight, static_cast<char>(++given_));
            for (std::size_t done = 0; done < frame.size();) {
                const ssize_t written =
                    ::write(pipe_.writing.get(), frame.data() + done, frame.size() - done);
                ASSERT_GT(written, 0);
                done += static_cast<std::size_t>(written);
            }
        }
    }
    void end() { pipe_.writing.reset(); }
    int given() const { return given_; }

    static constexpr int kWidth = 60, kHeight = 40;

  private:
    KernelPipe pipe_;
    int given_ = 0;
};

class ManyStreams : public ProgramTest {
  protected:
    using Json = nlohmann::json;
    using Program = std::unique_ptr<Verbcast>;

    Program start(const Arguments& arguments, int input = -1) const {
        return std::make_unique<Verbcast>(arguments, home_, input);
    }
    Arguments sending(const Picture& picture, const Arguments& peer) const {
        return Arguments{"send",
                         "pattern:counter",
                         "--size",
                         picture.size(),
                         "--format",
                         picture.format,
                         "--frames",
                         std::to_string(picture.frames),
                         "--policy",
                         "lossless",
                         "--fps",
                         "max",
                         "--once",
                         "--frame-md5",
                         sentBy(picture.width)} +
               peer;
    }
    std::string sentBy(int width) const { return file("sent-" + std::to_string(width)); }
    std::string received(int number) const { return file("got-" + std::to_string(number)); }
    /// Sends until it is stopped.
    static Arguments endless(const Arguments& peer) {
        return Arguments{"send", "pattern", "--size", "160x90", "--fps", "100"} + peer;
    }
    Arguments feeding(const Arguments& peer) const {
        return Arguments{"send",
                         "-",
                         "--size",
                         "60x40",
                         "--format",
                         "gray",
                         "--policy",
                         "lossless",
                         "--once",
                         "--fps",
                         "max",
                         "--frame-md5",
                         sentBy(Feed::kWidth)} +
               peer;
    }
    Program view(const Arguments& more) const {
        return start(
            Arguments{"view", "--headless", "--frame-md5", file("got-%n"), "--stats-json", file("viewer")} +
            more);
    }
    std::vector<Json> streams() const { return readJson(file("viewer")).at("streams"); }

    /// Everything that this stream's sender sent has arrived.
    void expectWhole(const Json& stream) const {
        SCOPED_TRACE(stream.dump());
        const std::vector<std::string> sent = md5Lines(sentBy(stream.at("width")));
        EXPECT_FALSE(sent.empty());
        EXPECT_EQ(md5Lines(received(stream.at("number"))), sent);
        EXPECT_EQ(stream.at("frames_received"), sent.size());
        EXPECT_EQ(stream.at("frames_dropped"), 0);
        EXPECT_EQ(stream.at("exit_reason"), "end of stream");
    }
};

/// Variants in which peers within one process may disappear: libfabric 1.17's shm provider crashes then.
inline std::vector<std::string> variantsForMany() {
    std::vector<std::string> names = variantsUnderTest();
    std::erase(names, "ofi_shm");
    return names;
}

}  // namespace verbcast::testing
