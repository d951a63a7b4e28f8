// One display of a wall whose picture comes from several senders, assembled into one stream.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/view/tile/tile_counts.h"
#include "app/view/tile/tile_ring.h"
#include "app/wall/viewed_tile.h"
#include "core/stream/matched_parts.h"
#include "core/stream/viewed_source.h"

namespace verbcast {

/// Delivers a frame when all sources' parts with the same pts have arrived; while a source is lost, it
/// delivers nothing. Each source sends only the part of its picture that the display shows, straight into the
/// frame's memory where possible (TileRing). Otherwise the part is copied, which StreamStats::bytesCopied and
/// bytesAssembled count.
///
/// If the wall has a conductor, its frames say when displays show each set and which one is next. It is part
/// of every display's sets. Displays that show none of its picture receive no pixels from it and go on
/// without it if it is lost.
///
/// Input goes to every source that accepts it, in the coordinates of its own picture.
class TileStream final : public ViewedSource {
  public:
    /// Takes one receiver for each of the tile's sources, in order, without regions; at least one source must
    /// be shown. ReceiverOptions::frameLock is used only for the conductor. `slots`: most frames held at
    /// once. Throws as FrameReceiver does.
    TileStream(const ViewedTile& tile, std::vector<ReceiverOptions> sources, std::uint32_t slots);

    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override;
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override;
    bool confirm(const ReceivedFrame&) override { return true; }
    void frameShown(const ReceivedFrame& frame) override;
    void setSkipped(std::uint64_t frames) override;
    bool inputAllowed() const override;
    std::uint64_t sendInput(const InputEvent& event) override;
    ReceiverStatus status() const override;
    StreamStats stats() override;
    void end() override;
    std::string misfit() const override;

  private:
    /// Formats of the sources' frames, and the tile's that follows from them.
    struct Layout {
        std::vector<std::shared_ptr<const VideoFormat>> formats;    // shared with the frames
        std::vector<std::shared_ptr<const PictureRegion>> regions;  // likewise
        std::shared_ptr<const VideoFormat> format;                  // of the tile; null: parts do not fit
        std::shared_ptr<const PictureRegion> region;                // of the canvas
    };
    std::string misfitOfParts() const;
    void follow();
    void layOut();
    Status awaitSet(std::chrono::nanoseconds timeout);
    std::optional<FrameLease> joinParts();
    std::optional<FrameLease> copyAll(std::chrono::nanoseconds timeout);
    void give(FrameLease lease, ReceivedFrame& frame);
    void giveMisfit(ReceivedFrame& frame);
    void describe(ReceivedFrame& frame);
    void takePlace(ReceivedFrame& frame);
    FrameRect inTile(std::size_t source, const FrameRect& rect) const;
    void copyParts(std::byte* payload, const std::vector<bool>& placed);

    const ViewedTile tile_;
    /// The parts that are shown, without a source that only conducts.
    std::span<const MatchedParts::Part> pictures() const {
        return std::span(parts_.parts()).first(pictures_);
    }

    const std::uint32_t slots_;
    const std::optional<std::size_t> conductor_;  // index into the parts
    const std::size_t pictures_;
    TileRing ring_;
    MatchedParts parts_;               // its receivers are thread-safe; the rest is the receiving thread's
    Layout layout_;                    // owned by the receiving thread
    std::shared_ptr<FramePool> pool_;  // for frames whose parts are all copied; shared with the frames
    std::uint64_t assembled_ = 0;      // bytes copied for the current frame
    std::uint64_t sets_ = 0;
    std::uint64_t session_ = 0;  // ReceivedFrame::session of the conductor's last frame
    std::string mismatch_;
    Event ended_;

    TileCounts counts_;
    std::atomic<std::uint64_t> inputs_{0};
    mutable std::mutex mutex_;  // guards misfit_
    std::string misfit_;
};

}  // namespace verbcast
