// The arithmetic from a format's code values to the screen, as numbers for the shaders. No GL here.
#pragma once

#include <array>
#include <string>

#include "core/video/video_format.h"

namespace verbcast {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  ///< rows

enum class ColourPath {
    Plain,      ///< the texture holds what the screen shows: full-range R'G'B'
    Matrix,     ///< one matrix and an offset
    WideGamut,  ///< BT.2020 primaries with an SDR transfer: mapped to BT.709
    Pq,         ///< HDR, tone-mapped
    Hlg,        ///< HDR, tone-mapped
};

struct ColourPlan {
    ColourPath path = ColourPath::Plain;
    Matrix3 signalFromComponents{};  ///< texture components (0..1) to R'G'B' (nominal 0..1)
    Vector3 signalOffset{};
    Matrix3 screenFromPrimaries{};  ///< linear light to BT.709 primaries; not used by Plain and Matrix
};

/// `codeOfOne` is the code value that a texture component of 1.0 stands for: 255 for 8-bit textures, 1023 for
/// 10-bit ones, 65535 for 10-bit codes in the low bits of 16, 65535/64 for those in the high bits.
ColourPlan planColour(const VideoFormat& format, double codeOfOne);

/// The matrix in use: the format's own, or, where it says none, BT.601 below 720 rows and BT.709 from there
/// on (what makers of players agree on, since SD was BT.601 and HD is BT.709). 0 for RGB formats and gray.
int effectiveMatrix(const VideoFormat& format);

/// Where chroma sample 0 lies: luma pixels right of and below the centre of luma pixel 0.
struct ChromaSite {
    double x = 0, y = 0;
};
/// Unspecified is left for 4:2:0 and 4:2:2 (H.264, H.265, SDI). Directions without subsampling give 0.
ChromaSite chromaSite(const VideoFormat& format);

/// What colourNote() of the renderer says about a plan.
std::string describe(ColourPath path);

}  // namespace verbcast
