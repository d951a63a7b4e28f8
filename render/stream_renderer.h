// Shows frames of any VideoFormat with OpenGL 3.3: upload, colour conversion, drawing, read-back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class UploadPath {
    Measure,        ///< try both for a moment with the first frames and keep the faster
    Direct,         ///< glTexSubImage2D from the frame's own memory
    PersistentPbo,  ///< copy into a persistently mapped pixel-unpack buffer, then glTexSubImage2D from it
};

/// Where the picture lies in the target: its centre in target pixels (from the top left) and target pixels
/// per picture pixel along the picture's width, after pixel aspect and rotation.
struct Placement {
    double centreX = 0, centreY = 0;
    double scale = 1;
};

/// Size in pixels of the upright picture: pixel aspect widens (or heightens) it, 90 and 270 degrees swap
/// sides.
struct DisplaySize {
    double width = 0, height = 0;
};
DisplaySize displaySize(const VideoFormat& format);
/// Largest placement of the whole picture in a target of this size.
Placement fitPlacement(const VideoFormat& format, int targetWidth, int targetHeight);

/// Whole target pixels, from its top left corner.
struct TargetRect {
    int left = 0, top = 0, width = 0, height = 0;
    /// All of a target of this size.
    bool covers(int targetWidth, int targetHeight) const;
    friend bool operator==(const TargetRect&, const TargetRect&) = default;
};

/// A part of a target that a picture has for itself.
struct TargetPart {
    int targetWidth = 0, targetHeight = 0;
    TargetRect area;  ///< a Placement counts from its top left corner
    TargetRect clip;  ///< what is drawn of the area; nothing outside is touched
};

/// How much is seen of what lies under a picture.
struct Blend {
    float opacity = 1;
    bool alpha =
        false;  ///< the picture's own counts, not premultiplied; of formats without one nothing changes

    bool covers() const { return opacity >= 1 && !alpha; }
    friend bool operator==(const Blend&, const Blend&) = default;
};

struct UploadReport {
    UploadPath path = UploadPath::Measure;  ///< in use; Measure while still measuring
    std::string reason;                     ///< "direct: 2.1 ms, persistent PBO: 3.4 ms (median of 8)"
    double lastMilliseconds = 0;            ///< time that the last upload() call took its caller
};

/// An 8-bit RGBA picture, rows from the top, tightly packed.
struct RgbaImage {
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
};

/// Thread-bound: every function, the constructor and the destructor included, is called with the same OpenGL
/// (3.3 core or later) context current. Throws Error{Display} when the context lacks what is needed.
/// Leaves no GL state behind that a caller like Qt would mind: program, vertex array, buffers and textures
/// unbound, pixel-store values at their defaults, blending and scissor off.
class StreamRenderer {
  public:
    explicit StreamRenderer(UploadPath path = UploadPath::Measure);
    ~StreamRenderer();

    /// Takes a picture: the payload is not read any more when this returns. A new format makes new textures.
    /// `changed`: since the picture taken before; only that is read, unless there was none of this format.
    void upload(const VideoFormat& format, const std::byte* payload,
                const PictureChanges& changed = PictureChanges::all());
    /// The same of a payload that others may write while it is read: `whole` is asked afterwards. If it was
    /// not, the picture before stays, the next is told to have changed there, too, and this gives false.
    /// Takes the textures of two pictures.
    bool uploadIf(const VideoFormat& format, const std::byte* payload, const PictureChanges& changed,
                  const std::function<bool()>& whole);
    bool hasPicture() const;
    const VideoFormat& format() const;

    /// Draws the last picture into the bound framebuffer of this size (the rest is cleared to `clear`, RGB
    /// 0..1). Filtering is linear, nearest from 200 % on.
    void draw(const Placement& placement, int targetWidth, int targetHeight, const float (&clear)[3]);

    /// The same within a part of the framebuffer, with the pixels that a framebuffer as large as the area
    /// would get.
    void draw(const Placement& placement, const TargetPart& part, const float (&clear)[3]);
    /// The same over what is there: nothing is cleared. The target's own alpha stays as it is.
    void drawOver(const Placement& placement, const TargetPart& part, const Blend& blend);

    /// The last picture at the stream's full size, not rotated, converted as on the screen, opaque. Blocks.
    RgbaImage readPicture();

    UploadReport uploadReport() const;
    /// "" or "PQ tone-mapped to SDR", for the status strip.
    std::string colourNote() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Fills the bound framebuffer of this size. Leaves no state behind, either.
void clearTarget(int targetWidth, int targetHeight, const float (&clear)[3]);

}  // namespace verbcast
