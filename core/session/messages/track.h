// A track: one sequence of frames within a session, with a format of its own. Video is one; so may be sound,
// or depth.
#pragma once

#include <cstdint>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

using TrackId = std::uint16_t;

/// The only one of a stream of plain video, or of a pipe.
inline constexpr TrackId kMainTrack = 0;
/// Tracks of one session at most: each may have rings of its own.
inline constexpr TrackId kMaxTracks = 16;

enum class TrackKind : std::uint8_t {
    Video = 0,
    Bytes = 1,  ///< frames of any length up to maxPayloadBytes, which only the two programs understand
};

/// What a track's frames look like during an epoch.
struct TrackFormat {
    TrackKind kind = TrackKind::Video;
    VideoFormat video{};                ///< of Video
    std::uint64_t maxPayloadBytes = 0;  ///< of Bytes: 1 to kMaxTrackBytes

    static constexpr std::uint64_t kMaxTrackBytes = 1ULL << 30;

    static TrackFormat ofVideo(const VideoFormat& format) { return {TrackKind::Video, format, 0}; }
    static TrackFormat ofBytes(std::uint64_t maxPayloadBytes) {
        return {TrackKind::Bytes, {}, maxPayloadBytes};
    }

    /// What a slot must hold.
    std::uint64_t slotBytes() const {
        return kind == TrackKind::Video ? video.payloadBytes : maxPayloadBytes;
    }
    /// Whether a frame of that size fits the format.
    bool allows(std::uint64_t payloadBytes) const {
        return kind == TrackKind::Video ? payloadBytes == video.payloadBytes
                                        : payloadBytes >= 1 && payloadBytes <= maxPayloadBytes;
    }

    friend bool operator==(const TrackFormat&, const TrackFormat&) = default;

    template <typename Self, typename Visit>
    static void fields(Self& self, Visit& visit) {
        visit(self.kind);
        if (self.kind == TrackKind::Video) {
            visit(self.video);
        } else {
            visit(self.maxPayloadBytes);
        }
    }
    /// Throws Error{Peer} for an unknown kind or sizes that cannot be.
    void check() const {
        if (kind > TrackKind::Bytes ||
            (kind == TrackKind::Bytes && (maxPayloadBytes < 1 || maxPayloadBytes > kMaxTrackBytes))) {
            throw Error(ErrorKind::Peer,
                        "the peer announced a track of an unknown kind or an impossible size");
        }
    }
};

/// As changesProblem() of video; other tracks have no changed parts.
inline std::optional<std::string> changesProblem(const FrameInfo& info, const TrackFormat& format) {
    if (format.kind == TrackKind::Video || info.rectCount == 0) {
        return changesProblem(info, format.video);
    }
    return "changed parts of what is no picture";
}

}  // namespace verbcast
