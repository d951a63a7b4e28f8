#include "render/colour.h"

#include <algorithm>
#include <iterator>

namespace verbcast {
namespace {

// The code points of H.273 that matter here.
constexpr int kPrimaries2020 = 9;
constexpr int kTransferPq = 16;
constexpr int kTransferHlg = 18;
constexpr int kMatrixRgb = 0;
constexpr int kMatrix709 = 1;
constexpr int kMatrix2020 = 9;
constexpr int kMatrixUnspecified = 2;
constexpr int kMatrix601 = 6;

constexpr std::uint32_t kFirstHdHeight = 720;

constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// BT.2087, table 2: linear BT.2020 to linear BT.709.
constexpr Matrix3 kBt709From2020{
    {{1.6605, -0.5876, -0.0728}, {-0.1246, 1.1329, -0.0083}, {-0.0182, -0.1006, 1.1187}}};

/// H.273, table 4: KR and KB of MatrixCoefficients.
struct LumaWeights {
    int matrix;
    double red, blue;
};
constexpr LumaWeights kLumaWeights[] = {{kMatrix709, 0.2126, 0.0722}, {4, 0.30, 0.11},   {5, 0.299, 0.114},
                                        {kMatrix601, 0.299, 0.114},   {7, 0.212, 0.087}, {9, 0.2627, 0.0593},
                                        {10, 0.2627, 0.0593}};

bool carriesChroma(const PixelFormatInfo& info) {
    return !info.rgb && info.format != PixelFormat::gray;
}

bool isHdr(const VideoFormat& format) {
    return format.colour.transfer == kTransferPq || format.colour.transfer == kTransferHlg;
}

// HDR without named primaries has those of BT.2100, which are BT.2020's.
bool hasWidePrimaries(const VideoFormat& format) {
    return format.colour.primaries == kPrimaries2020 ||
           (isHdr(format) && format.colour.primaries == kMatrixUnspecified);
}

/// The matrix in use: the format's own; if it names none, BT.2020's for HDR, else BT.601 below 720 rows and
/// BT.709 from there on (as most players do, since SD was BT.601 and HD is BT.709). 0 for RGB formats and
/// gray.
int effectiveMatrix(const VideoFormat& format) {
    const int named = format.colour.matrix;
    if (named == kMatrixRgb || !carriesChroma(pixelFormatInfo(format.pixelFormat))) {
        return kMatrixRgb;
    }
    if (std::ranges::find(kLumaWeights, named, &LumaWeights::matrix) != std::end(kLumaWeights)) {
        return named;
    }
    if (named == kMatrixUnspecified && isHdr(format)) {
        return kMatrix2020;
    }
    return format.height < kFirstHdHeight ? kMatrix601 : kMatrix709;
}

// H.273, section 8.3: the inverse of E'Y = KR E'R + KG E'G + KB E'B, E'PB = 0.5 (E'B - E'Y) / (1 - KB), ...
Matrix3 rgbFromYcbcr(int matrix) {
    if (matrix == kMatrixRgb) {
        return {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};  // GBR in the planes Y, Cb, Cr
    }
    const auto& [found, red, blue] = *std::ranges::find(kLumaWeights, matrix, &LumaWeights::matrix);
    const double green = 1 - red - blue;
    return {{{1, 0, 2 * (1 - red)},
             {1, -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green},
             {1, 2 * (1 - blue), 0}}};
}

CodeRange chromaRange(bool fullRange, int bits) {
    const double step = 1 << (bits - 8);
    return fullRange ? CodeRange{128 * step, 256 * step - 1} : CodeRange{128 * step, 224 * step};
}

ColourPath colourPath(const VideoFormat& format) {
    if (format.colour.transfer == kTransferPq) {
        return ColourPath::Pq;
    }
    if (format.colour.transfer == kTransferHlg) {
        return ColourPath::Hlg;
    }
    if (format.colour.primaries == kPrimaries2020) {
        return ColourPath::WideGamut;
    }
    const bool plain = !carriesChroma(pixelFormatInfo(format.pixelFormat)) && format.colour.fullRange;
    return plain ? ColourPath::Plain : ColourPath::Matrix;
}

}  // namespace

// H.273, section 8.3: full range spans all codes, limited range 219 (luma) or 224 (chroma) steps of 8 bits.
CodeRange lumaRange(bool fullRange, int bits) {
    const double step = 1 << (bits - 8);
    return fullRange ? CodeRange{0, 256 * step - 1} : CodeRange{16 * step, 219 * step};
}

ChromaSite chromaSite(const VideoFormat& format) {
    // H.273 section 8.7: 0 left, 1 centre, 2 top-left, 3 top, 4 bottom-left, 5 bottom; AVCHROMA_LOC_* adds 1.
    static constexpr ChromaSite kSites[] = {{0, 0.5}, {0, 0.5}, {0.5, 0.5}, {0, 0},
                                            {0.5, 0}, {0, 1},   {0.5, 1}};
    const auto& info = pixelFormatInfo(format.pixelFormat);
    const auto location = format.colour.chromaLocation;
    auto site = kSites[location < std::size(kSites) ? location : 0];
    if (info.chromaShiftX == 0) {
        site.x = 0;
    }
    if (info.chromaShiftY == 0) {
        site.y = 0;
    }
    return site;
}

ColourPlan planColour(const VideoFormat& format, double codeOfOne) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    const auto& colour = format.colour;
    const auto luma = lumaRange(colour.fullRange, info.bitsPerComponent);
    const auto chroma = chromaRange(colour.fullRange, info.bitsPerComponent);
    const int matrix = effectiveMatrix(format);
    const bool opponent = carriesChroma(info) && matrix != kMatrixRgb;

    ColourPlan plan;
    plan.path = colourPath(format);
    plan.screenFromPrimaries = hasWidePrimaries(format) ? kBt709From2020 : kIdentity;
    const Matrix3 base = carriesChroma(info) ? rgbFromYcbcr(matrix) : kIdentity;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const auto& range = opponent && column > 0 ? chroma : luma;
            plan.signalFromComponents[row][column] = base[row][column] * codeOfOne / range.span;
            plan.signalOffset[row] -= base[row][column] * range.zero / range.span;
        }
    }
    return plan;
}

std::string describe(ColourPath path) {
    static constexpr std::array<const char*, 5> kNotes{
        "", "", "BT.2020 mapped to BT.709", "PQ tone-mapped to SDR", "HLG tone-mapped to SDR"};  // by path
    return kNotes.at(static_cast<std::size_t>(path));
}

}  // namespace verbcast
