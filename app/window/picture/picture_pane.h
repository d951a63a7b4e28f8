// One stream's picture on a surface: takes the stream's newest frame and draws it at its place.
#pragma once

#include <QImage>
#include <QPointF>
#include <optional>

#include "app/view/streams/frame_mailbox.h"
#include "app/view/tile/shown_tile.h"
#include "app/window/picture/frame_pairing.h"
#include "app/window/picture/layout.h"
#include "app/window/picture/picture_view.h"
#include "core/stats/histogram.h"
#include "render/picture_difference.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Belongs to the GUI thread. Made, destroyed and used with the surface's OpenGL context current where it
/// says so.
class PicturePane {
  public:
    /// Context current.
    explicit PicturePane(UploadPath upload) : renderer_(upload) {}

    /// Borrowed until replaced; may be null.
    void setMailbox(FrameMailbox* mailbox);
    bool hasMailbox() const { return mailbox_ != nullptr; }

    /// Shows that display's part of a picture, as the display does. Before the first frame. Context current.
    void setTile(const WallDisplay& display) { tile_.emplace(display); }

    /// Where it is on the surface, in device pixels; nothing: it is not shown.
    void setPlace(const std::optional<PicturePlace>& place);
    const std::optional<PicturePlace>& place() const { return place_; }
    bool contains(const QPointF& target) const;

    /// The newest frame; nothing while there is none that was not taken.
    std::optional<ReceivedFrame> nextFrame();
    /// Uploads a frame of nextFrame() and drops its lease. One that its sender has taken back meanwhile is
    /// not shown: the picture before stays. True when the picture has another shape than before. Context
    /// current.
    bool show(ReceivedFrame frame);
    /// A frame that is not shown: what changed in it changes with the next one.
    void miss(const FrameInfo& info) { missed_.add(PictureChanges::of(info)); }
    /// See FrameMailbox.
    void passOver(std::uint64_t frames);
    /// Where it has a place. Context current.
    void draw(int targetWidth, int targetHeight, const float (&clear)[3]);
    /// To be compared, where it has a place.
    PlacedPicture placed() { return {renderer_, view_.placement()}; }
    /// The frame that was drawn since the last call, if one was; its lease is empty.
    std::optional<ReceivedFrame> takeDrawn();

    /// In points of the surface, in device pixels.
    std::optional<QPointF> streamPoint(const QPointF& target) const;
    void zoomAt(const QPointF& target, double factor);
    PictureView& view() { return view_; }
    const PictureView& view() const { return view_; }

    bool hasPicture() const { return renderer_.hasPicture(); }
    /// 0 by 0 before the first picture.
    DisplaySize size() const;
    /// At the stream's size. Context current.
    RgbaImage readPicture() { return renderer_.readPicture(); }
    /// Of the frame that is shown.
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
    bool isNewMailbox_ = false;  // its next frame does not follow the one that is shown
    PictureChanges missed_ = PictureChanges::none();
    StreamRenderer renderer_;
    std::optional<ShownTile> tile_;
    PictureView view_;
    std::optional<PicturePlace> place_;
    std::optional<ReceivedFrame> drawn_;  // drawn, not yet on the screen
    FrameMoment moment_;
    LatencyHistogram uploadTimes_;
};

}  // namespace verbcast
