#include "core/api/receiver_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "core/api/calls.h"
#include "core/api/sized_struct.h"
#include "core/api/trust_terms.h"
#include "core/gpu/gpu_memory.h"
#include "core/transport/url.h"

namespace verbcast {

template <>
constexpr SizedStruct kSizedStruct<vc_receiver_options>{"vc_receiver_options",
                                                        offsetof(vc_receiver_options, slots)};
template <>
constexpr SizedStruct kSizedStruct<vc_track_wish>{"vc_track_wish", sizeof(vc_track_wish)};

namespace {

RegionWish regionWish(const vc_rect& rect) {
    if (rect.width == 0 && rect.height == 0 && rect.x == 0 && rect.y == 0) {
        return {};
    }
    constexpr std::uint32_t kMost = kMaxDimension;
    if (rect.width == 0 || rect.height == 0 || std::max({rect.x, rect.y, rect.width, rect.height}) > kMost) {
        refuse(fmt::format("vc_track_wish.region: {}x{} at {},{} is no part of a picture of at most {}x{}",
                           rect.width, rect.height, rect.x, rect.y, kMost, kMost));
    }
    const FrameRect wanted{static_cast<std::uint16_t>(rect.x), static_cast<std::uint16_t>(rect.y),
                           static_cast<std::uint16_t>(rect.width), static_cast<std::uint16_t>(rect.height)};
    return [wanted](const VideoFormat& format) -> std::optional<FrameRect> {
        const FrameRect part = commonPart(wanted, wholePicture(format));
        return part.isEmpty() ? std::nullopt : std::optional(part);
    };
}

/// Of track `id`; those before it are declined unless they are set, too.
TrackWish& wishFor(ReceiverOptions& options, std::uint32_t id) {
    if (id == kMainTrack) {
        return options;
    }
    if (options.further.size() < id) {
        options.further.resize(id, TrackWish{.content = TrackContent::Nothing});
    }
    return options.further[id - 1];
}

void setTracks(ReceiverOptions& options, const vc_receiver_options& given) {
    if (given.tracks != nullptr) {
        options.content = TrackContent::Nothing;
        const auto* at = reinterpret_cast<const std::byte*>(given.tracks);
        for (std::size_t i = 0; i < given.track_count; ++i, at += given.tracks->size) {
            const auto* one = reinterpret_cast<const vc_track_wish*>(at);
            const auto wish = readSized<vc_track_wish>(one);
            if (one->size != given.tracks->size || wish.track >= kMaxTracks || wish.track == kSoundTrack) {
                refuse(
                    fmt::format("vc_receiver_options.tracks: track {} of {} bytes: 0 to {}, not {}, all of "
                                "equal sizes, expected",
                                wish.track, one->size, kMaxTracks - 1, kSoundTrack),
                    "for sound, set vc_receiver_options.sound");
            }
            TrackWish& set = wishFor(options, wish.track);
            set.content = TrackContent::Frames;
            set.region = regionWish(wish.region);
        }
    }
    if (given.sound != 0) {
        wishFor(options, kSoundTrack).content = TrackContent::Sound;
    }
}

/// Sound stays in main memory.
void setMemory(ReceiverOptions& options, const vc_receiver_options& given) {
    if (given.memory == VC_MEMORY_HOST) {
        return;
    }
    require(given.memory == VC_MEMORY_CUDA,
            "vc_receiver_options.memory: VC_MEMORY_HOST or VC_MEMORY_CUDA expected");
    const auto device = gpuAllocator(given.gpu);
    const auto want = [&device](TrackWish& wish) {
        wish.device = wish.content == TrackContent::Frames ? device : nullptr;
    };
    want(options);
    std::ranges::for_each(options.further, want);
}

}  // namespace

ReceiverOptions receiverOptionsFrom(const vc_receiver_options* from) {
    const auto given = readSized(from);
    ReceiverOptions options;
    options.url = given.url != nullptr ? parseUrl(given.url) : Url{};
    options.listen = given.listen != 0;
    if (given.follow < VC_FOLLOW_FOREVER || given.follow > VC_FOLLOW_CONNECTION) {
        refuse(fmt::format("vc_receiver_options.follow: {} is none of vc_follow", int{given.follow}));
    }
    options.reconnect = given.follow != VC_FOLLOW_CONNECTION;
    options.endWithStream = given.follow != VC_FOLLOW_FOREVER;
    options.slots = given.slots != 0 ? given.slots : options.slots;
    if (given.max_memory != 0) {
        options.maxMemory = given.max_memory;
    }
    options.poll = given.poll != 0;
    options.name = given.name != nullptr ? given.name : "";
    require(given.peer_timeout_ms >= 0, "vc_receiver_options.peer_timeout_ms: 0 or more expected");
    if (given.peer_timeout_ms > 0) {
        options.peerTimeout = std::chrono::milliseconds(given.peer_timeout_ms);
    }
    setTracks(options, given);
    setMemory(options, given);
    options.trust = trustFrom({given.key_file, given.encrypt != 0, given.open != 0}, options);
    return options;
}

}  // namespace verbcast
