// The textures of the picture shown, and of one that may turn out to be torn.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/memory/frame_pool.h"
#include "render/gl/plane_textures.h"
#include "render/upload/dma_buf_import.h"
#include "render/upload/texture_upload.h"

namespace verbcast {

/// Thread-bound to the OpenGL context, like StreamRenderer.
class UploadedPicture {
  public:
    UploadedPicture(UploadPath path, SoftwareImport software) : uploader_(path), software_(software) {}

    /// See StreamRenderer.
    bool adopt(const VideoFormat& format, const FrameLease& lease);

    /// See StreamRenderer. All three return what has changed in the picture shown.
    PictureChanges upload(const VideoFormat& format, const PictureSource& source,
                          const PictureChanges& changed);
    /// Returns nullopt if the payload was not whole.
    std::optional<PictureChanges> uploadIf(const VideoFormat& format, const PictureSource& source,
                                           const PictureChanges& changed, const std::function<bool()>& whole);
    std::optional<PictureChanges> take(const VideoFormat& format, const FrameLease& lease,
                                       const PictureChanges& changed, const std::function<bool()>& whole);

    bool any() const { return any_; }
    /// The following describe the picture shown.
    const VideoFormat& format() const { return format_; }
    const PlaneTextures& textures() const { return planes_[shown_].target.textures; }
    /// A framebuffer to copy the first plane from; 0 if the driver cannot.
    GLuint firstPlane();
    UploadReport report() const;

  private:
    struct Planes {
        UploadTarget target;
        GlFramebuffer first;
        bool firstReadable = false;
    };
    Planes& spare() { return planes_[1 - shown_]; }
    bool fits(const VideoFormat& format) const;

    void letGo();
    void count(UploadPath path) { ++(path == UploadPath::Device ? withinGpu_ : uploaded_); }

    TextureUploader uploader_;
    const SoftwareImport software_;
    std::optional<DmaBufImport> import_;
    std::uint64_t inPlace_ = 0, withinGpu_ = 0, uploaded_ = 0;
    FrameLease held_;                               // of the picture shown, if it is read in place
    std::string notImported_;                       // why pictures of
    std::weak_ptr<const FramePool> notImportedOf_;  // that pool and
    VideoFormat notImportedAs_;                     // that format are uploaded
    VideoFormat format_;
    bool any_ = false;
    std::array<Planes, 2> planes_;
    std::size_t shown_ = 0;
    bool spareMade_ = false;                             // fits format_
    PictureChanges spareLacks_ = PictureChanges::all();  // what changed between the two
    PictureChanges missed_ = PictureChanges::none();     // changes in pictures that were not whole
};

}  // namespace verbcast
