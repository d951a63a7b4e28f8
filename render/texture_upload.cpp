// The bytes of every shown frame pass through here.
//
// Direct:         glTexSubImage2D from the frame's memory; the driver makes the only copy.
// Persistent PBO: we copy once into mapped memory; the driver or the device copies later, in the background.
//
// `render_bench` shows the cost of each against memcpy.
#include "render/texture_upload.h"

#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::size_t kPlaneAlignment = 64;

std::size_t alignUp(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

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

}  // namespace

struct TextureUploader::Part {
    Part(const VideoFormat& format, std::size_t ofPlane, const FrameRect& rect)
        : plane(ofPlane), texels(&textureLayout(format.pixelFormat).planes[ofPlane]) {
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
        return alignUp(rowBytes * static_cast<std::size_t>(rows), kPlaneAlignment);
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
    reset();
}

void TextureUploader::reset() {
    staging_.reset();
    if (wanted_ != UploadPath::Measure) {
        choice_ = UploadChoice(wanted_, "asked for");
    } else if (!StagingRing::supported()) {
        choice_ = UploadChoice(UploadPath::Direct,
                               "direct: this OpenGL has neither version 4.4 nor ARB_buffer_storage, which a "
                               "persistent PBO needs");
    } else {
        choice_ = UploadChoice();
    }
}

void TextureUploader::upload(const VideoFormat& format, const PlaneTextures& textures,
                             const std::byte* payload, const PictureChanges& changed) {
    const bool measuring = choice_.measuring();
    if (measuring) {
        glFinish();  // earlier drawing must not count
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<Part> parts = partsOf(format, {wholePicture(format)});
    const std::size_t pictureBytes = stagedBytes(parts);
    if (!measuring && !changed.isAll()) {
        std::vector<Part> some = partsOf(format, {changed.rects().begin(), changed.rects().end()});
        if (stagedBytes(some) < pictureBytes) {  // not if they overlap too much
            parts = std::move(some);
        }
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (choice_.next() == UploadPath::PersistentPbo) {
        uploadStaged(parts, textures, payload, pictureBytes);
    } else {
        uploadDirect(parts, textures, payload);
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, 0);
    if (measuring) {
        glFinish();
        choice_.record(millisecondsSince(start));
        if (choice_.path() == UploadPath::Direct) {
            staging_.reset();
        }
    }
    lastMilliseconds_ = millisecondsSince(start);
}

std::vector<TextureUploader::Part> TextureUploader::partsOf(const VideoFormat& format,
                                                            const std::vector<FrameRect>& rects) {
    std::vector<Part> parts;
    for (const FrameRect& rect : rects) {
        for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
            parts.emplace_back(format, plane, rect);
        }
    }
    return parts;
}

std::size_t TextureUploader::stagedBytes(std::span<const Part> parts) {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t sum, const Part& part) { return sum + part.stagedBytes(); });
}

UploadReport TextureUploader::report() const {
    return {.path = choice_.path(), .reason = choice_.reason(), .lastMilliseconds = lastMilliseconds_};
}

void TextureUploader::uploadDirect(std::span<const Part> parts, const PlaneTextures& textures,
                                   const std::byte* payload) {
    for (const Part& part : parts) {
        const std::byte* source = payload + part.offset;
        glBindTexture(GL_TEXTURE_2D, textures.texture(part.plane));
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

void TextureUploader::uploadStaged(std::span<const Part> parts, const PlaneTextures& textures,
                                   const std::byte* payload, std::size_t pictureBytes) {
    if (!staging_) {
        staging_.emplace(pictureBytes);
    }
    std::byte* const memory = staging_->begin();
    std::size_t at = 0;
    for (const Part& part : parts) {
        copyRows(memory + at, part.rowBytes, payload + part.offset, part.stride,
                 static_cast<std::size_t>(part.rows));
        glBindTexture(GL_TEXTURE_2D, textures.texture(part.plane));
        part.load(0, part.rows, reinterpret_cast<const void*>(staging_->offset() + at));
        at += part.stagedBytes();
    }
    staging_->end();
}

}  // namespace verbcast
