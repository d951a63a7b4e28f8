// Synchronised viewers over every transport: the same frames at the same times, whatever one of them does.
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "core/sync/frame_lock_stream.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

/// A viewer without a screen: one thread receives, and another, which a test can hang, shows.
class Viewer {
  public:
    explicit Viewer(const ReceiverOptions& options) : frameLock_(options.slots), receiver_(with(options)) {
        showing_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
        receiving_ = std::jthread([this](const std::stop_token& stop) { receive(stop); });
    }
    ~Viewer() {
        hang(false);
        receiver_.cancel();
    }

    /// Stops or resumes drawing.
    void hang(bool hangs) {
        const std::lock_guard lock(mutex_);
        hangs_ = hangs;
        changed_.notify_all();
    }
    struct Picture {
        TimestampNs due = 0, at = 0;
        std::uint64_t content = 0;
        bool whole = false;  // the frame reports no changed rectangles: all of it is new
    };
    /// The pictures shown, by sequence.
    std::map<std::uint64_t, Picture> pictures() const {
        const std::lock_guard lock(mutex_);
        return pictures_;
    }
    std::size_t count() const {
        const std::lock_guard lock(mutex_);
        return pictures_.size();
    }
    bool hasShown(std::uint64_t sequence) const {
        const std::lock_guard lock(mutex_);
        return pictures_.contains(sequence);
    }
    /// Whether a frame was taken but is not drawn because the viewer hangs.
    bool isHanging() const {
        const std::lock_guard lock(mutex_);
        return hanging_;
    }
    std::optional<FrameLockStats> stats() const { return frameLock_.stats(); }
    std::string problem() const { return receiver_.status().senderReason; }

  private:
    ReceiverOptions with(ReceiverOptions options) {
        options.frameLock = &frameLock_;
        return options;
    }
    void receive(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            ReceivedFrame frame;
            const Status status = receiver_.receive(frame, 50ms);
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
                    std::unique_lock lock(mutex_);
                    hanging_ = hangs_;
                    changed_.wait(lock, [&] { return !hangs_ || stop.stop_requested(); });
                    hanging_ = false;
                    drawn = std::move(next);
                    frameLock_.drawn();
                }
                const auto due = frameLock_.dueSoon();
                if (!due) {
                    break;
                }
                sleepExactly(*due);
                const TimestampNs at = nowNs();
                if (drawn) {
                    std::uint64_t content = 0;
                    std::memcpy(&content, drawn->lease.data(), sizeof content);
                    // A frame that was held for too long in the sender's memory may have been taken back.
                    const bool whole = receiver_.confirm(*drawn);
                    const std::lock_guard lock(mutex_);
                    if (whole) {
                        pictures_[drawn->info.sequence] = {*due, at, content, drawn->info.rectCount == 0};
                    }
                    drawn.reset();
                }
                frameLock_.shown(at, ShownBy::Timer);
            }
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool hangs_ = false, hanging_ = false;
    std::map<std::uint64_t, Picture> pictures_;
    FrameLockStream frameLock_;
    FrameReceiver receiver_;
    std::jthread showing_, receiving_;
};

class Together : public TransportSuite {
  protected:
    void begin(SyncMode mode, std::chrono::milliseconds peerTimeout = kLimit,
               Policy policy = Policy::Latest) {
        SenderOptions options = senderOptions(GetParam(), policy);
        options.sync = mode;
        options.peerTimeout = peerTimeout;
        sender_ = std::make_unique<Broadcast>(options);
        source_.format.frameRate = {100, 1};
    }
    std::unique_ptr<Viewer> view(const std::string& name) {
        ReceiverOptions options = receiverOptions(*sender_);
        options.name = name;
        auto viewer = std::make_unique<Viewer>(options);
        const std::size_t before = viewers_;
        EXPECT_TRUE(eventually([&] { return sender_->receiverCount() > before; }));
        ++viewers_;
        return viewer;
    }
    /// Sends frames at their pace until the condition holds.
    template <typename Condition>
    bool sendUntil(Condition&& condition, std::chrono::milliseconds pace = 5ms) {
        const Deadline limit = Deadline::in(2 * kLimit);
        while (!condition()) {
            if (limit.passed()) {
                return false;
            }
            EXPECT_EQ(source_.send(*sender_), Status::Ok);
            std::this_thread::sleep_for(pace);
        }
        return true;
    }
    /// Number of frames that both have shown, for which their due times must be equal.
    static std::size_t shownByBoth(const Viewer& a, const Viewer& b, bool numbered = true) {
        const auto ours = a.pictures(), others = b.pictures();
        std::size_t both = 0;
        for (const auto& [sequence, picture] : ours) {
            if (const auto found = others.find(sequence); found != others.end()) {
                EXPECT_EQ(picture.due, found->second.due)
                    << "frame " << sequence << ", shown at " << picture.at << " and " << found->second.at;
                EXPECT_TRUE(!numbered || picture.content == sequence) << sequence;
                EXPECT_TRUE(!numbered || found->second.content == sequence) << sequence;
                ++both;
            }
        }
        return both;
    }

    std::unique_ptr<Broadcast> sender_;
    TestSource source_;
    std::size_t viewers_ = 0;
};

TEST_P(Together, HoldingAllShowTheSameFramesAtTheSameTimes) {
    begin(SyncMode::Hold);
    const auto one = view("one"), two = view("two"), three = view("three");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *two) >= 30 && shownByBoth(*two, *three) >= 30; }));
    // Once all take part, none shows a frame that another does not.
    const auto pictures = one->pictures(), others = two->pictures();
    const std::uint64_t from = std::max(pictures.begin()->first, others.begin()->first) + 8;
    const std::uint64_t to = std::min(pictures.rbegin()->first, others.rbegin()->first);
    for (std::uint64_t sequence = from; sequence < to; ++sequence) {
        EXPECT_EQ(pictures.contains(sequence), others.contains(sequence)) << sequence;
    }
    const FrameLockStats stats = *sender_->stats().frameLock;
    EXPECT_EQ(stats.displays, 3U);
    EXPECT_GE(stats.frames, 20U);
    EXPECT_GT(stats.skew.count, 0U);
    EXPECT_GT(stats.delayMs, 0);
    EXPECT_EQ(stats.each.size(), 3U);
    EXPECT_EQ(stats.each.front().clock, nameOf(ClockBy::SameHost));
    // What the sender reports to its displays.
    EXPECT_TRUE(sendUntil([&] { return one->stats() && one->stats()->displays == 3; }));
}

TEST_P(Together, GoingAllShowAFrameAtTheTimeThatTravelsWithIt) {
    begin(SyncMode::Go);
    const auto one = view("one"), two = view("two");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *two) >= 30; }));
    EXPECT_EQ(sender_->stats().frameLock->mode, "go");
}

TEST_P(Together, HoldingALateOneHoldsAll) {
    begin(SyncMode::Hold);
    const auto one = view("one"), late = view("late");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *late) >= 5; }));
    late->hang(true);
    ASSERT_TRUE(sendUntil([&] { return late->isHanging(); }));
    // Frames already ordered are shown, then nothing, however many frames arrive.
    std::uint64_t sent = source_.next;
    ASSERT_TRUE(sendUntil([&] { return source_.next >= sent + 20; }));
    const std::size_t held = one->count();
    sent = source_.next;
    ASSERT_TRUE(sendUntil([&] { return source_.next >= sent + 20; }));
    EXPECT_LE(one->count(), held + 1);
    late->hang(false);
    const std::size_t both = shownByBoth(*one, *late);
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *late) >= both + 10; }));
    EXPECT_GT(sender_->stats().frameLock->framesHeld, 0U);
}

TEST_P(Together, GoingTheOthersDoNotWaitForALateOneWhichComesBack) {
    begin(SyncMode::Go);
    const auto one = view("one"), late = view("late");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *late) >= 5; }));
    late->hang(true);
    ASSERT_TRUE(sendUntil([&] { return late->isHanging(); }));
    const std::size_t before = one->count();
    ASSERT_TRUE(sendUntil([&] { return one->count() >= before + 20; }));
    late->hang(false);
    const std::size_t both = shownByBoth(*one, *late);
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *late) >= both + 10; }));
    // Counted once both have reported these frames or later ones.
    EXPECT_TRUE(sendUntil([&] { return sender_->stats().frameLock->framesWithout > 0; }));
}

TEST_P(Together, HoldingOneThatGoesAwayFreesTheOthers) {
    begin(SyncMode::Hold);
    const auto one = view("one");
    auto gone = view("gone");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *gone) >= 5; }));
    gone->hang(true);
    ASSERT_TRUE(sendUntil([&] { return gone->isHanging(); }));
    const std::size_t before = one->count();
    gone.reset();
    ASSERT_TRUE(sendUntil([&] { return one->count() >= before + 20; }));
}

TEST_P(Together, HoldingOneThatIsThereAndHangsIsLeftOutAfterThePeerTimeout) {
    begin(SyncMode::Hold, 1500ms);
    const auto one = view("one"), stuck = view("stuck");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *stuck) >= 5; }));
    stuck->hang(true);
    ASSERT_TRUE(sendUntil([&] { return stuck->isHanging(); }));
    const std::size_t before = one->count();
    ASSERT_TRUE(sendUntil([&] { return one->count() >= before + 20; }));
    stuck->hang(false);
    const std::size_t both = shownByBoth(*one, *stuck);
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *stuck) >= both + 5; }));
}

TEST_P(Together, OneThatComesLaterTakesPart) {
    begin(SyncMode::Hold);
    const auto one = view("one");
    ASSERT_TRUE(sendUntil([&] { return one->count() >= 10; }));
    const auto two = view("two");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *two) >= 10; }));
}

TEST_P(Together, ALosslessStreamIsShownWholeByAll) {
    begin(SyncMode::Hold, kLimit, Policy::Lossless);
    const auto one = view("one"), two = view("two");
    ASSERT_TRUE(sendUntil([&] { return shownByBoth(*one, *two) >= 20; }));
    const auto pictures = one->pictures(), others = two->pictures();
    for (std::uint64_t sequence = std::max(pictures.begin()->first, others.begin()->first) + 8;
         sequence < std::min(pictures.rbegin()->first, others.rbegin()->first); ++sequence) {
        EXPECT_TRUE(pictures.contains(sequence)) << sequence;
        EXPECT_TRUE(others.contains(sequence)) << sequence;
    }
}

TEST_P(Together, ADisplayThatHangsDoesNotStopALosslessStream) {
    for (const SyncMode mode : {SyncMode::Hold, SyncMode::Go}) {
        viewers_ = 0;
        begin(mode, 1500ms, Policy::Lossless);
        const auto one = view("one"), stuck = view("stuck");
        ASSERT_TRUE(sendUntil([&] { return one->count() >= 5 && stuck->count() >= 5; }));
        stuck->hang(true);
        ASSERT_TRUE(sendUntil([&] { return stuck->isHanging(); }));
        const std::size_t before = one->count();
        ASSERT_TRUE(sendUntil([&] { return one->count() >= before + 40; })) << nameOf(mode);
        // All slots are full before any of their frames is due.
        const std::size_t atOnce = one->count();
        ASSERT_TRUE(sendUntil([&] { return one->count() >= atOnce + 40; }, 0ms)) << nameOf(mode);
    }
}

TEST_P(Together, AfterFramesThatWereHeldOnlyWhatChangedComes) {
    begin(SyncMode::Hold);
    const auto one = view("one"), late = view("late");
    const auto sendPartsUntil = [&](auto&& condition) {
        const Deadline limit = Deadline::in(2 * kLimit);
        while (!condition() && !limit.passed()) {
            auto lease = source_.make();
            ASSERT_TRUE(lease);
            FrameInfo info = source_.info();
            info.rectCount = 1;
            info.rects[0] = {0, 0, 160, 1};
            ASSERT_EQ(sender_->submit(std::move(*lease), source_.format, info, source_.never), Status::Ok);
            std::this_thread::sleep_for(5ms);  // the source's pace
        }
        EXPECT_TRUE(condition());
    };
    sendPartsUntil([&] { return shownByBoth(*one, *late, false) >= 5; });
    const std::uint64_t begun = one->pictures().rbegin()->first;
    late->hang(true);
    sendPartsUntil([&] { return late->isHanging(); });
    const std::uint64_t held = sender_->stats().frameLock->framesHeld;
    sendPartsUntil([&] { return sender_->stats().frameLock->framesHeld >= held + 20; });
    late->hang(false);
    const std::size_t both = shownByBoth(*one, *late, false);
    sendPartsUntil([&] { return shownByBoth(*one, *late, false) >= both + 10; });
    for (const Viewer* viewer : {one.get(), late.get()}) {
        for (const auto& [sequence, picture] : viewer->pictures()) {
            EXPECT_FALSE(sequence > begun && picture.whole) << sequence;
        }
    }
}

TEST_P(Together, AViewerThatDoesNotTakePartIsNotWaitedFor) {
    begin(SyncMode::Hold);
    const auto one = view("one");
    FrameReceiver recorder(receiverOptions(*sender_));
    ASSERT_TRUE(eventually([&] { return sender_->receiverCount() == 2; }));
    ReceivedFrame frame;
    std::size_t recorded = 0;
    ASSERT_TRUE(sendUntil([&] {
        recorded += recorder.receive(frame, 0ns) == Status::Ok ? 1 : 0;
        return one->count() >= 20 && recorded >= 10;
    }));
    EXPECT_EQ(sender_->stats().frameLock->displays, 1U);
}

TEST_P(Together, WithoutASenderThatTellsFramesAreShownAsTheyCome) {
    begin(SyncMode::Off);
    const auto one = view("one");
    ASSERT_TRUE(sendUntil([&] { return one->count() >= 10; }));
    EXPECT_FALSE(one->stats());
    EXPECT_FALSE(sender_->stats().frameLock);
}

VERBCAST_OVER_TRANSPORTS(Together, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing
