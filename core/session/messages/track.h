// A track: one sequence of frames within a session, with its own format: pictures, sound, or bytes.
#pragma once

#include <cstdint>

#include "core/sound/sound_format.h"
#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

using TrackId = std::uint16_t;

/// The first track, which every session has; the only one of a plain video stream or a pipe.
inline constexpr TrackId kMainTrack = 0;
/// Where programs send the sound that belongs to the pictures of the first track.
inline constexpr TrackId kSoundTrack = 2;
/// Most tracks in one session; each may have its own rings.
inline constexpr TrackId kMaxTracks = 16;

enum class TrackKind : std::uint8_t {
    Video = 0,
    Bytes = 1,  ///< frames of any length up to maxPayloadBytes, meaningful only to the two programs
    Sound = 2,  ///< blocks of samples; they travel as messages (MessagePath)
};
/// Whether a track's frames take the connection's own path; otherwise they are messages. A track keeps its
/// path, so a format of the other sort is for another track. The first track takes it.
constexpr bool takesFramePath(TrackKind kind) {
    return kind != TrackKind::Sound;
}
/// Slots of a ring for sound, and the most blocks that wait for a receiver: more than pictures need, since
/// blocks are short and none should be missed.
inline constexpr std::uint32_t kSoundSlots = 64;

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
    SoundFormat sound{};                ///< Sound only

    static constexpr std::uint64_t kMaxTrackBytes = 1ULL << 30;

    static TrackFormat ofVideo(const VideoFormat& format) {
        return {.kind = TrackKind::Video, .video = format};
    }
    static TrackFormat ofBytes(std::uint64_t maxPayloadBytes) {
        return {.kind = TrackKind::Bytes, .maxPayloadBytes = maxPayloadBytes};
    }
    static TrackFormat ofSound(const SoundFormat& format) {
        return {.kind = TrackKind::Sound, .sound = format};
    }

    /// Bytes that a slot must hold.
    std::uint64_t slotBytes() const {
        switch (kind) {
            case TrackKind::Video:
                return video.payloadBytes;
            case TrackKind::Sound:
                return sound.bytes(sound.maxSamples);
            case TrackKind::Bytes:
                break;
        }
        return maxPayloadBytes;
    }
    /// Whether a frame of that size fits the format.
    bool allows(std::uint64_t payloadBytes) const {
        switch (kind) {
            case TrackKind::Video:
                return payloadBytes == video.payloadBytes;
            case TrackKind::Sound:
                return sound.samplesOf(payloadBytes).has_value();
            case TrackKind::Bytes:
                break;
        }
        return payloadBytes >= 1 && payloadBytes <= maxPayloadBytes;
    }

    friend bool operator==(const TrackFormat&, const TrackFormat&) = default;

    static void fields(auto& self, auto& visit) {
        visit(self.kind);
        switch (self.kind) {
            case TrackKind::Video:
                visit(self.video);
                break;
            case TrackKind::Sound:
                visit(self.sound);
                break;
            default:
                visit(self.maxPayloadBytes);
        }
    }
    /// Throws Error{Peer} for an unknown kind or impossible sizes.
    void check() const {
        if (kind > TrackKind::Sound ||
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
