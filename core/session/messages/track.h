// A track: one sequence of frames within a session, with its own format. Video is one; sound or depth may be
// others.
#pragma once

#include <cstdint>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

using TrackId = std::uint16_t;

/// The first track, which every session has; the only one of a plain video stream or a pipe.
inline constexpr TrackId kMainTrack = 0;
/// Most tracks in one session; each may have its own rings.
inline constexpr TrackId kMaxTracks = 16;

enum class TrackKind : std::uint8_t {
    Video = 0,
    Bytes = 1,  ///< frames of any length up to maxPayloadBytes, meaningful only to the two programs
};

/// What becomes of a track's frames that a receiver is not ready for.
enum class Policy : std::uint8_t {
    Latest = 0,    ///< live: its oldest unsent frame is dropped
    Lossless = 1,  ///< nothing is dropped: the source waits for the slowest receiver
};
inline constexpr Policy kLastPolicy = Policy::Lossless;
/// Whether a receiver may miss frames.
constexpr bool mayDrop(Policy policy) {
    return policy != Policy::Lossless;
}

/// The format of a track's frames during an epoch.
struct TrackFormat {
    TrackKind kind = TrackKind::Video;
    VideoFormat video{};                ///< Video only
    std::uint64_t maxPayloadBytes = 0;  ///< Bytes only: 1 to kMaxTrackBytes

    static constexpr std::uint64_t kMaxTrackBytes = 1ULL << 30;

    static TrackFormat ofVideo(const VideoFormat& format) { return {TrackKind::Video, format, 0}; }
    static TrackFormat ofBytes(std::uint64_t maxPayloadBytes) {
        return {TrackKind::Bytes, {}, maxPayloadBytes};
    }

    /// Bytes that a slot must hold.
    std::uint64_t slotBytes() const {
        return kind == TrackKind::Video ? video.payloadBytes : maxPayloadBytes;
    }
    /// Whether a frame of that size fits the format.
    bool allows(std::uint64_t payloadBytes) const {
        return kind == TrackKind::Video ? payloadBytes == video.payloadBytes
                                        : payloadBytes >= 1 && payloadBytes <= maxPayloadBytes;
    }

    friend bool operator==(const TrackFormat&, const TrackFormat&) = default;

    static void fields(auto& self, auto& visit) {
        visit(self.kind);
        if (self.kind == TrackKind::Video) {
            visit(self.video);
        } else {
            visit(self.maxPayloadBytes);
        }
    }
    /// Throws Error{Peer} for an unknown kind or impossible sizes.
    void check() const {
        if (kind > TrackKind::Bytes ||
            (kind == TrackKind::Bytes && (maxPayloadBytes < 1 || maxPayloadBytes > kMaxTrackBytes))) {
            throw peerError("the peer announced a track of an unknown kind or an impossible size");
        }
    }
};

/// Like changesProblem() for video; other tracks have no changed parts.
inline std::optional<std::string> changesProblem(const FrameInfo& info, const TrackFormat& format) {
    if (format.kind == TrackKind::Video || info.rectCount == 0) {
        return changesProblem(info, format.video);
    }
    return "changed parts of a track that is not a picture";
}

}  // namespace verbcast
