// The bytes of every shown frame pass through here.
//
// Direct:         glTexSubImage2D from the frame's memory; the driver makes the only copy.
// Persistent PBO: we copy once into mapped memory; the driver or the device copies later, in the background.
// Pinned:         the GPU copies from the frame's memory into the textures (CUDA), or, for formats that CUDA
//                 does not know, into a buffer of its own and from there.
// Device:         likewise, from a frame in its own memory.
//
// `render_bench` shows the cost of each against memcpy.
#include "render/upload/texture_upload.h"

#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"
#include "core/gpu/gl_sharing.h"
#include "core/memory/device_pool.h"
#include "render/gl/gl_handles.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

constexpr std::size_t kPlaneAlignment = 64;

void copyRows(std::byte* target, std::size_t rowBytes, const std::byte* source, std::size_t stride,
              std::size_t rows) {
    if (stride == rowBytes) {
        std::memcpy(target, source, rowBytes * rows);
        return;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        std::memcpy(target + row * rowBytes, source + row * stride, rowBytes);
    }
}

double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// A rectangle of a plane, as texels and as bytes of the payload.
struct Part {
    Part(const VideoFormat& format, std::size_t ofPlane, const FrameRect& rect)
        : plane(ofPlane), texels(&loadedTexels(format.pixelFormat, ofPlane)) {
        const PlaneRegion region = planeRegion(format, plane, rect);
        const std::size_t groupBytes = std::size_t{texels->texelsPerGroup} * texels->bytesPerTexel;
        x = static_cast<GLint>(region.group * texels->texelsPerGroup);
        y = static_cast<GLint>(region.row);
        across = static_cast<GLsizei>(region.groups * texels->texelsPerGroup);
        rows = static_cast<GLsizei>(region.rows);
        stride = format.planes[plane].stride;
        rowBytes = region.groups * groupBytes;
        offset = format.planes[plane].offset + region.row * stride + region.group * groupBytes;
    }
    /// Size in a staging buffer.
    std::size_t stagedBytes() const {
        const std::size_t bytes = rowBytes * static_cast<std::size_t>(rows);
        return (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
    }
    /// Loads from the bound pixel-unpack buffer, or from memory, into the bound texture.
    void load(GLint firstRow, GLsizei rowCount, const void* pixels) const {
        glTexSubImage2D(GL_TEXTURE_2D, 0, x, y + firstRow, across, rowCount, texels->format, texels->type,
                        pixels);
    }

    std::size_t plane;
    const PlaneTexels* texels;
    GLint x, y;
    GLsizei across, rows;
    std::size_t stride, rowBytes, offset;
};

std::vector<Part> partsOf(const VideoFormat& format, std::span<const FrameRect> rects) {
    std::vector<Part> parts;
    for (const FrameRect& rect : rects) {
        for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
            parts.emplace_back(format, plane, rect);
        }
    }
    return parts;
}

std::size_t stagedBytes(std::span<const Part> parts) {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t sum, const Part& part) { return sum + part.stagedBytes(); });
}

}  // namespace

/// What to do for a picture.
struct TextureUploader::Job {
    Job(const VideoFormat& format, UploadTarget& into, const PictureChanges& changed);
    std::vector<PixelRows> rows() const;
    GLuint textureOf(const Part& part) const { return target.textures.texture(part.plane); }
    /// Loads from the bound pixel-unpack buffer.
    void loadStaged(const Part& part, std::size_t offset) const {
        glBindTexture(GL_TEXTURE_2D, textureOf(part));
        part.load(0, part.rows, reinterpret_cast<const void*>(offset));
    }

    std::vector<Part> parts;       // those that have changed, or all
    std::size_t pictureBytes = 0;  // in a staging buffer
    UploadTarget& target;
};

TextureUploader::Job::Job(const VideoFormat& format, UploadTarget& into, const PictureChanges& changed)
    : parts(partsOf(format, {{wholePicture(format)}})), pictureBytes(stagedBytes(parts)), target(into) {
    if (!changed.isAll()) {
        std::vector<Part> some = partsOf(format, changed.rects());
        if (stagedBytes(some) < pictureBytes) {  // not if they overlap too much
            parts = std::move(some);
        }
    }
}

bool StagingRing::supported() {
    return epoxy_gl_version() >= 44 || epoxy_has_gl_extension("GL_ARB_buffer_storage");
}

StagingRing::StagingRing(std::size_t pictureBytes) : partBytes_(pictureBytes), buffer_(GlBuffer::create()) {
    constexpr GLbitfield kFlags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const auto bytes = static_cast<GLsizeiptr>(partBytes_ * kParts);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
    glBufferStorage(GL_PIXEL_UNPACK_BUFFER, bytes, nullptr, kFlags);
    memory_ = static_cast<std::byte*>(glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, bytes, kFlags));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    if (memory_ == nullptr) {
        throw Error(ErrorKind::Display,
                    "the OpenGL driver maps no pixel buffer of " + std::to_string(bytes) + " bytes",
                    "use --upload direct");
    }
}

std::byte* StagingRing::begin() {
    current_ = (current_ + 1) % kParts;
    fences_[current_].wait();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
    return memory_ + offset();
}

void StagingRing::end() {
    fences_[current_].insert();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

TextureUploader::TextureUploader(UploadPath wanted) : wanted_(wanted) {
    if (wanted == UploadPath::PersistentPbo && !StagingRing::supported()) {
        throw Error(ErrorKind::Display,
                    "upload path persistent PBO: this OpenGL has neither version 4.4 nor ARB_buffer_storage",
                    "use --upload direct");
    }
    if (wanted == UploadPath::Pinned) {
        static_cast<void>(gpuOfGl());
    }
    reset();
}

void TextureUploader::reset() {
    staging_.reset();
    dropGpu();
    notWithinGpu_.clear();
    if (wanted_ != UploadPath::Measure) {
        choice_ = UploadChoice(wanted_, "asked for");
        return;
    }
    std::vector<UploadPath> candidates{UploadPath::Direct};
    if (StagingRing::supported()) {
        candidates.push_back(UploadPath::PersistentPbo);
    }
    if (drawsOnNvidia()) {  // only then is CUDA worth loading
        candidates.push_back(UploadPath::Pinned);
    }
    if (candidates.size() > 1) {
        choice_ = UploadChoice(candidates);
    } else {
        choice_ = UploadChoice(UploadPath::Direct,
                               "direct: this OpenGL has neither version 4.4 nor ARB_buffer_storage, which a "
                               "persistent PBO needs");
    }
}

UploadPath TextureUploader::upload(const VideoFormat& format, UploadTarget& target,
                                   const PictureSource& source, const PictureChanges& changed) {
    const auto start = std::chrono::steady_clock::now();
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    const UploadPath path = source.bytes != nullptr ? uploadFromHost(format, target, source, changed)
                                                    : uploadFromDevice(format, target, source, changed);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, 0);
    lastMilliseconds_ = millisecondsSince(start);
    lastPath_ = path;
    return path;
}

UploadPath TextureUploader::uploadFromHost(const VideoFormat& format, UploadTarget& target,
                                           const PictureSource& source, const PictureChanges& changed) {
    for (;;) {
        const bool measuring = choice_.measuring();
        const UploadPath path = choice_.next();
        const Job job(format, target, measuring ? PictureChanges::all() : changed);
        if (measuring) {
            glFinish();  // earlier drawing must not count
        }
        const auto start = std::chrono::steady_clock::now();
        if (!uploadBy(path, job, source)) {
            continue;
        }
        if (measuring) {
            glFinish();
            choice_.record(millisecondsSince(start));
            dropUnusedStaging();
        }
        return path;
    }
}

/// Returns false if that path turned out not to work: another one is chosen now.
bool TextureUploader::uploadBy(UploadPath path, const Job& job, const PictureSource& source) {
    if (path == UploadPath::Direct) {
        uploadDirect(job, source.bytes);
        return true;
    }
    const bool staged = path == UploadPath::PersistentPbo;
    try {
        if (staged) {
            uploadStaged(job, source.bytes);
        } else {
            uploadByGpu(job, source.slot);
        }
    } catch (const Error& error) {
        if (staged) {
            forgetGlErrors();
        } else {
            dropGpu();
        }
        if (wanted_ == path) {
            throw;
        }
        choice_.giveUp(error.what());
        dropUnusedStaging();
        return false;
    }
    return true;
}

UploadPath TextureUploader::uploadFromDevice(const VideoFormat& format, UploadTarget& target,
                                             const PictureSource& source, const PictureChanges& changed) {
    if (notWithinGpu_.empty()) {
        try {
            uploadByGpu(Job(format, target, changed), source.slot);
            return UploadPath::Device;
        } catch (const Error& error) {
            dropGpu();
            notWithinGpu_ = error.what();
            tellOfPeer(LogCategory::Render, "copied out", "",
                       "pictures are copied out of the GPU and uploaded: {}", notWithinGpu_);
        }
    }
    readOut_.resize(format.payloadBytes);
    DeviceLease::of(source.slot->share()).read(readOut_);
    return uploadFromHost(format, target, {readOut_.data()}, changed);
}

void TextureUploader::dropGpu() {
    gpuStaging_.reset();
    gpuCopies_.reset();
    notIntoTextures_.clear();
}

void TextureUploader::dropUnusedStaging() {
    if (choice_.measuring()) {
        return;
    }
    if (choice_.path() != UploadPath::PersistentPbo) {
        staging_.reset();
    }
    if (choice_.path() != UploadPath::Pinned) {
        dropGpu();
    }
}

/// Drops buffers for another picture: after one that was not whole, the format before is back without a
/// reset().
void TextureUploader::stageFor(std::size_t pictureBytes) {
    if (std::exchange(stagedFor_, pictureBytes) != pictureBytes) {
        staging_.reset();
        gpuStaging_.reset();
    }
}

UploadReport TextureUploader::report() const {
    UploadReport report{
        .path = choice_.path(), .reason = choice_.reason(), .lastMilliseconds = lastMilliseconds_};
    if (lastPath_ == UploadPath::Device) {
        report.path = UploadPath::Device;
        report.reason = "copied within the GPU";
        if (!notIntoTextures_.empty()) {
            report.reason += ", by way of a buffer: " + notIntoTextures_;
        }
    } else if (!notWithinGpu_.empty()) {
        report.reason += "; copied out of the GPU before: " + notWithinGpu_;
    }
    return report;
}

void TextureUploader::uploadDirect(const Job& job, const std::byte* payload) {
    for (const Part& part : job.parts) {
        const std::byte* source = payload + part.offset;
        glBindTexture(GL_TEXTURE_2D, job.textureOf(part));
        if (part.stride % part.texels->bytesPerTexel == 0) {
            glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(part.stride / part.texels->bytesPerTexel));
            part.load(0, part.rows, source);
            glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        } else {
            for (GLsizei row = 0; row < part.rows; ++row) {
                part.load(row, 1, source + static_cast<std::size_t>(row) * part.stride);
            }
        }
    }
}

void TextureUploader::uploadStaged(const Job& job, const std::byte* payload) {
    stageFor(job.pictureBytes);
    if (!staging_) {
        staging_.emplace(job.pictureBytes);
    }
    std::byte* const memory = staging_->begin();
    std::size_t at = 0;
    for (const Part& part : job.parts) {
        copyRows(memory + at, part.rowBytes, payload + part.offset, part.stride,
                 static_cast<std::size_t>(part.rows));
        job.loadStaged(part, staging_->offset() + at);
        at += part.stagedBytes();
    }
    staging_->end();
}

void TextureUploader::uploadByGpu(const Job& job, const FrameLease* slot) {
    if (slot == nullptr) {
        throw Error(ErrorKind::Device, "the picture lies in no ring that could be pinned");
    }
    if (!gpuCopies_) {
        gpuCopies_.emplace();
    }
    const std::vector<PixelRows> rows = job.rows();
    if (rows.empty() || fillTextures(job, *slot, rows)) {
        return;
    }
    stageFor(job.pictureBytes);
    if (!gpuStaging_) {
        gpuStaging_.emplace(gpuCopies_->gpu(), job.pictureBytes);
    }
    gpuCopies_->copy(*slot, rows, *gpuStaging_->pixels);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, gpuStaging_->buffer.get());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        job.loadStaged(job.parts[i], rows[i].into);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

/// Without a buffer between. False if there must be one.
bool TextureUploader::fillTextures(const Job& job, const FrameLease& slot, std::span<const PixelRows> rows) {
    const PlaneTextures& filled = job.target.textures;
    if (!filled.holdPayloadBytes() || !notIntoTextures_.empty()) {
        return false;
    }
    try {
        if (!job.target.registered) {
            std::vector<unsigned> names;
            for (std::size_t plane = 0; plane < filled.count(); ++plane) {
                names.push_back(filled.texture(plane));
            }
            job.target.registered = registerGlTextures(gpuCopies_->gpu(), names);
        }
        gpuCopies_->copy(slot, rows, *job.target.registered);
        return true;
    } catch (const Error& error) {
        job.target.registered.reset();
        notIntoTextures_ = error.what();
        tellOfPeer(LogCategory::Render, "into a buffer", "",
                   "the GPU copies pictures into a buffer, not into textures: {}", notIntoTextures_);
        return false;
    }
}

std::vector<PixelRows> TextureUploader::Job::rows() const {
    std::vector<PixelRows> rows;
    std::size_t at = 0;
    for (const Part& part : parts) {
        rows.push_back({.from = part.offset,
                        .stride = part.stride,
                        .rowBytes = part.rowBytes,
                        .rows = static_cast<std::uint64_t>(part.rows),
                        .into = at,
                        .texture = part.plane,
                        .x = static_cast<std::uint64_t>(part.x) * part.texels->bytesPerTexel,
                        .y = static_cast<std::uint64_t>(part.y)});
        at += part.stagedBytes();
    }
    return rows;
}

}  // namespace verbcast
