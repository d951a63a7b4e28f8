// The bytes of every shown frame pass here.
//
// Direct:         glTexSubImage2D from the frame's memory; the driver makes the one copy.
// Persistent PBO: one copy by us into mapped memory, one by the driver or the device, later and on its own.
//
// `render_bench` shows what each costs beside memcpy.
#include "render/texture_upload.h"

#include <chrono>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::size_t kPlaneAlignment = 64;

std::size_t alignUp(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

std::size_t texelRowBytes(const VideoFormat& format, std::size_t plane) {
    return static_cast<std::size_t>(texelsAcross(format, plane)) *
           textureLayout(format.pixelFormat).planes[plane].bytesPerTexel;
}

std::size_t stagedBytes(const VideoFormat& format) {
    std::size_t bytes = 0;
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        bytes += alignUp(texelRowBytes(format, plane) * planeRows(format, plane), kPlaneAlignment);
    }
    return bytes;
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

void texSubImage(const PlaneTexels& texels, GLint row, GLsizei across, GLsizei rows, const void* pixels) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, row, across, rows, texels.format, texels.type, pixels);
}

double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

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
                             const std::byte* payload) {
    const bool measuring = choice_.measuring();
    if (measuring) {
        glFinish();  // earlier drawing must not be counted
    }
    const auto start = std::chrono::steady_clock::now();
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (choice_.next() == UploadPath::PersistentPbo) {
        uploadStaged(format, textures, payload);
    } else {
        uploadDirect(format, textures, payload);
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

UploadReport TextureUploader::report() const {
    return {choice_.path(), choice_.reason(), lastMilliseconds_};
}

void TextureUploader::uploadDirect(const VideoFormat& format, const PlaneTextures& textures,
                                   const std::byte* payload) {
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const auto& texels = textureLayout(format.pixelFormat).planes[plane];
        const auto across = texelsAcross(format, plane);
        const auto rows = static_cast<GLsizei>(planeRows(format, plane));
        const auto stride = format.planes[plane].stride;
        const std::byte* source = payload + format.planes[plane].offset;
        glBindTexture(GL_TEXTURE_2D, textures.texture(plane));
        if (stride % texels.bytesPerTexel == 0) {
            glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(stride / texels.bytesPerTexel));
            texSubImage(texels, 0, across, rows, source);
            glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        } else {
            for (GLsizei row = 0; row < rows; ++row) {
                texSubImage(texels, row, across, 1, source + static_cast<std::size_t>(row) * stride);
            }
        }
    }
}

void TextureUploader::uploadStaged(const VideoFormat& format, const PlaneTextures& textures,
                                   const std::byte* payload) {
    if (!staging_) {
        staging_.emplace(stagedBytes(format));
    }
    std::byte* const memory = staging_->begin();
    std::size_t offset = 0;
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const auto& texels = textureLayout(format.pixelFormat).planes[plane];
        const auto rowBytes = texelRowBytes(format, plane);
        const auto rows = planeRows(format, plane);
        copyRows(memory + offset, rowBytes, payload + format.planes[plane].offset,
                 format.planes[plane].stride, rows);
        glBindTexture(GL_TEXTURE_2D, textures.texture(plane));
        texSubImage(texels, 0, texelsAcross(format, plane), static_cast<GLsizei>(rows),
                    reinterpret_cast<const void*>(staging_->offset() + offset));
        offset += alignUp(rowBytes * rows, kPlaneAlignment);
    }
    staging_->end();
}

}  // namespace verbcast
