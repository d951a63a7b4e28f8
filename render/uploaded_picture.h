// The textures of the picture that is shown, and of one that may turn out to be torn.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "render/plane_textures.h"
#include "render/texture_upload.h"

namespace verbcast {

/// Thread-bound to the OpenGL context, as StreamRenderer.
class UploadedPicture {
  public:
    explicit UploadedPicture(UploadPath path) : uploader_(path) {}

    /// See StreamRenderer. Both give what has changed in the picture that is shown.
    PictureChanges upload(const VideoFormat& format, const std::byte* payload, const PictureChanges& changed);
    /// Nothing: the payload was not whole.
    std::optional<PictureChanges> uploadIf(const VideoFormat& format, const std::byte* payload,
                                           const PictureChanges& changed, const std::function<bool()>& whole);

    bool any() const { return any_; }
    /// Of the picture that is shown, as all that follows.
    const VideoFormat& format() const { return format_; }
    const PlaneTextures& textures() const { return planes_[shown_].textures; }
    /// A framebuffer to copy the first plane from; 0 where the driver cannot.
    GLuint firstPlane();
    UploadReport report() const { return uploader_.report(); }

  private:
    struct Planes {
        PlaneTextures textures;
        GlFramebuffer first;
        bool firstReadable = false;
    };
    Planes& spare() { return planes_[1 - shown_]; }
    bool fits(const VideoFormat& format) const;

    TextureUploader uploader_;
    VideoFormat format_;
    bool any_ = false;
    std::array<Planes, 2> planes_;
    std::size_t shown_ = 0;
    bool spareMade_ = false;                             // fits format_
    PictureChanges spareLacks_ = PictureChanges::all();  // what changed between the two
    PictureChanges missed_ = PictureChanges::none();     // in pictures that were not whole
};

}  // namespace verbcast
