// Displays whose picture several senders draw show each frame together, at the time that the wall's conductor
// sets.
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "app/view/tile/tile_stream.h"
#include "core/sync/frame_lock_stream.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

constexpr std::uint16_t kSide = 256;  // of a source's pictures

/// Two sources side by side; the first is the conductor.
Wall twoSources() {
    Wall wall{.width = 2 * kSide, .height = kSide, .gaps = false, .displays = {}, .sources = {}};
    wall.displays.resize(3);
    wall.displays[0].name = "left";
    wall.displays[0].rectangle = {0, 0, kSide, kSide};
    wall.displays[1].name = "right";
    wall.displays[1].rectangle = {kSide, 0, kSide, kSide};
    wall.displays[2].name = "both";
    wall.displays[2].rectangle = {0, 0, 2 * kSide, kSide};
    wall.sources = {{.name = "a", .rectangle = {0, 0, kSide, kSide}, .url = {}},
                    {.name = "b", .rectangle = {kSide, 0, kSide, kSide}, .url = {}}};
    wall.conductor = "a";
    return wall;
}

/// A display without a screen: one thread receives, another shows.
class Display {
  public:
    Display(const std::string& name, const std::map<std::string, std::string>& addresses)
        : tile_(findTile(twoSources(), "the wall", name)), frameLock_(ReceiverOptions{}.slots) {
        std::vector<ReceiverOptions> sources;
        for (const WallSource& source : tile_.wall.sources) {
            sources.push_back(receiverOptions(addresses.at(source.name)));
            sources.back().endWithStream = false;
        }
        sources.at(tile_.conductor().value()).frameLock = &frameLock_;
        if (sources.size() == 1) {
            sources.front().region = tile_.wish();
            source_ = std::make_unique<SenderStream>(sources.front());
        } else {
            source_ = std::make_unique<TileStream>(tile_, sources, ReceiverOptions{}.slots);
        }
        showing_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
        receiving_ = std::jthread([this](const std::stop_token& stop) { receive(stop); });
    }
    ~Display() { source_->end(); }

    struct Picture {
        TimestampNs due = 0;                // 0: shown independently
        std::uint64_t first = 0, last = 0;  // its first and last words
        std::uint64_t sequence = 0;
    };
    /// By time stamp.
    std::map<std::int64_t, Picture> pictures() const {
        const std::lock_guard lock(mutex_);
        return pictures_;
    }
    std::int64_t lastShown() const {
        const std::lock_guard lock(mutex_);
        return pictures_.empty() ? -1 : pictures_.rbegin()->first;
    }
    StreamStats stats() { return source_->stats(); }
    std::optional<FrameLockStats> frameLock() const { return frameLock_.stats(); }

  private:
    void receive(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            ReceivedFrame frame;
            const Status status = source_->receive(frame, 50ms);
            if (status == Status::Ok) {
                frameLock_.put(std::move(frame));
            } else if (status != Status::TimedOut) {
                return;
            }
        }
    }
    void show(const std::stop_token& stop) {
        std::optional<ReceivedFrame> drawn;
        while (!stop.stop_requested()) {
            waitReadable({frameLock_.descriptor()}, 20ms);
            for (;;) {
                if (auto next = frameLock_.next()) {
                    drawn = std::move(next);
                    frameLock_.drawn();
                }
                const auto due = frameLock_.dueSoon();
                if (!due) {
                    break;
                }
                sleepExactly(*due);
                const FrameLockStream::Swapped swapped = frameLock_.swapped();
                if (drawn) {
                    note(*drawn, swapped.message ? swapped.message->due : 0);
                    drawn.reset();
                }
                frameLock_.told(swapped, nowNs(), ShownBy::Timer);
            }
        }
    }
    void note(const ReceivedFrame& frame, TimestampNs due) {
        Picture picture{.due = due, .sequence = frame.info.sequence};
        std::memcpy(&picture.first, frame.lease.data(), 8);
        std::memcpy(&picture.last, frame.lease.data() + frame.format->payloadBytes - 8, 8);
        // A frame held too long in the sender's memory may have been reclaimed, and its session closed.
        if (!source_->confirm(frame)) {
            return;
        }
        source_->frameShown(frame);
        const std::lock_guard lock(mutex_);
        pictures_[frame.info.pts] = picture;
    }

    const ViewedTile tile_;
    mutable std::mutex mutex_;
    std::map<std::int64_t, Picture> pictures_;
    FrameLockStream frameLock_;
    std::unique_ptr<ViewedSource> source_;
    std::jthread showing_, receiving_;
};

class TilesTogether : public TransportSuite {
  protected:
    void beginConductor(const std::string& address) {
        SenderOptions options = senderOptions(GetParam(), Policy::Latest);
        if (!address.empty()) {
            options.url = parseUrl(address);
        }
        options.sync = mode_;
        conductor_ = std::make_unique<Broadcast>(options);
        addresses_["a"] = conductor_->listenAddresses().front();
    }
    void SetUp() override {
        beginConductor("");
        other_ = std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Latest));
        addresses_["b"] = other_->listenAddresses().front();
        a_.format.frameRate = b_.format.frameRate = {100, 1};
    }
    /// Sends a picture from each source at their frame rate until the condition holds. The second source
    /// skips every eighth.
    template <typename Condition>
    bool sendUntil(Condition&& condition) {
        const Deadline limit = Deadline::in(2 * kLimit);
        while (!condition()) {
            if (limit.passed()) {
                return false;
            }
            if (conductor_) {
                EXPECT_EQ(a_.send(*conductor_), Status::Ok);
                noteWhoIsLeftOut();
            } else {
                ++a_.next;
            }
            if (b_.next % 8 != 0) {
                EXPECT_EQ(b_.send(*other_), Status::Ok);
            } else {
                ++b_.next;
            }
            std::this_thread::sleep_for(5ms);
        }
        return true;
    }
    /// On a slow machine displays are late, and even lose their connections, after which nothing tells of
    /// them.
    void noteWhoIsLeftOut() {
        const auto frameLock = conductor_->stats().frameLock;
        const auto late = [](const DisplayStats& each) { return each.timesLeftOut > 0; };
        mostDisplays_ = std::max(mostDisplays_, frameLock ? frameLock->displays : 0);
        leftOut_ = leftOut_ || (frameLock && (frameLock->displays < mostDisplays_ ||
                                              std::ranges::any_of(frameLock->each, late)));
    }
    /// The number of pictures that both have shown together, all at the times they were given.
    static std::size_t shownByBoth(const Display& a, const Display& b) {
        const auto ours = a.pictures(), others = b.pictures();
        std::size_t both = 0;
        for (const auto& [pts, picture] : ours) {
            const auto found = others.find(pts);
            if (found != others.end() && picture.due != 0 && found->second.due != 0) {
                EXPECT_EQ(picture.due, found->second.due) << "picture " << pts;
                EXPECT_EQ(picture.sequence, found->second.sequence) << "the conductor's";
                ++both;
            }
        }
        return both;
    }

    SyncMode mode_ = SyncMode::Hold;
    std::uint32_t mostDisplays_ = 0;
    bool leftOut_ = false;  // any of them, at any time
    std::unique_ptr<Broadcast> conductor_, other_;
    std::map<std::string, std::string> addresses_;
    TestSource a_{tightFormat(kSide, kSide, PixelFormat::rgba)},
        b_{tightFormat(kSide, kSide, PixelFormat::rgba)};
};

TEST_P(TilesTogether, ShowTheSamePicturesAtTheSameTimesWhateverTheyShowOfTheConductor) {
    Display left("left", addresses_), right("right", addresses_), both("both", addresses_);
    ASSERT_TRUE(eventually([&] { return conductor_->receiverCount() == 3 && other_->receiverCount() == 2; }));
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(left, right) >= 24 && shownByBoth(right, both) >= 24; }));
    for (Display* display : {&right, &both}) {
        for (const auto& [pts, picture] : display->pictures()) {
            EXPECT_EQ(picture.first, static_cast<std::uint64_t>(pts));
            EXPECT_EQ(picture.last, static_cast<std::uint64_t>(pts));
            EXPECT_NE(pts % 8, 0) << "the second source has none of it";
        }
    }
    // Once all take part, none shows a frame that another cannot; unless that one was too late and is not
    // waited for.
    const auto pictures = left.pictures();
    const std::int64_t from = right.pictures().begin()->first + 16, to = both.lastShown();
    for (const auto& [pts, picture] : pictures) {
        EXPECT_TRUE(pts < from || pts > to || pts % 8 != 0 || leftOut_) << pts;
    }
    EXPECT_TRUE(sendUntil([&] { return conductor_->stats().frameLock->displays == 3; }));
    EXPECT_FALSE(other_->stats().frameLock);
    ASSERT_TRUE(right.frameLock());
    EXPECT_TRUE(right.frameLock()->own.connected);
    // Almost nothing of the conductor's pictures was sent to it.
    const std::uint64_t bytesOfB = b_.next * kSide * kSide * 4;
    EXPECT_LE(static_cast<double>(right.stats().bytesMoved), 1.02 * static_cast<double>(bytesOfB));
}

TEST_P(TilesTogether, WithoutWaitingForEachOtherShowThemAtTheTimesThatTravelWithTheConductorsFrames) {
    mode_ = SyncMode::Go;
    beginConductor("");
    Display left("left", addresses_), right("right", addresses_);
    ASSERT_TRUE(eventually([&] { return conductor_->receiverCount() == 2 && other_->receiverCount() == 1; }));
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(left, right) >= 24; }));
    EXPECT_EQ(conductor_->stats().frameLock->mode, "go");
    EXPECT_EQ(conductor_->stats().frameLock->displays, 2U);
}

TEST_P(TilesTogether, GoOnWithoutAConductorOfWhichTheyShowNothingAndTogetherOnceItIsBack) {
    Display left("left", addresses_), right("right", addresses_);
    ASSERT_TRUE(eventually([&] { return conductor_->receiverCount() == 2 && other_->receiverCount() == 1; }));
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(left, right) >= 8; }));
    conductor_.reset();
    const std::int64_t gone = static_cast<std::int64_t>(a_.next);
    ASSERT_TRUE(sendUntil([&] { return right.lastShown() > gone + 24; })) << "pictures came to nothing";
    EXPECT_LE(left.lastShown(), gone);
    beginConductor(addresses_["a"]);
    const std::int64_t back = static_cast<std::int64_t>(a_.next);
    ASSERT_TRUE(sendUntil([&] {
        const auto pictures = left.pictures();
        const auto others = right.pictures();
        return std::ranges::count_if(pictures, [&](const auto& each) {
                   const auto found = others.find(each.first);
                   return each.first > back && found != others.end() &&
                          found->second.due == each.second.due && each.second.due != 0;
               }) >= 8;
    })) << "they show together again";
}

VERBCAST_OVER_TRANSPORTS(TilesTogether, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
