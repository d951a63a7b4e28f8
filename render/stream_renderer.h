// Shows frames of any VideoFormat with OpenGL 3.3: upload, colour conversion, drawing, readback.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/memory/frame_pool.h"
#include "core/video/picture_changes.h"
#include "core/video/video_format.h"
#include "render/gl/target_part.h"
#include "render/upload/upload_path.h"

namespace verbcast {

/// Position of the picture in the target: its centre in target pixels (from the top left), and target pixels
/// per picture pixel along the picture's width, after pixel aspect and rotation.
struct Placement {
    double centreX = 0, centreY = 0;
    double scale = 1;
};

/// Size in pixels of the upright picture: pixel aspect widens or heightens it, 90 and 270 degrees swap sides.
struct DisplaySize {
    double width = 0, height = 0;
};
DisplaySize displaySize(const VideoFormat& format);
/// The largest placement of the whole picture in a target of this size.
Placement fitPlacement(const VideoFormat& format, int targetWidth, int targetHeight);

/// How much of what is under a picture shows through.
struct Blend {
    float opacity = 1;
    bool alpha = false;          ///< blends by the picture's own alpha; no effect on formats without alpha
    bool premultiplied = false;  ///< its colours are multiplied by it already

    bool covers() const { return opacity >= 1 && !alpha; }
    friend bool operator==(const Blend&, const Blend&) = default;
};

/// An 8-bit RGBA picture, rows from the top, tightly packed.
struct RgbaImage {
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
};

class PlaneTextures;

/// A picture in the GPU, as stored by its format.
struct ShownPicture {
    const VideoFormat& format;
    const PlaneTextures& planes;
    std::uint64_t number = 0;  ///< another one for each picture that is taken; the first is 1
};

/// Thread-bound: call every function, including constructor and destructor, with the same OpenGL context (3.3
/// core or later) current. Throws Error{Display} if the context lacks what is needed. Leaves no GL state
/// behind that would disturb a caller like Qt: program, vertex array, buffers and textures are unbound,
/// pixel-store values at their defaults, blending and scissor off.
class StreamRenderer {
  public:
    explicit StreamRenderer(UploadPath path = UploadPath::Measure,
                            SoftwareImport software = SoftwareImport::Refuse);
    ~StreamRenderer();

    /// Takes a frame's picture in the best way for its memory: adopt(), a copy within the GPU that draws, or
    /// an upload. Drop the lease afterwards: only adopt() keeps the slot. `whole` tells whether the sender
    /// has left the slot alone until now, and is asked where it may not: see uploadIf(). Throws Error{Device}
    /// if the GPU that holds the frame has failed.
    bool take(const VideoFormat& format, const FrameLease& lease, const PictureChanges& changed,
              const std::function<bool()>& whole);

    /// Takes a picture and does not read the payload after it returns. A new format creates new textures.
    /// `changed` is relative to the last picture taken; only that is read, unless the format is new.
    void upload(const VideoFormat& format, const std::byte* payload,
                const PictureChanges& changed = PictureChanges::all());
    /// The same for a payload that others may overwrite during the read: afterwards asks `whole`. If that is
    /// false, keeps the previous picture, uploads these changes with the next one, and returns false. Needs
    /// the textures of two pictures.
    bool uploadIf(const VideoFormat& format, const std::byte* payload, const PictureChanges& changed,
                  const std::function<bool()>& whole);
    /// Takes a picture in a dma-buf without reading it now: drawing reads it in place. Holds its slot until
    /// the next picture is taken, which waits for pending drawing of this one. False: the frame is elsewhere,
    /// or cannot be read in place (see uploadReport()), and must be uploaded.
    bool adopt(const VideoFormat& format, const FrameLease& lease);
    bool hasPicture() const;
    const VideoFormat& format() const;
    /// The last picture, until the next one is taken. Requires hasPicture().
    ShownPicture picture() const;

    /// Draws the last picture into the bound framebuffer of this size and clears the rest to `clear` (RGB
    /// 0..1). Filtering is linear, nearest from 200 % on.
    void draw(const Placement& placement, int targetWidth, int targetHeight, const float (&clear)[3]);

    /// The same within a part of the framebuffer; pixels are as in a framebuffer of the area's size. Returns
    /// whether the picture has brought its own alpha: see TargetPart::opaqueLater.
    bool draw(const Placement& placement, const TargetPart& part, const float (&clear)[3]);
    /// The same over the existing contents, without clearing. Leaves the target's own alpha unchanged.
    void drawOver(const Placement& placement, const TargetPart& part, const Blend& blend);

    /// The last picture at the stream's full size, unrotated, opaque, with the screen's colours. Blocks.
    RgbaImage readPicture();

    UploadReport uploadReport() const;
    /// "" or "PQ tone-mapped to SDR", for the status strip.
    std::string colourNote() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Fills the bound framebuffer of this size. Leaves no state behind either.
void clearTarget(int targetWidth, int targetHeight, const float (&clear)[3]);

}  // namespace verbcast
