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

}  // namespace

std::optional<PixelFormat> pixelFormatOf(spa_video_format format) {
    const auto found = std::ranges::find(kFormats, format, &FormatPair::theirs);
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

void FormatOffer::add(Rational fastest, BufferKind kind) {
    spa_pod_frame object{}, choice{};
    spa_pod_builder_push_object(&builder_, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(&builder_, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
                        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), 0);
    spa_pod_builder_prop(&builder_, SPA_FORMAT_VIDEO_format, 0);
    spa_pod_builder_push_choice(&builder_, &choice, SPA_CHOICE_Enum, 0);
    spa_pod_builder_id(&builder_, kFormats.front().theirs);  // a choice starts with its default
    for (const FormatPair& pair : kFormats) {
        spa_pod_builder_id(&builder_, pair.theirs);
    }
    spa_pod_builder_pop(&builder_, &choice);
    if (kind == BufferKind::DmaBuf) {
        // Mandatory: a producer that knows no modifiers takes the offer without one.
        spa_pod_builder_prop(&builder_, SPA_FORMAT_VIDEO_modifier,
                             SPA_POD_PROP_FLAG_MANDATORY | SPA_POD_PROP_FLAG_DONT_FIXATE);
        spa_pod_builder_push_choice(&builder_, &choice, SPA_CHOICE_Enum, 0);
        for (int i = 0; i < 2; ++i) {
            spa_pod_builder_long(&builder_, static_cast<std::int64_t>(kLinearModifier));
        }
        spa_pod_builder_pop(&builder_, &choice);
    }
    const spa_rectangle usual{1920, 1080};
    const spa_rectangle smallest{kMinDimension, kMinDimension};
    const spa_rectangle largest{kMaxDimension, kMaxDimension};
    const spa_fraction whenItChanges{0, 1};
    const spa_fraction mostEver{1000, 1};
    const spa_fraction most{static_cast<std::uint32_t>(fastest.numerator),
                            static_cast<std::uint32_t>(fastest.denominator)};
    spa_pod_builder_add(
        &builder_, SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &smallest, &largest),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&whenItChanges, &whenItChanges, &mostEver),
        SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_CHOICE_RANGE_Fraction(&most, &whenItChanges, &most), 0);
    PodList::add(spa_pod_builder_pop(&builder_, &object));
}

FormatOffer::FormatOffer(Rational fastest, bool inDmaBufs) {
    if (inDmaBufs) {
        add(fastest, BufferKind::DmaBuf);
    }
    add(fastest, BufferKind::Shared);
}

void BufferRequest::addBuffers(int wanted, int fewest, int types) {
    add(spa_pod_builder_add_object(&builder_, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
                                   SPA_PARAM_BUFFERS_buffers,
                                   SPA_POD_CHOICE_RANGE_Int(wanted, fewest, kMaxBuffers),
                                   SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(types)));
}

void BufferRequest::addMeta(std::uint32_t type, std::size_t bytes) {
    add(spa_pod_builder_add_object(&builder_, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                                   SPA_POD_Id(type), SPA_PARAM_META_size,
                                   SPA_POD_Int(static_cast<int>(bytes))));
}

BufferRequest::BufferRequest(BufferKind kind) {
    if (kind == BufferKind::DmaBuf) {
        constexpr int kTypes = 1 << SPA_DATA_DmaBuf;
        addBuffers(kManyBuffers, kManyBuffers, kTypes);
        addBuffers(kManyBuffers, kFewestBuffers, kTypes);
    } else {
        addBuffers(kBuffers, kFewestBuffers, (1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd));
    }
    addMeta(SPA_META_Header, sizeof(spa_meta_header));
    addMeta(SPA_META_VideoCrop, sizeof(spa_meta_region));
    addMeta(SPA_META_VideoTransform, sizeof(spa_meta_videotransform));
    // As many rectangles as we can pass on, or as few as the producer has room for.
    constexpr int kRegion = sizeof(spa_meta_region);
    constexpr int kMaxRegions = kMaxFrameRects * kRegion;
    add(spa_pod_builder_add_object(&builder_, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                                   SPA_POD_Id(SPA_META_VideoDamage), SPA_PARAM_META_size,
                                   SPA_POD_CHOICE_RANGE_Int(kMaxRegions, kRegion, kMaxRegions)));
}

}  // namespace verbcast
