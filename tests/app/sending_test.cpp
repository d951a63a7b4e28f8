// What every sending command does with its source, run in this process.
#include "app/send/sending.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <vector>

#include "tests/session/core_support.h"

namespace verbcast::testing {
namespace {

/// One frame, filled with kGood. On destruction it overwrites every free slot, as a relay's upstream may.
class GreedySource final : public FrameSource {
  public:
    static constexpr int kGood = 0x11, kOther = 0xee;

    ~GreedySource() override {
        std::vector<FrameLease> taken;
        while (auto lease = frames_.pool->tryAcquire()) {
            std::memset(lease->data(), kOther, frames_.format.payloadBytes);
            taken.push_back(std::move(*lease));
        }
    }
    std::string describe() const override { return "a greedy source"; }
    std::vector<std::string> notes() const override { return {}; }
    const VideoFormat& format() const override { return frames_.format; }
    bool isLive() const override { return false; }
    std::optional<std::uint64_t> expectedFrames() const override { return 1; }
    Status capture(CapturedFrame& frame, const Event&) override {
        frame.format = frames_.format;
        frame.lease = *frames_.make();
        std::memset(frame.lease.data(), kGood, frames_.format.payloadBytes);
        return Status::Ok;
    }
    SourceCounters counters() const override { return {}; }

  private:
    TestSource frames_;
};

TEST(Sending, AFrameThatIsStillReadAtTheEndIsNotOverwritten) {
    const std::string address = listenAddressFor(std::string("shm"));
    SendingOptions options;
    options.url = parseUrl(address);
    options.listen = true;
    options.frames = 1;
    options.verbosity = Verbosity::Quiet;
    FrameReceiver viewer(receiverOptions(address));
    ReceivedFrame frame;
    auto viewing = std::async(std::launch::async, [&] { return viewer.receive(frame, kLimit); });
    EXPECT_EQ(Sending(options, std::make_unique<GreedySource>()).run(), 0);
    ASSERT_EQ(viewing.get(), Status::Ok);
    for (std::uint64_t at = 0; at < frame.info.payloadBytes; ++at) {
        ASSERT_EQ(static_cast<int>(frame.lease.data()[at]), GreedySource::kGood) << "at byte " << at;
    }
}

}  // namespace
}  // namespace verbcast::testing
