// The receiving end of one connection: a ring that the sender may write into, credits for it, and arriving
// frames.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/frame_queue.h"
#include "core/session/link.h"

namespace verbcast {

class ReceiverLink final : public Link {
  public:
    /// What the links of one receiver, one after the other, have in common; outlives them.
    struct Shared {
        explicit Shared(std::uint32_t ringSlots) : slots(ringSlots), queue(ringSlots) {}

        const std::uint32_t slots;
        FrameQueue queue;
        std::shared_ptr<FramePool>
            pool;  ///< our ring, kept over reconnections; null before the first or with shm
        std::uint32_t generation = 0;  ///< rises with every announcement
        std::atomic<std::uint64_t> framesReceived{0};
        std::atomic<std::uint64_t> framesMissing{0};
        std::atomic<std::uint64_t> framesCorrupt{0};
        std::atomic<std::uint64_t> framesShown{0};
        std::atomic<std::uint64_t> framesSkipped{0};
        std::atomic<std::uint64_t> bytes{0};
        std::atomic<std::uint64_t> bytesCopied{0};
        std::atomic<TimestampNs> firstAt{0};
        std::atomic<TimestampNs> lastAt{0};
        std::atomic<TimestampNs> clockError{0};
        LatencyRecorder latency, capture, post, wire;  ///< recorded after the consumer took the frame
        LatencyRecorder show;                          ///< recorded by the consumer's thread
        LatencyRecorder inputToPicture;                ///< recorded by whoever shows frames
    };

    ReceiverLink(std::unique_ptr<Channel> channel, const LinkOptions& options, Shared& shared);
    ~ReceiverLink() override;

    /// The peer's name and whether frames have arrived; from any thread.
    bool streaming() const { return received_.load() > 0; }
    bool connected() const { return connected_.load(); }
    std::string peerName() const { return connected() ? peer().name : std::string(); }
    /// Whether the sender takes input; from any thread, as the following.
    bool inputAllowed() const { return connected() && (peer().features & kTakesInput) != 0; }
    /// Sends an event whose sequence is higher than those before. False when hundreds wait already.
    bool sendInput(const InputMessage& message);
    /// The format announced last, or null.
    std::shared_ptr<const VideoFormat> format() const { return std::atomic_load(&newestFormat_); }

  private:
    /// A pool whose slots the consumer may hold, and which of them it does.
    struct Ring {
        std::uint32_t generation = 0;
        std::shared_ptr<FramePool> pool;  // shared with the leases
        std::array<bool, kMaxSlots> delivered{};
        std::uint32_t deliveredCount = 0;
    };

    void onReady() override;
    void onSessionMessage(MessageType type, ByteReader& reader) override;
    void onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) override;
    bool step() override;
    void armExtra() override;
    void disarmExtra() override;
    void addExtraDescriptors(std::vector<int>& descriptors) const override;
    void onTick(TimestampNs now) override;
    void onStopping() override;

    bool sharesPool() { return channel().description().sharesPool; }
    bool beginEpoch();
    void provideRing(std::uint64_t payloadBytes);
    bool giveCredits(Ring& ring);
    bool finishStream();
    bool flushInput();
    void countFrame(const ReceivedFrame& frame);
    void sendReport();

    Shared& shared_;
    std::atomic<bool> connected_{false};
    std::atomic<std::uint64_t> received_{0};
    std::map<std::uint32_t, std::shared_ptr<const VideoFormat>> formats_;  // by epoch: the newest two
    std::shared_ptr<const VideoFormat> newestFormat_;                      // shared: frames carry it
    std::vector<std::unique_ptr<Ring>>
        rings_;  // newest first; with sharesPool older ones until all their slots came back
    std::optional<FormatMessage> nextEpoch_;  // announced; begins when the frames before it have arrived
    std::uint64_t nextSequence_ = 0;
    std::uint64_t bytesCopied_ = 0;             // of this channel, as far as shared_ knows
    std::mutex inputMutex_;                     // guards input_
    std::deque<std::vector<std::byte>> input_;  // encoded, not yet taken by the channel
    std::atomic<bool> anyInput_{false};         // input_ is not empty: read without the lock
    bool endAnnounced_ = false;
    std::uint64_t framesAnnounced_ = 0;
    std::string endReason_;
    TimestampNs consumedAt_ = 0;
    TimestampNs lastReport_ = 0;
};

}  // namespace verbcast
