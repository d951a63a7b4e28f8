// The texture layout of each pixel format, and the textures of one picture.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/video/video_format.h"
#include "render/gl/gl_handles.h"

namespace verbcast {

/// A plane as texels. One texel holds one or two pixels, or (v210) three components.
struct PlaneTexels {
    GLenum internalFormat = 0, format = 0, type = 0;
    std::uint8_t bytesPerTexel = 0;
    std::uint8_t texelsPerGroup = 0;  ///< per PlaneLayout group of the pixel format
    std::array<GLint, 4> swizzle{};
    std::uint32_t fourCc = 0;  ///< the DRM name (DRM_FORMAT_*) of texels that lie in memory like these
};

struct TextureLayout {
    std::string_view shader;  ///< the layout's file in shaders/
    double codeOfOne;         ///< see planColour()
    GLint wrap;               ///< GL_TEXTURE_WRAP_*
    std::array<PlaneTexels, kMaxPlanes> planes{};
};
const TextureLayout& textureLayout(PixelFormat format);
/// What its shader file needs defined: log2 of the chroma subsampling.
std::array<std::string, 2> layoutDefines(PixelFormat format);

/// How OpenGL is told about a plane's bytes: as the layout says, but where a GPU copies them as they are.
const PlaneTexels& loadedTexels(PixelFormat format, std::size_t plane);

/// Texels across a plane of this format.
GLsizei texelsAcross(const VideoFormat& format, std::size_t plane);

/// Throws Error{Display}, naming both, if a size exceeds GL_MAX_TEXTURE_SIZE.
void checkTextureSize(std::uint32_t width, std::uint32_t height, std::string_view what);

/// The textures of one picture. Filtering is linear and does not reach past the edges.
class PlaneTextures {
  public:
    PlaneTextures() = default;
    /// Throws Error{Display} if the driver's limits or memory do not allow the textures.
    explicit PlaneTextures(const VideoFormat& format);

    /// Wraps textures that already hold the picture's planes, and sets how to read them.
    PlaneTextures(const VideoFormat& format, std::array<GlTexture, kMaxPlanes> planes);

    GLuint texture(std::size_t plane) const { return textures_[plane].get(); }
    std::size_t count() const { return count_; }
    /// Whether the texels are the payload's own bytes, in formats that CUDA knows: registerGlTextures().
    bool holdPayloadBytes() const { return holdPayloadBytes_; }
    /// Whether the first plane's texels hold red, green, blue and alpha in this order.
    bool holdColoursInOrder() const { return holdColoursInOrder_; }
    /// Binds the planes to units 0, 1, ...; unit 0 is active afterwards.
    void bind() const;

  private:
    std::array<GlTexture, kMaxPlanes> textures_;
    std::size_t count_ = 0;
    bool holdPayloadBytes_ = false;
    bool holdColoursInOrder_ = false;
};

/// A texture with storage, linear filtering and clamped edges, left bound to the active unit. Throws
/// Error{Display} if the driver is out of memory.
GlTexture makeTexture(GLenum internalFormat, GLenum format, GLenum type, GLsizei width, GLsizei height);

}  // namespace verbcast
