// One picture of a mosaic: its newest frame, its frame and its name, and what is said where none comes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/compose/mosaic/arrangement.h"
#include "app/commands/compose/mosaic/mosaic_input.h"
#include "app/commands/compose/mosaic/mosaic_options.h"
#include "render/picture_canvas.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// What all pictures have in common.
struct PaneLook {
    int border = 0;
    bool names = false;
};

/// Belongs to the OpenGL context that is current at construction and use.
class MosaicPane {
  public:
    MosaicPane(Arrangement::PictureId id, std::shared_ptr<MosaicInput> input, std::string name);

    Arrangement::PictureId id() const { return id_; }
    const std::shared_ptr<MosaicInput>& input() const { return input_; }
    bool hasPicture() const { return renderer_.hasPicture(); }
    const VideoFormat& format() const { return renderer_.format(); }
    /// 0 by 0 before the first picture.
    DisplaySize size() const { return hasPicture() ? displaySize(format()) : DisplaySize{}; }

    /// Takes the newest frame; then frame() is that one, else null.
    void take();
    /// The frame that the next drawing shows for the first time; its lease is empty.
    const ReceivedFrame* frame() const { return frame_ ? &*frame_ : nullptr; }
    /// Looks whether frames come. Returns whether there is anything else to draw than before.
    bool follow(TimestampNs now);

    /// Returns whether its place is to be made opaque: see PictureCanvas::part().
    bool draw(PictureCanvas& canvas, const PicturePlace& place, const PaneLook& look);
    /// The frame has left with the picture.
    void drawn();

  private:
    /// A text in a texture, remade when the text changes.
    class Label {
      public:
        /// In the middle of the area, or at its lower left.
        void draw(PictureCanvas& canvas, const TargetRect& area, const TargetRect& clip,
                  const std::string& text, bool middle);

      private:
        std::string text_;
        int height_ = 0, width_ = 0;
        std::optional<StreamRenderer> renderer_;
    };
    std::string name() const;

    const Arrangement::PictureId id_;
    const std::shared_ptr<MosaicInput> input_;  // shared with the router of viewers' input
    const std::string givenName_;
    StreamRenderer renderer_;
    PictureChanges missed_ = PictureChanges::all();
    std::optional<ReceivedFrame> frame_;
    bool changed_ = false;  // by that frame
    std::string failure_;   // of its last frame
    std::string trouble_;   // "": frames come
    TimestampNs troubledSince_ = 0;
    std::string said_;  // in the picture's place
    Label nameLabel_, troubleLabel_;
};

}  // namespace verbcast
