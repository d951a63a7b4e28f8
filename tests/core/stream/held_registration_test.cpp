// A viewer whose connection takes long to register memory, or to encrypt a frame, holds up nobody else.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>

#include "core/session/greeting/session_acceptor.h"
#include "core/stream/submission.h"
#include "core/transport/stages.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

/// A path that does something as slowly as the test likes.
class SlowPath : public PathStage {
  public:
    using PathStage::PathStage;
    std::latch asked{1}, allowed{1};

  protected:
    void hold() {
        if (!asked.try_wait()) {
            asked.count_down();
        }
        allowed.wait();
    }
};

class SlowRegistration final : public SlowPath {
  public:
    using SlowPath::SlowPath;
    std::optional<Import> reaches(const Memory&) const override { return std::nullopt; }
    Import import(const std::shared_ptr<const Memory>& memory) override {
        hold();
        return *PathStage::reaches(*memory);
    }
    void prepare(const std::shared_ptr<FramePool>& pool) override {
        hold();
        PathStage::prepare(pool);
    }
};

/// Of an encrypted session. Its first frame does not leave at once if it `isBusy`.
class SlowCipher final : public SlowPath {
  public:
    using SlowPath::SlowPath;
    bool isBusy = false;

    Status send(const OutgoingFrame& frame) override {
        hold();
        return std::exchange(isBusy, false) ? Status::Busy : PathStage::send(frame);
    }
};

/// A sender with a slow viewer and, once it comes, another.
class HeldUp : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kFrames = 100;

    explicit HeldUp(const std::string& address)
        : acceptor_(parseUrl(address), {}, {.role = Role::Sender, .name = "sender"}) {}
    template <typename Path>
    Path& begin(Protection protection) {
        slow_ = viewer();
        PeerConnection peer = nextPeer();
        peer.trust.protection = protection;
        const auto path = std::make_shared<Path>(peer.connection.frames);
        path_ = path;
        releasing_ = std::jthread([this] {
            timedOut_ = !waitReadable({done_.descriptor()}, kLimit);
            path_->allowed.count_down();
        });
        peer.connection.frames = path_;
        audience_.add(std::move(peer));
        return *path;
    }
    void TearDown() override { release(); }
    void release() { done_.notify(); }
    std::unique_ptr<FrameReceiver> viewer() const {
        ReceiverOptions options = receiverOptions(acceptor_.addresses().front());
        options.peerTimeout = 10min;  // the slow one is silent meanwhile
        return std::make_unique<FrameReceiver>(options);
    }
    PeerConnection nextPeer() {
        for (;;) {
            auto peer = acceptor_.next([](const Hello&, const PeerTrust&) { return std::nullopt; });
            if (peer) {
                return std::move(*peer);
            }
            waitReadable(acceptor_.descriptors(), acceptor_.nextLook());
        }
    }
    /// A slot of our own memory, or one that its owner has filled.
    std::optional<FrameLease> next() {
        if (pool_->memory()->writable()) {
            return pool_->acquire(kLimit, nullptr);
        }
        pool_->slots().takeFree([](std::uint32_t) {});
        return pool_->adopt(passedOn_++ % pool_->slotCount());
    }
    std::uint64_t send() {
        auto lease = next();
        FrameInfo info;
        info.capturedAt = nowNs();
        const QueuedFrame frame = submission_.make(std::move(lease.value()), TrackFormat::ofVideo(format_),
                                                   format_.payloadBytes, info);
        submission_.distribute(frame);
        return frame.info.sequence;
    }
    void sendToOthers() {
        const auto other = viewer();
        audience_.add(nextPeer());
        send();
        ReceivedFrame got;
        ASSERT_EQ(other->receive(got, kLimit), Status::Ok);
        path_->asked.wait();
        for (std::uint64_t i = 0; i < kFrames; ++i) {
            const std::uint64_t sequence = send();
            ASSERT_EQ(other->receive(got, kLimit), Status::Ok);
            ASSERT_EQ(got.info.sequence, sequence);
        }
        EXPECT_FALSE(timedOut_) << "the source waited for the slow one";
    }
    void expectTheSlowOneFollows() {
        ReceivedFrame got;
        release();
        Status status = Status::TimedOut;
        const Deadline deadline = Deadline::in(kLimit);
        while (status == Status::TimedOut && !deadline.passed()) {
            send();
            status = slow_->receive(got, 10ms);
        }
        EXPECT_EQ(status, Status::Ok);
        EXPECT_GE(audience_.shared().frames[kMainTrack].dropped, 1U);
    }

    const VideoFormat format_ = tightFormat(64, 64, PixelFormat::rgba);
    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = 8});
    std::uint32_t passedOn_ = 0;
    SessionAcceptor acceptor_;
    std::shared_ptr<SlowPath> path_;
    std::unique_ptr<FrameReceiver> slow_;
    Event done_;
    std::atomic<bool> timedOut_{false};
    std::jthread releasing_;
    static AudienceOptions patient() {
        AudienceOptions options;
        options.peerTimeout = 10min;
        return options;
    }
    Audience audience_{patient()};
    Submission submission_{audience_};
};

class HeldRegistration : public HeldUp {
  protected:
    HeldRegistration() : HeldUp(listenAddressFor("tcp")) { begin<SlowRegistration>(Protection::None); }
};

TEST_F(HeldRegistration, OfASendersOwnMemoryHoldsUpNobodyElse) {
    sendToOthers();
    expectTheSlowOneFollows();
}

TEST_F(HeldRegistration, OfMemoryThatIsPassedOnHoldsUpNobodyElse) {
    const UniqueFd file(::memfd_create("frames", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(8 * pool_->slotBytes())), 0);
    pool_ = FramePool::mapFile(file.get(), 0, pool_->slotBytes(), 8);
    ASSERT_FALSE(pool_->memory()->writable());
    sendToOthers();
    expectTheSlowOneFollows();
}

class HeldEncryption : public HeldUp, public ::testing::WithParamInterface<TransportUnderTest> {
  protected:
    HeldEncryption() : HeldUp(listenAddressFor(GetParam())) {}
    void expectDropped(std::uint64_t frames) {
        EXPECT_EQ(audience_.shared().frames[kMainTrack].dropped, frames);
    }
    void expectTheSlowOneGets(std::initializer_list<std::uint64_t> sequences) {
        release();
        for (const std::uint64_t sequence : sequences) {
            ReceivedFrame got;
            ASSERT_EQ(slow_->receive(got, kLimit), Status::Ok);
            EXPECT_EQ(got.info.sequence, sequence);
        }
    }
};

/// Two frames wait behind the one that is being encrypted, and it arrives.
TEST_P(HeldEncryption, HoldsUpNobodyElse) {
    begin<SlowCipher>(Protection::Encrypted);
    sendToOthers();
    expectDropped(kFrames - 2);
    expectTheSlowOneGets({0, kFrames - 1, kFrames});
    expectDropped(kFrames - 2);
}

TEST_P(HeldEncryption, OfAFrameThatCannotLeaveYetGivesItUpForNewerOnes) {
    begin<SlowCipher>(Protection::Encrypted).isBusy = true;
    sendToOthers();
    expectTheSlowOneGets({kFrames - 1, kFrames});
    expectDropped(kFrames - 1);
}

VERBCAST_OVER_TRANSPORTS(HeldEncryption, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing
