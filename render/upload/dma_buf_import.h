// Imports pictures in dma-bufs as textures, without an upload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/video/video_format.h"
#include "render/gl/plane_textures.h"
#include "render/upload/upload_path.h"

namespace verbcast {

/// The place of a picture's payload.
struct DmaBufPicture {
    int descriptor = -1;       ///< borrowed; used during the call only
    std::uint64_t offset = 0;  ///< of the payload's first byte
    /// Tiling of its pixels (DRM_FORMAT_MOD_*); unset: linear rows.
    std::optional<std::uint64_t> modifier{};
};

/// Imports into the current context: EGL_EXT_image_dma_buf_import, and its _modifiers if available.
/// Thread-bound to that context.
class DmaBufImport {
  public:
    explicit DmaBufImport(SoftwareImport software = SoftwareImport::Refuse);

    /// Why it cannot import; empty if it can.
    const std::string& unavailable() const { return unavailable_; }

    /// The buffer's contents as textures, valid until it is written again. If that fails, `problem` says why.
    struct Imported {
        PlaneTextures textures;
        std::string problem;
    };
    Imported textures(const VideoFormat& format, const DmaBufPicture& picture) const;

  private:
    GlTexture plane(const VideoFormat& format, std::size_t plane, const DmaBufPicture& picture,
                    std::string& problem) const;
    std::optional<std::uint64_t> modifierFor(std::uint32_t code, const DmaBufPicture& picture,
                                             std::string& problem) const;

    void* display_ = nullptr;  // EGLDisplay
    bool modifiers_ = false;
    bool storage_ = false;  // EXT_EGL_image_storage in place of OES_EGL_image
    std::string unavailable_;
};

}  // namespace verbcast
