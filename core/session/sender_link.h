// The sending end of one connection: a short queue, credits, and frames on their way.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "core/session/input_queue.h"
#include "core/session/link.h"

namespace verbcast {

enum class Policy {
    Latest,    ///< live: when a receiver is not ready, its oldest unsent frame is dropped
    Lossless,  ///< nothing is dropped: the source waits for the slowest receiver
};

/// A stretch of the stream in which size, format and pool stay the same.
struct Epoch {
    std::uint32_t number = 0;      ///< from 1
    std::uint32_t generation = 0;  ///< rises when the pool changes
    VideoFormat format;
    std::shared_ptr<FramePool> pool;  // shared by the source, the epochs and the channels that read from it
};

struct QueuedFrame {
    FrameLease lease;
    FrameInfo info;
    std::shared_ptr<const Epoch> epoch;  // shared by all frames of the epoch
};

/// What a sender tells about one of its receivers.
struct ReceiverStats {
    ChannelDescription channel;
    std::string name;
    std::uint64_t framesSent = 0;
    std::uint64_t framesDropped = 0;
    Report report;  ///< the receiver's last word
};

class SenderLink final : public Link {
  public:
    /// What the links of one sender have in common; outlives them.
    struct Shared {
        Policy policy = Policy::Latest;
        std::uint32_t slots = 8;
        std::atomic<std::uint32_t> linkCount{0};
        std::atomic<std::uint64_t> nextUncounted{0};  ///< sequence of the first frame no link has sent yet
        std::atomic<std::uint64_t> framesSent{0};
        std::atomic<std::uint64_t> bytesSent{0};
        std::atomic<std::uint64_t> bytesCopied{0};
        std::atomic<std::uint64_t> framesDropped{0};
        std::atomic<TimestampNs> firstSentAt{0};
        std::atomic<TimestampNs> lastSentAt{0};
        LatencyRecorder capture;  ///< recorded by the submitting thread
        bool allowInput = false;
        InputQueue input;
        ArmedEvent progress;             ///< a queue has room, a receiver is ready or gone
        ArmedEvent* audience = nullptr;  ///< may be null: a receiver is ready
    };

    /// `viewer` tells this receiver's input from that of others.
    SenderLink(std::unique_ptr<Channel> channel, const LinkOptions& options, Shared& shared,
               std::shared_ptr<const Epoch> current, std::uint64_t viewer);

    // From the submitting thread.
    /// With Latest always Ok: an older frame may be dropped. With Lossless Busy while the queue is full.
    Status push(QueuedFrame&& frame);
    bool canPush();
    /// No frame will follow: send what is queued, say so, wait for the receiver's goodbye.
    void finish(const std::string& reason);

    // From any thread.
    bool accepting() const { return accepting_.load(); }
    ReceiverStats stats() const;

    /// After run(): what this receiver holds down is up.
    void releaseInput();

  private:
    void onReady() override;
    void onSessionMessage(MessageType type, ByteReader& reader) override;
    bool step() override;
    bool mayDoze() override;
    void onStopping() override;
    void onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) override;
    void onFrameSent(std::uint32_t localSlot) override;

    bool sharesPool() { return channel().description().sharesPool; }
    void announce(const std::shared_ptr<const Epoch>& epoch);
    bool sendNext();
    bool takeRemoteSlot(const QueuedFrame& frame, std::uint32_t& slot);
    void handleCredit(std::uint32_t generation, std::uint32_t slot);
    void handleInput(InputMessage&& message);
    std::uint64_t shownInput(std::uint64_t serial);
    void countSent(const FrameInfo& info);
    std::uint32_t heldLimit() const;

    Shared& shared_;
    std::atomic<bool> accepting_{false};

    // The queue is shared between the submitting thread and the link's. Its lock is held for a few moves of
    // pointers and contended only when both touch it at once: dropping the oldest frame rules out a plain
    // ring.
    mutable std::mutex mutex_;
    std::array<QueuedFrame, 2> queue_;
    std::size_t queueCount_ = 0;
    bool finishing_ = false;
    std::string finishReason_;
    Report report_;
    std::atomic<std::uint64_t> framesSent_{0};
    std::atomic<std::uint64_t> framesDropped_{0};

    // The link's thread only.
    std::shared_ptr<const Epoch> announced_;
    std::shared_ptr<const Epoch> starting_;
    std::uint32_t acceptedEpoch_ = 0;
    std::uint32_t remoteGeneration_ = 0;
    std::uint64_t remoteSlotBytes_ = 0;
    std::uint32_t remoteSlotCount_ = 0;
    std::vector<std::uint16_t> credits_;      // remote slots that may be written
    std::array<bool, kMaxSlots> credited_{};  // the same as a set, to refuse double credits
    std::array<FrameLease, kMaxSlots>
        inFlight_;  // by local slot: until sent, or with sharesPool until credited
    std::uint32_t inFlightCount_ = 0;
    std::uint64_t bytesCopied_ = 0;  // of this channel, as far as shared_ knows
    struct OldLease {
        std::uint32_t generation;
        FrameLease lease;
    };
    std::vector<OldLease>
        heldFromBefore_;  // sharesPool: leases on a replaced pool that the receiver still reads
    bool endSent_ = false;

    /// An event of this receiver that no frame has shown yet, by both its numbers.
    struct PendingInput {
        std::uint64_t serial, sequence;
    };
    const std::uint64_t viewer_;
    std::deque<PendingInput> pendingInput_;
    std::uint64_t lastInput_ = 0;   // sequence
    std::uint64_t shownInput_ = 0;  // sequence of the last event that a frame has shown
};

}  // namespace verbcast
