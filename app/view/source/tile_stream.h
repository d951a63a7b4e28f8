// The display of a wall whose picture several senders draw: a stream of its own, put together from theirs.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/view/source/viewed_stream.h"
#include "app/wall/viewed_tile.h"
#include "core/stats/histogram.h"
#include "core/stream/matched_parts.h"

namespace verbcast {

/// Gives a frame when every part of it has come: those of all sources with the same pts. Until then, and
/// while a source is lost, nothing. Each source sends the part of its pictures that the display shows, from
/// which it is copied into the frame's memory: the copy counts in StreamStats::bytesCopied.
///
/// Input goes to every source that takes it, with the place in its own pictures.
class TileStream final : public ViewedSource {
  public:
    /// A receiver for each source of the tile, in its order, without regions; at least one. `slots`: frames
    /// held at most. Throws as FrameReceiver does.
    TileStream(const ViewedTile& tile, std::vector<ReceiverOptions> sources, std::uint32_t slots);

    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override;
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override;
    bool confirm(const ReceivedFrame&) override { return true; }
    void frameShown(const ReceivedFrame& frame) override;
    bool inputAllowed() const override;
    std::uint64_t sendInput(const InputEvent& event) override;
    ReceiverStatus status() const override;
    StreamStats stats() override;
    void end() override;
    std::string misfit() const override;

  private:
    /// What the sources' frames are, and so the tile's.
    struct Layout {
        std::vector<std::shared_ptr<const VideoFormat>> formats;    // shared with the frames
        std::vector<std::shared_ptr<const PictureRegion>> regions;  // the same
        std::shared_ptr<const VideoFormat> format;                  // of the tile; null: they make none
        std::shared_ptr<const PictureRegion> region;                // of the canvas
    };
    std::string misfitOfParts() const;
    void follow();
    void layOut();
    Status awaitSet(std::chrono::nanoseconds timeout);
    bool assemble(FrameLease lease, ReceivedFrame& frame);
    void giveMisfit(ReceivedFrame& frame);
    void describe(ReceivedFrame& frame);
    FrameRect inTile(std::size_t source, const FrameRect& rect) const;
    void copyParts(std::byte* payload) const;
    void count(const ReceivedFrame& frame, std::vector<ReceivedFrame> parts);

    const ViewedTile tile_;
    const std::uint32_t slots_;
    MatchedParts parts_;               // its receivers are used by any thread, the rest by the receiving one
    Layout layout_;                    // by the receiving thread
    std::shared_ptr<FramePool> pool_;  // shared with the frames
    std::uint64_t sets_ = 0;
    Event ended_;

    /// A frame that was given, and those that it was made of, without leases.
    struct Given {
        std::uint64_t sequence;
        std::vector<ReceivedFrame> parts;
    };
    mutable std::mutex mutex_;  // guards what follows
    std::string misfit_;
    std::deque<Given> given_;  // not shown yet, the oldest first
    struct {
        std::uint64_t frames = 0, shown = 0, skipped = 0, bytes = 0, copied = 0;
        TimestampNs firstAt = 0, lastAt = 0;
        LatencyHistogram latency{};
        std::optional<VideoFormat> format{};
        std::vector<std::uint64_t> left{};  // of each part
    } told_;
    std::uint64_t inputs_ = 0;
};

}  // namespace verbcast
