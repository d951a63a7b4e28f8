// Computes the numbers with which shaders turn a format's code values into screen colours. No GL here.
#pragma once

#include <array>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  ///< rows

enum class ColourPath {
    Plain,      ///< the texture holds the screen's full-range R'G'B'
    Matrix,     ///< one matrix and an offset
    WideGamut,  ///< BT.2020 primaries with an SDR transfer: mapped to BT.709
    Pq,         ///< HDR, tone-mapped
    Hlg,        ///< HDR, tone-mapped
};

struct ColourPlan {
    ColourPath path = ColourPath::Plain;
    Matrix3 signalFromComponents{};  ///< texture components (0..1) to R'G'B' (nominal 0..1)
    Vector3 signalOffset{};
    Matrix3 screenFromPrimaries{};  ///< linear light to BT.709 primaries; unused by Plain and Matrix
};

/// The codes of a component's nominal range: nominal value = (code - zero) / span.
struct CodeRange {
    double zero = 0, span = 0;
};
/// Of Y', R', G' and B'.
CodeRange lumaRange(bool fullRange, int bits);

/// `codeOfOne` is the code value of a texture component of 1.0: 255 for 8-bit textures, 1023 for 10-bit ones,
/// 65535 for 10-bit codes in the low bits of 16, 65535/64 for those in the high bits.
ColourPlan planColour(const VideoFormat& format, double codeOfOne);

/// Position of chroma sample 0, in luma pixels right of and below the centre of luma pixel 0.
struct ChromaSite {
    double x = 0, y = 0;
};
/// Unspecified means left for 4:2:0 and 4:2:2 (H.264, H.265, SDI). 0 in directions without subsampling.
ChromaSite chromaSite(const VideoFormat& format);

/// StreamRenderer::colourNote() of a plan.
std::string describe(ColourPath path);

}  // namespace verbcast
