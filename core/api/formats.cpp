#include "core/api/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "core/api/calls.h"
#include "core/video/pixel_format.h"

namespace verbcast {
namespace {

/// Of H.273: "unspecified".
constexpr std::uint8_t kUnspecified = 2;

PixelFormat pixelFormatOf(vc_pixel_format given) {
    const auto number = static_cast<unsigned>(given);
    const auto format = number <= UINT8_MAX ? pixelFormatFromWire(static_cast<std::uint8_t>(number))
                                            : std::optional<PixelFormat>();
    if (!format) {
        refuse(fmt::format("vc_video_format.pixel_format: {} is not a vc_pixel_format", number),
               "one of " + pixelFormatNames());
    }
    return *format;
}

/// `given`, or `otherwise` for 0/0. Throws Error{Usage} unless that is above 0.
Rational rationalFrom(const vc_rational& given, const Rational& otherwise, const char* field) {
    if (given.numerator == 0 && given.denominator == 0) {
        return otherwise;
    }
    if (given.numerator <= 0 || given.denominator <= 0) {
        refuse(fmt::format("vc_video_format.{}: {}/{} is not above 0", field, given.numerator,
                           given.denominator));
    }
    return {given.numerator, given.denominator};
}

/// Throws Error{Usage} above `most`.
std::uint8_t numberIn(unsigned value, unsigned most, const char* field) {
    if (value > most) {
        refuse(fmt::format("vc_video_format.{}: {} given, 0 to {} expected", field, value, most));
    }
    return static_cast<std::uint8_t>(value);
}

std::uint8_t codePoint(unsigned value, const char* field) {
    const std::uint8_t number = numberIn(value, UINT8_MAX, field);
    return number == 0 ? kUnspecified : number;
}

std::uint32_t alignmentFrom(std::uint32_t given, const char* field) {
    constexpr std::uint32_t kMost = 4096;
    if (given > kMost || (given != 0 && !std::has_single_bit(given))) {
        refuse(fmt::format("vc_video_format.{}: {} given, a power of two up to {} expected", field, given,
                           kMost));
    }
    return std::max(given, 1U);
}

void setColour(VideoFormat& format, const vc_video_format& given) {
    const bool rgb = pixelFormatInfo(format.pixelFormat).rgb;
    Colour& colour = format.colour;
    colour.matrix = rgb && given.matrix == VC_MATRIX_DEFAULT ? 0 : codePoint(given.matrix, "matrix");
    colour.primaries = codePoint(given.primaries, "primaries");
    colour.transfer = codePoint(given.transfer, "transfer");
    const auto range = numberIn(given.range, VC_RANGE_FULL, "range");
    colour.fullRange = range == VC_RANGE_DEFAULT ? rgb : range == VC_RANGE_FULL;
    colour.chromaLocation = numberIn(given.chroma_location, kMaxChromaLocation, "chroma_location");
    format.fieldOrder =
        static_cast<FieldOrder>(numberIn(given.field_order, VC_BOTTOM_FIELD_FIRST, "field_order"));
    format.alpha = static_cast<AlphaKind>(numberIn(given.alpha, VC_ALPHA_IGNORED, "alpha"));
    format.hdr = {{given.hdr.red_x, given.hdr.red_y},
                  {given.hdr.green_x, given.hdr.green_y},
                  {given.hdr.blue_x, given.hdr.blue_y},
                  {given.hdr.white_x, given.hdr.white_y},
                  given.hdr.max_luminance,
                  given.hdr.min_luminance,
                  given.hdr.max_content_light,
                  given.hdr.max_frame_average_light};
}

}  // namespace

VideoFormat formatFrom(const vc_video_format& given) {
    VideoFormat format = tightFormat(given.width, given.height, pixelFormatOf(given.pixel_format));
    layOutPlanes(format, alignmentFrom(given.stride_alignment, "stride_alignment"),
                 alignmentFrom(given.plane_alignment, "plane_alignment"));
    const bool rateKnown = given.frame_rate.numerator != 0 || given.frame_rate.denominator <= 0;
    format.frameRate = rateKnown ? rationalFrom(given.frame_rate, {60, 1}, "frame_rate") : Rational{0, 1};
    if (!rateKnown && given.time_base.numerator == 0) {
        refuse("vc_video_format.frame_rate is not known, and there is no time_base", "set time_base");
    }
    format.timeBase = rationalFrom(given.time_base,
                                   {format.frameRate.denominator, format.frameRate.numerator}, "time_base");
    format.pixelAspect = rationalFrom(given.pixel_aspect, {1, 1}, "pixel_aspect");
    constexpr std::uint32_t kTurn = 360;
    format.rotation = static_cast<std::uint16_t>(std::min(given.rotation, kTurn));
    setColour(format, given);
    if (const auto problem = formatProblem(format)) {
        refuse("vc_video_format: " + *problem);
    }
    return format;
}

vc_video_format formatFrom(const VideoFormat& format) {
    vc_video_format told = VC_INIT(vc_video_format);
    told.pixel_format = static_cast<vc_pixel_format>(format.pixelFormat);
    told.width = format.width;
    told.height = format.height;
    told.frame_rate = {format.frameRate.numerator, format.frameRate.denominator};
    told.time_base = {format.timeBase.numerator, format.timeBase.denominator};
    told.pixel_aspect = {format.pixelAspect.numerator, format.pixelAspect.denominator};
    told.rotation = format.rotation;
    const auto known = [](std::uint8_t number) { return number == kUnspecified ? 0U : number; };
    told.matrix = static_cast<vc_matrix>(known(format.colour.matrix));
    told.primaries = static_cast<vc_primaries>(known(format.colour.primaries));
    told.transfer = static_cast<vc_transfer>(known(format.colour.transfer));
    told.range = format.colour.fullRange ? VC_RANGE_FULL : VC_RANGE_LIMITED;
    told.chroma_location = static_cast<vc_chroma_location>(format.colour.chromaLocation);
    told.field_order = static_cast<vc_field_order>(format.fieldOrder);
    told.alpha = static_cast<vc_alpha>(format.alpha);
    const HdrMetadata& hdr = format.hdr;
    told.hdr = {hdr.red.x,        hdr.red.y,        hdr.green.x,         hdr.green.y,
                hdr.blue.x,       hdr.blue.y,       hdr.white.x,         hdr.white.y,
                hdr.maxLuminance, hdr.minLuminance, hdr.maxContentLight, hdr.maxFrameAverageLight};
    return told;
}

std::byte* addressOf(const FrameLease& lease) {
    const DeviceMemory* const device = lease.pool()->memory()->device();
    if (device == nullptr) {
        return lease.data();
    }
    const DeviceMemoryAddress address = device->address() + lease.slot() * lease.capacity();
    // NOLINTNEXTLINE(performance-no-int-to-ptr): CUDA's runtime has pointers
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

std::int64_t nanosecondsOf(std::int64_t stamp, const Rational& timeBase) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    __extension__ using Wide = __int128;
    const Wide exact = Wide{stamp} * timeBase.numerator * kSecond / timeBase.denominator;
    using Limits = std::numeric_limits<std::int64_t>;
    return static_cast<std::int64_t>(std::clamp<Wide>(exact, Limits::min(), Limits::max()));
}

}  // namespace verbcast
