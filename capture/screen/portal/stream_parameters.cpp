#include "capture/screen/portal/stream_parameters.h"

#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>
#include <spa/param/buffers.h>
#include <spa/param/param.h>

#include <algorithm>

#include "core/video/frame_info.h"

namespace verbcast {
namespace {

struct FormatPair {
    spa_video_format theirs;
    PixelFormat ours;
};
// Formats without alpha first: a screen has none.
constexpr std::array<FormatPair, 5> kFormats{{{SPA_VIDEO_FORMAT_BGRx, PixelFormat::bgra},
                                              {SPA_VIDEO_FORMAT_RGBx, PixelFormat::rgba},
                                              {SPA_VIDEO_FORMAT_BGRA, PixelFormat::bgra},
                                              {SPA_VIDEO_FORMAT_RGBA, PixelFormat::rgba},
                                              {SPA_VIDEO_FORMAT_xRGB_210LE, PixelFormat::x2rgb10le}}};

constexpr int kBuffers = 4, kManyBuffers = 10, kFewestBuffers = 2, kMaxBuffers = 16;

const spa_pod* metaRequest(spa_pod_builder& builder, std::uint32_t type, std::size_t bytes) {
    spa_pod_frame frame{};
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta);
    spa_pod_builder_add(&builder, SPA_PARAM_META_type, SPA_POD_Id(type), SPA_PARAM_META_size,
                        SPA_POD_Int(static_cast<int>(bytes)), 0);
    return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &frame));
}

/// Asks for as many rectangles as we can pass on, or as few as the producer has room for.
const spa_pod* damageRequest(spa_pod_builder& builder) {
    constexpr int kRegion = sizeof(spa_meta_region);
    constexpr int kMaxRegions = kMaxFrameRects * kRegion;
    spa_pod_frame frame{};
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta);
    spa_pod_builder_add(&builder, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_VideoDamage), SPA_PARAM_META_size,
                        SPA_POD_CHOICE_RANGE_Int(kMaxRegions, kRegion, kMaxRegions), 0);
    return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &frame));
}

const spa_pod* buffersRequest(spa_pod_builder& builder, int wanted, int fewest, int types) {
    spa_pod_frame object{};
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers);
    spa_pod_builder_add(&builder, SPA_PARAM_BUFFERS_buffers,
                        SPA_POD_CHOICE_RANGE_Int(wanted, fewest, kMaxBuffers), SPA_PARAM_BUFFERS_dataType,
                        SPA_POD_CHOICE_FLAGS_Int(types), 0);
    return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
}

const spa_pod* formatOffer(spa_pod_builder& builder, Rational fastest, BufferKind kind) {
    spa_pod_frame object{}, choice{};
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(&builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
                        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), 0);
    spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_format, 0);
    spa_pod_builder_push_choice(&builder, &choice, SPA_CHOICE_Enum, 0);
    spa_pod_builder_id(&builder, kFormats.front().theirs);  // a choice starts with its default
    for (const FormatPair& pair : kFormats) {
        spa_pod_builder_id(&builder, pair.theirs);
    }
    spa_pod_builder_pop(&builder, &choice);
    if (kind == BufferKind::DmaBuf) {
        // Mandatory: a producer that knows no modifiers takes the offer without one.
        spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_modifier,
                             SPA_POD_PROP_FLAG_MANDATORY | SPA_POD_PROP_FLAG_DONT_FIXATE);
        spa_pod_builder_push_choice(&builder, &choice, SPA_CHOICE_Enum, 0);
        for (int i = 0; i < 2; ++i) {
            spa_pod_builder_long(&builder, static_cast<std::int64_t>(kLinearModifier));
        }
        spa_pod_builder_pop(&builder, &choice);
    }
    const spa_rectangle usual{1920, 1080};
    const spa_rectangle smallest{kMinDimension, kMinDimension};
    const spa_rectangle largest{kMaxDimension, kMaxDimension};
    const spa_fraction whenItChanges{0, 1};
    const spa_fraction mostEver{1000, 1};
    const spa_fraction most{static_cast<std::uint32_t>(fastest.numerator),
                            static_cast<std::uint32_t>(fastest.denominator)};
    spa_pod_builder_add(
        &builder, SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &smallest, &largest),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&whenItChanges, &whenItChanges, &mostEver),
        SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_CHOICE_RANGE_Fraction(&most, &whenItChanges, &most), 0);
    return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
}

}  // namespace

std::optional<PixelFormat> pixelFormatOf(spa_video_format format) {
    const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                    [&](const FormatPair& pair) { return pair.theirs == format; });
    return found == kFormats.end() ? std::nullopt : std::optional(found->ours);
}

AgreedModifier modifierOf(const spa_pod* format) {
    const spa_pod_prop* modifier = spa_pod_find_prop(format, nullptr, SPA_FORMAT_VIDEO_modifier);
    if (modifier == nullptr) {
        return {};
    }
    std::uint32_t count = 0, choice = SPA_CHOICE_None;
    const spa_pod* value = spa_pod_get_values(&modifier->value, &count, &choice);
    std::int64_t chosen = 0;
    if (choice != SPA_CHOICE_None || count != 1 || spa_pod_get_long(value, &chosen) < 0) {
        return {BufferKind::DmaBuf, std::nullopt};
    }
    return {BufferKind::DmaBuf, static_cast<std::uint64_t>(chosen)};
}

FormatOffer::FormatOffer(Rational fastest, bool inDmaBufs) {
    spa_pod_builder builder{};
    spa_pod_builder_init(&builder, memory_.data(), static_cast<std::uint32_t>(memory_.size()));
    if (inDmaBufs) {
        pods_[count_++] = formatOffer(builder, fastest, BufferKind::DmaBuf);
    }
    pods_[count_++] = formatOffer(builder, fastest, BufferKind::Shared);
}

BufferRequest::BufferRequest(BufferKind kind) {
    spa_pod_builder builder{};
    spa_pod_builder_init(&builder, memory_.data(), static_cast<std::uint32_t>(memory_.size()));
    if (kind == BufferKind::DmaBuf) {
        constexpr int kTypes = 1 << SPA_DATA_DmaBuf;
        pods_[count_++] = buffersRequest(builder, kManyBuffers, kManyBuffers, kTypes);
        pods_[count_++] = buffersRequest(builder, kManyBuffers, kFewestBuffers, kTypes);
    } else {
        constexpr int kTypes = (1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd);
        pods_[count_++] = buffersRequest(builder, kBuffers, kFewestBuffers, kTypes);
    }
    pods_[count_++] = metaRequest(builder, SPA_META_Header, sizeof(spa_meta_header));
    pods_[count_++] = metaRequest(builder, SPA_META_VideoCrop, sizeof(spa_meta_region));
    pods_[count_++] = metaRequest(builder, SPA_META_VideoTransform, sizeof(spa_meta_videotransform));
    pods_[count_++] = damageRequest(builder);
}

}  // namespace verbcast
