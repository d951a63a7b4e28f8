// How each pixel format lies in textures, and the textures of one picture.
#pragma once

#include <array>
#include <string_view>

#include "core/video/video_format.h"
#include "render/gl_handles.h"

namespace verbcast {

/// A plane as texels. One texel holds one or two pixels, or (v210) three components.
struct PlaneTexels {
    GLenum internalFormat, format, type;
    std::uint8_t bytesPerTexel;
    std::uint8_t texelsPerGroup;  ///< per PlaneLayout group of the pixel format
    std::array<GLint, 4> swizzle;
};

struct TextureLayout {
    std::string_view shader;  ///< the layout's file in shaders/
    double codeOfOne;         ///< see planColour()
    GLint wrap;               ///< GL_TEXTURE_WRAP_*
    std::array<PlaneTexels, 3> planes;
};
const TextureLayout& textureLayout(PixelFormat format);

/// Texels across a plane of this format.
GLsizei texelsAcross(const VideoFormat& format, std::size_t plane);

/// Throws Error{Display} when a size is above GL_MAX_TEXTURE_SIZE, naming both.
void checkTextureSize(std::uint32_t width, std::uint32_t height, std::string_view what);

/// Textures that hold one picture. Filtering is linear and does not reach over the edges.
class PlaneTextures {
  public:
    PlaneTextures() = default;
    /// Throws Error{Display} when the driver's limits or memory do not allow the textures.
    explicit PlaneTextures(const VideoFormat& format);

    GLuint texture(std::size_t plane) const { return textures_[plane].get(); }
    /// Binds the planes to units 0, 1, 2; unit 0 is active afterwards.
    void bind() const;

  private:
    std::array<GlTexture, 3> textures_;
    std::size_t count_ = 0;
};

/// A texture with storage, linear filtering and clamped edges, left bound to the active unit. Throws
/// Error{Display} when the driver has no memory for it.
GlTexture makeTexture(GLenum internalFormat, GLenum format, GLenum type, GLsizei width, GLsizei height);

}  // namespace verbcast
