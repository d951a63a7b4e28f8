#include "render/gl/plane_textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

constexpr std::array<GLint, 4> kInOrder{GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA};
constexpr std::array<GLint, 4> kBlueFirst{GL_BLUE, GL_GREEN, GL_RED, GL_ALPHA};
constexpr std::array<GLint, 4> kGray{GL_RED, GL_RED, GL_RED, GL_ONE};
constexpr std::array<GLint, 4> kYuyvAsUyvy{GL_GREEN, GL_RED, GL_ALPHA, GL_BLUE};

// From libdrm's drm_fourcc.h, whose names list a word's highest component first.
constexpr std::uint32_t fourCc(const char (&name)[5]) {
    return static_cast<std::uint32_t>(name[0]) | static_cast<std::uint32_t>(name[1]) << 8 |
           static_cast<std::uint32_t>(name[2]) << 16 | static_cast<std::uint32_t>(name[3]) << 24;
}

constexpr PlaneTexels kRgba8{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, kInOrder, fourCc("AB24")};
// The unsized internal format lets the driver keep the byte order: with GL_RGBA8 llvmpipe reorders bytes on
// the CPU (117 instead of 540 4K frames per second). It is also the order of most screens.
constexpr PlaneTexels kBgra8{GL_RGBA, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4, 1, kInOrder, fourCc("AR24")};
// For NVIDIA's GPUs, which copy pictures into textures byte by byte.
constexpr PlaneTexels kBgraBytes{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, kBlueFirst, fourCc("AB24")};
constexpr PlaneTexels kRgb8{GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, 1, kInOrder, fourCc("BG24")};
constexpr PlaneTexels kBgr10{GL_RGB10_A2, GL_RGBA,       GL_UNSIGNED_INT_2_10_10_10_REV, 4, 1,
                             kBlueFirst,  fourCc("AB30")};
constexpr PlaneTexels kV210Words{GL_RGB10_A2, GL_RGBA,       GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4,
                                 kInOrder,    fourCc("AB30")};
constexpr PlaneTexels kGray8{GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, kGray, fourCc("R8  ")};
constexpr PlaneTexels kOne8{GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, kInOrder, fourCc("R8  ")};
constexpr PlaneTexels kTwo8{GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 1, kInOrder, fourCc("GR88")};
constexpr PlaneTexels kOne16{GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2, 1, kInOrder, fourCc("R16 ")};
constexpr PlaneTexels kTwo16{GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 4, 1, kInOrder, fourCc("GR32")};
constexpr PlaneTexels kYuyv{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, kYuyvAsUyvy, fourCc("AB24")};

// Mirrored repeat equals clamping within the half texel outside that bilinear filters reach. Unlike clamping,
// it keeps llvmpipe from filtering 8-bit textures in 8-bit arithmetic, at the same speed.
constexpr GLint kExactEdges = GL_MIRRORED_REPEAT;

constexpr double kLow10Bits = 65535;
constexpr double kHigh10Bits = 65535.0 / 64;

constexpr TextureLayout packedRgb(double codeOfOne, const PlaneTexels& texels) {
    return {"packed_rgb.glsl", codeOfOne, GL_CLAMP_TO_EDGE, {texels}};
}
constexpr TextureLayout planarYuv(double codeOfOne, const PlaneTexels& texels) {
    return {"planar_yuv.glsl", codeOfOne, kExactEdges, {texels, texels, texels}};
}

struct LayoutOfFormat {
    PixelFormat format;
    TextureLayout layout;
};
constexpr LayoutOfFormat kLayouts[] = {
    {PixelFormat::rgba, packedRgb(255, kRgba8)},
    {PixelFormat::bgra, packedRgb(255, kBgra8)},
    {PixelFormat::rgb24, packedRgb(255, kRgb8)},
    {PixelFormat::x2rgb10le, packedRgb(1023, kBgr10)},
    {PixelFormat::gray, packedRgb(255, kGray8)},
    {PixelFormat::yuv420p, planarYuv(255, kOne8)},
    {PixelFormat::yuv422p, planarYuv(255, kOne8)},
    {PixelFormat::yuv444p, planarYuv(255, kOne8)},
    {PixelFormat::yuv420p10le, planarYuv(kLow10Bits, kOne16)},
    {PixelFormat::yuv422p10le, planarYuv(kLow10Bits, kOne16)},
    {PixelFormat::yuv444p10le, planarYuv(kLow10Bits, kOne16)},
    {PixelFormat::nv12, {"semi_planar_yuv.glsl", 255, kExactEdges, {kOne8, kTwo8}}},
    {PixelFormat::p010le, {"semi_planar_yuv.glsl", kHigh10Bits, kExactEdges, {kOne16, kTwo16}}},
    {PixelFormat::uyvy422, {"packed_422.glsl", 255, kExactEdges, {kRgba8}}},
    {PixelFormat::yuyv422, {"packed_422.glsl", 255, kExactEdges, {kYuyv}}},
    {PixelFormat::v210, {"v210.glsl", 1023, kExactEdges, {kV210Words}}},
};

/// How a plane is stored. For software rendering it pays to store packed pixels in the screen's order: the
/// driver reorders bytes on upload at a tenth of the cost of a pass over the pixels, which showing them one
/// to one then does not need.
const PlaneTexels& storageOf(PixelFormat format, const PlaneTexels& texels) {
    const bool packed = format == PixelFormat::rgba || format == PixelFormat::rgb24;
    return packed && rendersInSoftware() ? kBgra8 : texels;
}

/// Whether CUDA knows textures of this format.
bool isOfEqualComponents(GLenum internalFormat) {
    return internalFormat == GL_R8 || internalFormat == GL_RG8 || internalFormat == GL_RGBA8 ||
           internalFormat == GL_R16 || internalFormat == GL_RG16;
}

void setWrap(GLint wrap) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
}

/// Sets up the bound texture, which has a single level.
void setFilterAndEdges() {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    setWrap(GL_CLAMP_TO_EDGE);
}

}  // namespace

const TextureLayout& textureLayout(PixelFormat format) {
    const auto found = std::ranges::find(kLayouts, format, &LayoutOfFormat::format);
    if (found == std::end(kLayouts)) {
        throw Error(ErrorKind::Internal,
                    fmt::format("pixel format {} has no texture layout", static_cast<int>(format)));
    }
    return found->layout;
}

std::array<std::string, 2> layoutDefines(PixelFormat format) {
    const PixelFormatInfo& info = pixelFormatInfo(format);
    return {"CHROMA_SHIFT_X " + std::to_string(info.chromaShiftX),
            "CHROMA_SHIFT_Y " + std::to_string(info.chromaShiftY)};
}

const PlaneTexels& loadedTexels(PixelFormat format, std::size_t plane) {
    return format == PixelFormat::bgra && drawsOnNvidia() ? kBgraBytes : textureLayout(format).planes[plane];
}

GLsizei texelsAcross(const VideoFormat& format, std::size_t plane) {
    const auto& group = pixelFormatInfo(format.pixelFormat).planes[plane];
    const auto groups = (planeWidth(format, plane) + group.pixelsPerGroup - 1) / group.pixelsPerGroup;
    return static_cast<GLsizei>(groups * textureLayout(format.pixelFormat).planes[plane].texelsPerGroup);
}

void checkTextureSize(std::uint32_t width, std::uint32_t height, std::string_view what) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (width > static_cast<std::uint32_t>(limit) || height > static_cast<std::uint32_t>(limit)) {
        throw Error(ErrorKind::Display,
                    fmt::format("{} is {}x{} texels, this OpenGL driver allows {} on a side", what, width,
                                height, limit),
                    "send a smaller picture (--size), or use another graphics driver");
    }
}

GlTexture makeTexture(GLenum internalFormat, GLenum format, GLenum type, GLsizei width, GLsizei height) {
    forgetGlErrors();
    auto texture = GlTexture::create();
    glBindTexture(GL_TEXTURE_2D, texture.get());
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internalFormat), width, height, 0, format, type,
                 nullptr);
    setFilterAndEdges();
    if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
        throw Error(ErrorKind::Display,
                    fmt::format("no OpenGL texture of {}x{} texels (glGetError {})", width, height, error),
                    "free graphics memory, or send a smaller picture (--size)");
    }
    return texture;
}

PlaneTextures::PlaneTextures(const VideoFormat& format)
    : count_(pixelFormatInfo(format.pixelFormat).planeCount), holdPayloadBytes_(true) {
    for (std::size_t plane = 0; plane < count_; ++plane) {
        const auto& texels = loadedTexels(format.pixelFormat, plane);
        const auto across = texelsAcross(format, plane);
        const auto rows = planeRows(format, plane);
        checkTextureSize(static_cast<std::uint32_t>(across), rows,
                         fmt::format("plane {} of {}", plane, describe(format)));
        const auto& storage = storageOf(format.pixelFormat, texels);
        textures_[plane] = makeTexture(storage.internalFormat, storage.format, storage.type, across,
                                       static_cast<GLsizei>(rows));
        setWrap(textureLayout(format.pixelFormat).wrap);
        glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, texels.swizzle.data());
        holdPayloadBytes_ = holdPayloadBytes_ && isOfEqualComponents(storage.internalFormat);
        holdColoursInOrder_ = plane == 0 ? texels.swizzle == kInOrder : holdColoursInOrder_;
    }
    glBindTexture(GL_TEXTURE_2D, 0);
}

PlaneTextures::PlaneTextures(const VideoFormat& format, std::array<GlTexture, kMaxPlanes> planes)
    : textures_(std::move(planes)), count_(pixelFormatInfo(format.pixelFormat).planeCount) {
    const TextureLayout& layout = textureLayout(format.pixelFormat);
    for (std::size_t plane = 0; plane < count_; ++plane) {
        glBindTexture(GL_TEXTURE_2D, textures_[plane].get());
        setFilterAndEdges();
        setWrap(layout.wrap);
        glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, layout.planes[plane].swizzle.data());
    }
    holdColoursInOrder_ = layout.planes[0].swizzle == kInOrder;
    glBindTexture(GL_TEXTURE_2D, 0);
}

void PlaneTextures::bind() const {
    for (std::size_t plane = count_; plane-- > 0;) {
        glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + plane));
        glBindTexture(GL_TEXTURE_2D, textures_[plane].get());
    }
}

}  // namespace verbcast
