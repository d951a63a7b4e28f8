#include "capture/convert/hdr_metadata.h"

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>

#include "capture/convert/ffmpeg_library.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

// Of HdrMetadata's fields.
constexpr int kChromaticityUnit = 50'000;
constexpr int kLuminanceUnit = 10'000;

template <typename Number>
Number inUnits(AVRational value, int unit) {
    if (value.den == 0) {
        return 0;
    }
    constexpr auto kMost = static_cast<double>(std::numeric_limits<Number>::max());
    return static_cast<Number>(std::clamp(std::round(av_q2d(value) * unit), 0.0, kMost));
}

/// In FFmpeg's order: red, green, blue, white.
auto chromaticities(auto& hdr) {
    return std::array{&hdr.red, &hdr.green, &hdr.blue, &hdr.white};
}

template <typename Metadata>
const Metadata* asMetadata(const std::uint8_t* data, std::size_t bytes) {
    return data != nullptr && bytes >= sizeof(Metadata) ? reinterpret_cast<const Metadata*>(data) : nullptr;
}

std::optional<HdrMetadata> hdrFrom(const AVMasteringDisplayMetadata* display,
                                   const AVContentLightMetadata* light) {
    HdrMetadata hdr;
    if (display != nullptr && display->has_primaries != 0) {
        const auto targets = chromaticities(hdr);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const AVRational* const from = i < 3 ? display->display_primaries[i] : display->white_point;
            *targets[i] = {inUnits<std::uint16_t>(from[0], kChromaticityUnit),
                           inUnits<std::uint16_t>(from[1], kChromaticityUnit)};
        }
    }
    if (display != nullptr && display->has_luminance != 0) {
        hdr.maxLuminance = inUnits<std::uint32_t>(display->max_luminance, kLuminanceUnit);
        hdr.minLuminance = inUnits<std::uint32_t>(display->min_luminance, kLuminanceUnit);
    }
    if (light != nullptr) {
        hdr.maxContentLight = inUnits<std::uint16_t>({static_cast<int>(light->MaxCLL), 1}, 1);
        hdr.maxFrameAverageLight = inUnits<std::uint16_t>({static_cast<int>(light->MaxFALL), 1}, 1);
    }
    return hdr == HdrMetadata{} ? std::nullopt : std::optional(hdr);
}

template <typename Metadata>
const Metadata* frameMetadata(const AVFrame& picture, AVFrameSideDataType type) {
    const AVFrameSideData* const found = av_frame_get_side_data(&picture, type);
    return found != nullptr ? asMetadata<Metadata>(found->data, found->size) : nullptr;
}

template <typename Metadata>
const Metadata* streamMetadata(const AVStream& stream, AVPacketSideDataType type) {
    std::size_t bytes = 0;
    const std::uint8_t* const found = av_stream_get_side_data(&stream, type, &bytes);
    return asMetadata<Metadata>(found, bytes);
}

template <typename Metadata>
Metadata& addMetadata(AVStream& stream, AVPacketSideDataType type) {
    std::uint8_t* const memory = av_stream_new_side_data(&stream, type, sizeof(Metadata));
    if (memory == nullptr) {
        throw Error(ErrorKind::Resource, "no memory for what a file says of its colours");
    }
    return *new (memory) Metadata{};
}

}  // namespace

std::optional<HdrMetadata> hdrOf(const AVFrame& picture) {
    return hdrFrom(
        frameMetadata<AVMasteringDisplayMetadata>(picture, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
        frameMetadata<AVContentLightMetadata>(picture, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL));
}

std::optional<HdrMetadata> hdrOf(const AVStream& stream) {
    return hdrFrom(streamMetadata<AVMasteringDisplayMetadata>(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
                   streamMetadata<AVContentLightMetadata>(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL));
}

void describeHdr(AVStream& stream, const HdrMetadata& hdr) {
    const auto from = chromaticities(hdr);
    const bool primaries = std::ranges::any_of(from, [](const auto* each) { return each->x + each->y > 0; });
    if (primaries || hdr.maxLuminance > 0) {
        auto& display =
            addMetadata<AVMasteringDisplayMetadata>(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA);
        display.has_primaries = primaries ? 1 : 0;
        display.has_luminance = hdr.maxLuminance > 0 ? 1 : 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            AVRational* const target = i < 3 ? display.display_primaries[i] : display.white_point;
            target[0] = {from[i]->x, kChromaticityUnit};
            target[1] = {from[i]->y, kChromaticityUnit};
        }
        display.max_luminance =
            av_make_q(static_cast<int>(std::min<std::uint32_t>(hdr.maxLuminance, INT_MAX)), kLuminanceUnit);
        display.min_luminance =
            av_make_q(static_cast<int>(std::min<std::uint32_t>(hdr.minLuminance, INT_MAX)), kLuminanceUnit);
    }
    if (hdr.maxContentLight > 0 || hdr.maxFrameAverageLight > 0) {
        auto& light = addMetadata<AVContentLightMetadata>(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL);
        light.MaxCLL = hdr.maxContentLight;
        light.MaxFALL = hdr.maxFrameAverageLight;
    }
}

}  // namespace verbcast
