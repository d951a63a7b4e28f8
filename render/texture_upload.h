// Uploads a frame's bytes into its textures, by one of two paths.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"
#include "render/gl_handles.h"
#include "render/plane_textures.h"
#include "render/upload_choice.h"

namespace verbcast {

/// A persistently mapped pixel-unpack buffer (OpenGL 4.4 or ARB_buffer_storage) with room for a few pictures,
/// so that our copy into it need not wait for the driver's copy out of it.
class StagingRing {
  public:
    static bool supported();
    /// Throws Error{Display} if the driver provides no such buffer.
    explicit StagingRing(std::size_t pictureBytes);

    /// Waits until the next part is free, binds the buffer and returns the part's memory.
    std::byte* begin();
    /// The part's offset in the bound buffer.
    std::size_t offset() const { return current_ * partBytes_; }
    /// Call after the GL commands that read the part; unbinds the buffer.
    void end();

  private:
    static constexpr std::size_t kParts = 2;

    std::size_t partBytes_;
    GlBuffer buffer_;
    std::byte* memory_ = nullptr;
    std::array<GlFence, kParts> fences_;
    std::size_t current_ = kParts - 1;
};

class TextureUploader {
  public:
    /// Throws Error{Display} if PersistentPbo is required but the driver lacks it.
    explicit TextureUploader(UploadPath wanted);

    /// Call when size or pixel format change; restarts any measuring.
    void reset();
    /// Updates the textures where the picture has changed, or everywhere while measuring. Does not read the
    /// payload after it returns. Uses the active texture unit and leaves it unbound.
    void upload(const VideoFormat& format, const PlaneTextures& textures, const std::byte* payload,
                const PictureChanges& changed);
    UploadReport report() const;

  private:
    /// A rectangle of a plane, as texels and as bytes of the payload.
    struct Part;
    static std::vector<Part> partsOf(const VideoFormat& format, const std::vector<FrameRect>& rects);
    static std::size_t stagedBytes(std::span<const Part> parts);
    void uploadDirect(std::span<const Part> parts, const PlaneTextures& textures, const std::byte* payload);
    void uploadStaged(std::span<const Part> parts, const PlaneTextures& textures, const std::byte* payload,
                      std::size_t pictureBytes);

    UploadPath wanted_;
    UploadChoice choice_;
    std::optional<StagingRing> staging_;
    double lastMilliseconds_ = 0;
};

}  // namespace verbcast
