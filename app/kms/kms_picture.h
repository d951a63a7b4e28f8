// The picture on one screen: the stream's last picture, or its part of a wall, and the still over it.
#pragma once

#include <optional>

#include "app/kms/still_picture.h"
#include "app/view/curtain_fade.h"
#include "app/view/tile/shown_tile.h"
#include "app/view/view_options.h"
#include "core/flow/received_frame.h"
#include "render/overlays/overlay.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Belongs to the OpenGL context that is current at construction and use.
class KmsPicture {
  public:
    /// Throws Error{Display, Input}.
    explicit KmsPicture(const ViewOptions& options);

    /// Takes the frame's picture and drops its lease. `confirm` tells whether the frame was whole: if not,
    /// the previous picture stays, and false is returned.
    template <typename Confirm>
    bool take(ReceivedFrame& frame, Confirm&& confirm) {
        PictureChanges changes = changesUntil(frame);
        const bool whole =
            renderer_.take(*frame.format, frame.lease, changes, [&] { return confirm(frame); });
        taken(frame, whole, changes);
        return whole;
    }
    /// Call for a frame that is not shown: its changes are added to the next one's.
    void miss(const FrameInfo& info) { missed_.add(PictureChanges::of(info)); }
    /// The next frame does not follow the last one.
    void anotherStream() { missed_ = PictureChanges::all(); }

    /// Fills the bound framebuffer.
    void draw(int targetWidth, int targetHeight, TimestampNs now);

    /// Fades the stream in or out.
    void moveCurtain(bool open, TimestampNs now);
    bool moving(TimestampNs now) const { return fade_.moving(now); }
    UploadReport uploadReport() const { return renderer_.uploadReport(); }

  private:
    PictureChanges changesUntil(const ReceivedFrame& frame);
    void taken(ReceivedFrame& frame, bool whole, const PictureChanges& changes);

    StreamRenderer renderer_;
    std::optional<ShownTile> tile_;
    std::vector<std::string> overlayNames_;
    Overlays overlays_;
    StillPicture still_;
    CurtainFade fade_;
    PictureChanges missed_ = PictureChanges::all();
};

}  // namespace verbcast
