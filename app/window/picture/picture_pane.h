// One stream's picture on a surface: takes the stream's newest frame and draws it in its place.
#pragma once

#include <QImage>
#include <QPointF>
#include <optional>

#include "app/view/layout.h"
#include "app/view/streams/frame_mailbox.h"
#include "app/view/tile/shown_tile.h"
#include "app/window/picture/frame_pairing.h"
#include "app/window/picture/picture_view.h"
#include "core/stats/histogram.h"
#include "render/overlays/overlay.h"
#include "render/picture_pair.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Belongs to the GUI thread. "Context current": the surface's OpenGL context must be current, also for
/// destruction.
class PicturePane {
  public:
    /// Context current.
    explicit PicturePane(UploadPath upload) : renderer_(upload) {}

    /// Borrowed until replaced; may be null.
    void setMailbox(FrameMailbox* mailbox);
    bool hasMailbox() const { return mailbox_ != nullptr; }

    /// Shows that display's part of the picture, as the display does. Call before the first frame. Context
    /// current.
    void setTile(const ViewedTile& tile) { tile_.emplace(tile); }

    /// The place on the surface, in device pixels; nullopt: not shown.
    void setPlace(const std::optional<PicturePlace>& place);
    const std::optional<PicturePlace>& place() const { return place_; }
    bool contains(const QPointF& target) const;

    /// Takes the newest frame; nullopt if there is no new one.
    std::optional<ReceivedFrame> nextFrame();
    /// Uploads a frame from nextFrame() and drops its lease. If its sender has taken it back meanwhile, the
    /// previous picture stays. Returns true if the picture's shape has changed. Context current.
    bool show(ReceivedFrame frame);
    /// Call for a frame that is not shown: its changes are added to the next one's.
    void miss(const FrameInfo& info) { missed_.add(PictureChanges::of(info)); }
    /// See FrameMailbox.
    void passOver(std::uint64_t frames);
    /// Draws the picture if it has a place, and these overlays (see Overlays) over it. Context current.
    void draw(int targetWidth, int targetHeight, const float (&clear)[3],
              const std::vector<std::string>& overlays = {});
    /// For comparison; call only if it has a place.
    PlacedPicture placed() { return {renderer_, view_.placement()}; }
    /// The frame drawn since the last call, if any; its lease is empty.
    std::optional<ReceivedFrame> takeDrawn();

    /// Points of the surface are in device pixels.
    std::optional<QPointF> streamPoint(const QPointF& target) const;
    void zoomAt(const QPointF& target, double factor);
    PictureView& view() { return view_; }
    const PictureView& view() const { return view_; }

    bool hasPicture() const { return renderer_.hasPicture(); }
    /// 0 by 0 before the first picture.
    DisplaySize size() const;
    /// Reads the picture at the stream's size. Context current.
    RgbaImage readPicture() { return renderer_.readPicture(); }
    /// Of the frame shown.
    const FrameMoment& moment() const { return moment_; }
    std::uint64_t sequence() const { return moment_.sequence; }
    UploadReport uploadReport() const { return renderer_.uploadReport(); }
    std::string colourNote() const { return hasPicture() ? renderer_.colourNote() : std::string(); }
    Percentiles uploadTimes() const { return uploadTimes_.percentiles(); }

    // Over the picture; null images are not drawn.
    QImage message;  ///< in the middle; dims the picture
    QImage label;    ///< at the bottom left

  private:
    FrameMailbox* mailbox_ = nullptr;
    bool isNewMailbox_ = false;  // its next frame does not follow the one shown
    PictureChanges missed_ = PictureChanges::none();
    StreamRenderer renderer_;
    std::optional<ShownTile> tile_;
    Overlays overlays_;
    PictureView view_;
    std::optional<PicturePlace> place_;
    std::optional<ReceivedFrame> drawn_;  // drawn but not yet on the screen
    FrameMoment moment_;
    LatencyHistogram uploadTimes_;
};

}  // namespace verbcast
