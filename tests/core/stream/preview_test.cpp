// The preview: a viewer that watches a sender without affecting it; and the statistics that it reports.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "core/stream/stats_stream.h"
#include "tests/core/session/core_support.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class Preview : public ::testing::Test {
  protected:
    SenderOptions options(Policy policy) const {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor("shm"));
        options.preview = parseUrl(listenAddressFor("shm"));
        options.policy = policy;
        options.peerTimeout = kLimit;
        return options;
    }
    static ReceiverOptions viewer(const Url& url) {
        ReceiverOptions options;
        options.url = url;
        options.endWithStream = true;
        options.peerTimeout = kLimit;
        return options;
    }
    FrameLease filled(std::uint64_t number) {
        auto lease = pool_->acquire(10s, &never_);
        EXPECT_TRUE(lease);
        std::memcpy(lease->data(), &number, sizeof number);
        return std::move(*lease);
    }
    Status submit(Broadcast& sender, std::uint64_t number) {
        FrameInfo info;
        info.pts = static_cast<std::int64_t>(number);
        info.capturedAt = nowNs();
        return sender.submit(filled(number), format_, info, never_);
    }
    /// A frame that comes while the preview's thread has not looked after the one before passes it by: sends
    /// until one arrives there.
    template <typename Send>
    static bool arrives(ReceivedFrame& frame, FrameReceiver& preview, Send&& send) {
        constexpr int kTimes = 10;
        for (int i = 0; i < kTimes && send(); ++i) {
            if (preview.receive(frame, 2s) == Status::Ok) {
                return true;
            }
        }
        return false;
    }
    /// Waits until the preview's viewer is connected.
    ::testing::AssertionResult isWatched(Broadcast& sender) const {
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (!sender.previewWatched()) {
            // Returns early once somebody watches.
            static_cast<void>(sender.waitForReceiver(30s, never_));
            if (std::chrono::steady_clock::now() > deadline) {
                return ::testing::AssertionFailure() << "nobody watches";
            }
        }
        return ::testing::AssertionSuccess();
    }

    VideoFormat format_ = tightFormat(320, 240, PixelFormat::rgba);
    std::shared_ptr<FramePool> pool_ =
        FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = 8 + kPreviewSlots});
    Event never_;
};

TEST_F(Preview, SeesWhatIsSentAndAppearsInNoFigure) {
    const SenderOptions how = options(Policy::Latest);
    Broadcast sender(how);
    FrameReceiver preview(viewer(*how.preview));
    ASSERT_TRUE(isWatched(sender));
    EXPECT_EQ(sender.receiverCount(), 0U);
    FrameReceiver receiver(viewer(parseUrl(sender.listenAddresses().front())));
    ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
    std::uint64_t sent = 0;
    for (std::uint64_t number = 0; number < 50; ++number) {
        ReceivedFrame frame, shown;
        ASSERT_TRUE(arrives(frame, preview, [&] {
            ++sent;
            return submit(sender, number) == Status::Ok && receiver.receive(shown, kLimit) == Status::Ok;
        }));
        for (const ReceivedFrame* each : {&frame, &shown}) {
            std::uint64_t seen = 0;
            std::memcpy(&seen, each->lease.data(), sizeof seen);
            EXPECT_EQ(seen, number);
        }
        receiver.frameShown(shown);
        preview.frameShown(frame);
    }
    // A frame can arrive before it is counted.
    EXPECT_TRUE(eventually([&] { return sender.stats().framesTransferred == sent; }));
    EXPECT_EQ(sender.stats().framesDropped, 0U);
    EXPECT_EQ(sender.stats().connections, 1U);
    EXPECT_EQ(sender.receivers().size(), 1U);
}

TEST_F(Preview, ThatLooksAtNothingHoldsUpNoLosslessStream) {
    const SenderOptions how = options(Policy::Lossless);
    Broadcast sender(how);
    FrameReceiver preview(viewer(*how.preview));
    ASSERT_TRUE(isWatched(sender));
    FrameReceiver receiver(viewer(parseUrl(sender.listenAddresses().front())));
    ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
    ReceivedFrame held;  // the preview's frame: never released
    for (std::uint64_t number = 0; number < 100; ++number) {
        const auto send = [&] {
            ReceivedFrame frame;
            return submit(sender, number) == Status::Ok && receiver.receive(frame, kLimit) == Status::Ok &&
                   frame.info.pts == static_cast<std::int64_t>(number);
        };
        ASSERT_TRUE(number == 0 ? arrives(held, preview, send) : send());
    }
    EXPECT_EQ(sender.stats().framesDropped, 0U);
}

TEST_F(Preview, IsShownWhatNobodyReceivesWithoutCounting) {
    const SenderOptions how = options(Policy::Latest);
    Broadcast sender(how);
    FrameReceiver preview(viewer(*how.preview));
    ASSERT_TRUE(isWatched(sender));
    sender.submitPreview(filled(7), format_, {.pts = 7});
    ReceivedFrame frame;
    ASSERT_EQ(preview.receive(frame, 10s), Status::Ok);
    EXPECT_EQ(frame.info.pts, 7);
    EXPECT_EQ(sender.stats().framesTransferred, 0U);
    EXPECT_EQ(sender.stats().framesDropped, 0U);
}

TEST_F(Preview, StatsNameEachReceiverAndEndWithTheLastWord) {
    KernelPipe pipe;
    {
        Broadcast sender(options(Policy::Lossless));
        ReceiverOptions watching = viewer(parseUrl(sender.listenAddresses().front()));
        watching.name = "w\"all";
        FrameReceiver receiver(watching);
        ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
        const StatsStream stats(std::make_shared<StatsOutput>(pipe.writing.get()), sender);
        for (std::uint64_t number = 0; number < 10; ++number) {
            ASSERT_EQ(submit(sender, number), Status::Ok);
            ReceivedFrame frame;
            ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
            receiver.frameShown(frame);
        }
        // The viewer may have the last frame before the sender has counted it.
        const Deadline deadline = Deadline::in(10s);
        while (sender.stats().framesTransferred < 10 && !deadline.passed()) {
            std::this_thread::yield();
        }
    }
    pipe.writing.reset();
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = ::read(pipe.reading.get(), buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ASSERT_TRUE(text.ends_with('\n'));
    text.pop_back();
    const auto last = nlohmann::json::parse(text.substr(text.rfind('\n') + 1));
    EXPECT_EQ(last.at("frames_sent"), 10);
    EXPECT_EQ(last.at("frames_dropped"), 0);
    EXPECT_EQ(last.at("bytes"), 10 * format_.payloadBytes);
    EXPECT_EQ(last.at("pixel_format"), "rgba");
    ASSERT_EQ(last.at("receivers").size(), 1U);
    const auto& receiver = last.at("receivers").at(0);
    EXPECT_EQ(receiver.at("name"), "w\"all");
    EXPECT_EQ(receiver.at("transport"), "shm");
    EXPECT_EQ(receiver.at("frames_sent"), 10);
    EXPECT_EQ(receiver.at("frames_dropped"), 0);
}

/// The key book of a host that unknown peers may be waiting to pair with.
class ListenersBook final : public KeyBook {
  public:
    std::optional<Entry> find(std::string_view) override { return std::nullopt; }
    void unpairedCalled(const std::string& host) override { set(PairingInvitation{host, "CODE", 9min}); }
    void pair(const Entry&, const NamedKey&, const std::string&, const std::string&) override {
        set(std::nullopt);
    }
    std::optional<PairingInvitation> invitation() const override {
        const std::lock_guard lock(mutex_);
        return invitation_;
    }

  private:
    void set(const std::optional<PairingInvitation>& invitation) {
        const std::lock_guard lock(mutex_);
        invitation_ = invitation;
    }
    mutable std::mutex mutex_;
    std::optional<PairingInvitation> invitation_;
};

TEST_F(Preview, ACodeAndItsEndAreLinesOfTheirOwnAmongTheStats) {
    const KernelPipe pipe;
    Broadcast sender(options(Policy::Latest));
    const auto book = std::make_shared<ListenersBook>();  // shared with the stats stream
    const StatsStream stats(std::make_shared<StatsOutput>(pipe.writing.get()), sender, book);
    std::string text;
    const auto nextPairing = [&] {
        for (;;) {
            const std::size_t end = text.find('\n');
            if (end == std::string::npos) {
                std::array<char, 4096> buffer;
                const ssize_t got = ::read(pipe.reading.get(), buffer.data(), buffer.size());
                text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
                continue;
            }
            const auto line = nlohmann::json::parse(text.substr(0, end));
            text.erase(0, end + 1);
            if (line.contains("pairing")) {
                return line.at("pairing");
            }
            EXPECT_TRUE(line.contains("frames_sent"));
        }
    };
    book->unpairedCalled("10.0.0.9");
    EXPECT_EQ(nextPairing(), (nlohmann::json{{"host", "10.0.0.9"}, {"code", "CODE"}, {"seconds", 540}}));
    book->pair({}, {}, "", "");
    EXPECT_TRUE(nextPairing().is_null());
    book->unpairedCalled("10.0.0.8");
    EXPECT_EQ(nextPairing().at("host"), "10.0.0.8");
}

TEST_F(Preview, AReaderOfStatsThatIsGoneEndsNothing) {
    KernelPipe pipe;
    pipe.reading.reset();
    Broadcast sender(options(Policy::Latest));
    const StatsStream stats(std::make_shared<StatsOutput>(pipe.writing.get()), sender);
    EXPECT_EQ(submit(sender, 0), Status::Ok);
}

}  // namespace
}  // namespace verbcast::testing
