// One track of an incoming stream over one connection: formats, the ring that the sender may use, and what
// arrived.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/flow/received_frame.h"
#include "core/flow/sink_ledger.h"
#include "core/stream/receive/receiver_shared.h"

namespace verbcast {

class ReceiverLink;

/// Used by the thread that serves the link.
class ReceiverTrack {
  public:
    ReceiverTrack(ReceiverLink& link, FramePath& path, IncomingTrack& consumer, TrackRecord& record,
                  TrackParts parts);

    TrackId id() const { return ledger_.track(); }
    SinkLedger& ledger() { return ledger_; }
    bool owns(RingId ring) const { return ledger_.knows(ring); }

    /// Whether the track is wanted with such frames.
    bool takes(const TrackFormat& format) const {
        return takesFramePath(format.kind) == (consumer_.content() != TrackContent::Sound);
    }
    void onFormat(const FormatMessage& message);
    /// The sender offers a ring in its memory.
    void onRing(const RingMessage& message);
    void onOfferReady(RingId ring, std::span<const std::byte> offer);
    /// The ring cannot be reached: provides another one.
    void onOfferRefused(const std::string& reason);
    void onEnd(const EndOfTrack& message);
    /// Returns the frame with its format and lease. Throws Error{Peer} if it was not announced so.
    ReceivedFrame onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info);
    /// The frame was sent into that ring and will not come: counts it, and gives its slot back. Throws what
    /// onFrame() throws.
    void onFrameLost(RingId ring, const FrameInfo& info);

    /// Begins an epoch whose time has come, and gives slots back; returns true if there was anything to do.
    bool step();
    /// Tells the sender what has arrived while its slots stay here, if it keeps frames until it knows.
    /// Returns true if that was news.
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
    void accept();
    void countMissing(std::uint64_t sequence);
    std::uint64_t nextSequence() const;

    ReceiverLink& link_;
    IncomingTrack& consumer_;
    SinkLedger ledger_;
    TrackRecord& record_;
    const std::unique_ptr<FormatChoice> choice_;
    const std::unique_ptr<RingSource> rings_;
    const bool alone_;  // Arrivals::alone()
    void useRing(const EpochFormat& format, std::uint64_t slotBytes);
    const EpochFormat& requireAnnounced(const FrameInfo& info) const;

    std::map<std::uint32_t, EpochFormat> formats_;  // by epoch: the newest two
    mutable std::mutex formatMutex_;                // guards newestFormat_
    std::shared_ptr<const VideoFormat> newestFormat_;
    std::optional<FormatMessage> nextEpoch_;   // announced; begins when the frames before it have arrived
    std::optional<std::uint32_t> accepting_;   // an epoch whose ring is being made
    std::shared_ptr<ComposedSlots> composed_;  // the ring is a part of that; null: it is ours alone
    bool lossless_ = false;
    std::atomic<std::uint64_t> received_{0};
    std::optional<std::uint32_t> lastEpoch_;  // of the frame that arrived last over this connection
    std::uint32_t unacknowledged_ = 0;        // arrived since the last credit
    std::uint64_t toldNext_ = 0;              // what the sender was last told has arrived
    bool endAnnounced_ = false;
    std::uint64_t framesAnnounced_ = 0;
};

}  // namespace verbcast
