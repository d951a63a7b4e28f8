// One track of an incoming stream over one connection: formats, the ring that the sender may use, and what
// arrived.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/session/slots/sink_ledger.h"
#include "core/stream/frame/received_frame.h"
#include "core/stream/receive/part_placer.h"
#include "core/stream/receive/ring_memory.h"

namespace verbcast {

class ReceiverLink;

/// What a track keeps from one connection to the next of the same sender.
struct TrackRecord {
    std::shared_ptr<FramePool> pool;  ///< our ring; null before the first, or with shared memory
    std::uint64_t instance = 0;       ///< of the sender whose frames these were
    std::uint64_t nextSequence = 0;   ///< all frames before it have arrived, or were found missing
    bool begun = false;               ///< any frame of that sender has arrived
};

/// Used by the thread that serves the link.
class ReceiverTrack {
  public:
    ReceiverTrack(ReceiverLink& link, FramePath& path, TrackId id, TrackRecord& record);

    TrackId id() const { return ledger_.track(); }
    SinkLedger& ledger() { return ledger_; }
    bool owns(RingId ring) const { return ledger_.knows(ring); }
    /// Bytes of its newest ring.

    void onFormat(const FormatMessage& message);
    /// The sender offers a ring in its memory.
    void onRing(const RingMessage& message);
    void onOfferReady(RingId ring, std::span<const std::byte> offer);
    /// Gives up the ring in the device for one in main memory.
    void onOfferRefused(const std::string& reason);
    void onEnd(const EndOfTrack& message);
    /// Returns the frame with its format and lease. Throws Error{Peer} if it was not announced so.
    ReceivedFrame onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info);
    /// The frame was sent into that ring and will not come: counts it, and gives its slot back. Throws what
    /// onFrame() throws.
    void onFrameLost(RingId ring, const FrameInfo& info);

    /// Begins an epoch whose time has come, and gives slots back; returns true if there was anything to do.
    bool step();
    /// Lossless: tells the sender what has arrived while its slots stay here. Returns true if that was news.
    bool acknowledge();
    /// Whether all frames that were announced have arrived.
    bool complete() const { return endAnnounced_ && received_ >= framesAnnounced_; }
    /// Whether frames of it have arrived, or its end was announced.
    bool begun() const { return received_ > 0 || endAnnounced_; }
    /// Thread-safe.
    std::shared_ptr<const VideoFormat> newestFormat() const {
        const std::lock_guard lock(formatMutex_);
        return newestFormat_;
    }
    std::uint64_t received() const { return received_; }

  private:
    bool beginEpoch();
    void provideRing(std::uint64_t slotBytes);
    std::shared_ptr<FramePool> makeRing(std::uint64_t slotBytes, bool onDevice);
    void accept();
    void countMissing(std::uint64_t sequence);
    std::uint64_t nextSequence() const;
    bool tellRails();

    ReceiverLink& link_;
    SinkLedger ledger_;
    TrackRecord& record_;
    struct EpochFormat {
        TrackFormat sent{};                             // format of frames on the way
        std::shared_ptr<const VideoFormat> video{};     // of what the consumer gets; null: no video
        std::shared_ptr<const PictureRegion> region{};  // null: whole pictures
        bool cutHere = false;                           // whole pictures come; the consumer gets the region
        std::optional<PartPlace> place{};               // in slots that other senders write into, too
        TrackFormat told{};                             // of the pictures that FrameInfo::rects refer to
    };
    EpochFormat formatOf(const TrackFormat& announced);
    std::optional<PartPlace> placeOf(const VideoFormat& whole, const PictureRegion& region);
    void takePlace(EpochFormat& format) const;
    std::string obstacleToPlacing() const;
    void useRing(const EpochFormat& format, std::uint64_t slotBytes);
    const EpochFormat& requireAnnounced(const FrameInfo& info) const;

    std::map<std::uint32_t, EpochFormat> formats_;  // by epoch: the newest two
    mutable std::mutex formatMutex_;                // guards newestFormat_
    std::shared_ptr<const VideoFormat> newestFormat_;
    std::optional<FormatMessage> nextEpoch_;  // announced; begins when the frames before it have arrived
    std::optional<std::uint32_t> accepting_;  // an epoch whose ring is being made
    std::shared_ptr<JointSlots> joint_;       // the ring is a part of that; null: it is ours alone
    bool deviceRefused_ = false;              // over this connection frames cannot come into the device
    bool lossless_ = false;
    std::atomic<std::uint64_t> received_{0};
    std::optional<std::uint32_t> lastEpoch_;  // of the frame that arrived last over this connection
    std::uint32_t unacknowledged_ = 0;        // arrived since the last credit
    std::uint64_t toldNext_ = 0;              // of a rail: what the last credit said has arrived
    bool endAnnounced_ = false;
    std::uint64_t framesAnnounced_ = 0;
};

}  // namespace verbcast
