// Brings a frame into its textures, by one of several paths: UploadPath.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"
#include "render/gl/gl_handles.h"
#include "render/gl/plane_textures.h"
#include "render/upload/gpu_copies.h"
#include "render/upload/upload_choice.h"

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

/// The payload of a picture.
struct PictureSource {
    const std::byte* bytes = nullptr;  ///< null: in a device
    const FrameLease* slot = nullptr;  ///< where it lies; null: in no ring
};

/// Textures to fill. They are registered with CUDA once the GPU has filled them.
struct UploadTarget {
    UploadTarget() = default;
    explicit UploadTarget(const VideoFormat& format) : textures(format) {}
    ~UploadTarget() { registered.reset(); }
    UploadTarget(UploadTarget&&) = default;
    UploadTarget& operator=(UploadTarget&&) = default;

    std::unique_ptr<GlPixels> registered;  // before the textures: it is also replaced before them
    PlaneTextures textures;
};

class TextureUploader {
  public:
    /// Throws Error{Display} if PersistentPbo is required but the driver lacks it, Error{Device} likewise for
    /// Pinned.
    explicit TextureUploader(UploadPath wanted);

    /// Call when size or pixel format change; restarts any measuring.
    void reset();
    /// Updates the textures where the picture has changed, or everywhere while measuring. Does not read the
    /// payload after it returns. Uses the active texture unit and leaves it unbound. Returns the path taken.
    /// Throws Error{Device} if a GPU fails and there is no other path.
    UploadPath upload(const VideoFormat& format, UploadTarget& target, const PictureSource& source,
                      const PictureChanges& changed);
    UploadReport report() const;

  private:
    struct Job;
    UploadPath uploadFromHost(const VideoFormat& format, UploadTarget& target, const PictureSource& source,
                              const PictureChanges& changed);
    UploadPath uploadFromDevice(const VideoFormat& format, UploadTarget& target, const PictureSource& source,
                                const PictureChanges& changed);
    bool uploadBy(UploadPath path, const Job& job, const PictureSource& source);
    void uploadDirect(const Job& job, const std::byte* payload);
    void uploadStaged(const Job& job, const std::byte* payload);
    void uploadByGpu(const Job& job, const FrameLease* slot);
    bool fillTextures(const Job& job, const FrameLease& slot, std::span<const PixelRows> rows);
    void dropGpu();
    void dropUnusedStaging();
    void stageFor(std::size_t pictureBytes);

    UploadPath wanted_;
    UploadChoice choice_{UploadPath::Direct, ""};  // of paths from main memory
    std::size_t stagedFor_ = 0;                    // size of a picture in the two buffers that follow
    std::optional<StagingRing> staging_;
    std::optional<GpuCopies> gpuCopies_;
    std::optional<GpuStaging> gpuStaging_;
    std::string notIntoTextures_;  // why the GPU fills a buffer, and not the textures; "": it fills those
    UploadPath lastPath_ = UploadPath::Measure;
    std::string notWithinGpu_;        // why pictures of a GPU are copied out of it; "": they are not
    std::vector<std::byte> readOut_;  // such a picture
    double lastMilliseconds_ = 0;
};

}  // namespace verbcast
