// Opens media with libavformat, within the limits of input_limits.h.
#pragma once

#include <cstdint>
#include <string>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

struct MediaOpening {
    std::string path;
    std::string inputFormat{};                   ///< FFmpeg's name for it; empty: detected, see inputLimits()
    const AVInputFormat* knownFormat = nullptr;  ///< of piped media, and of what is opened again
    AVIOContext* pipe = nullptr;                 ///< read instead of the path; must outlive the context
    AVIOInterruptCB interrupt{};                 ///< ends waits, also later ones
};

struct OpenedMedia {
    FormatContextPtr context;  ///< knows its streams
    bool cutOff = false;       ///< FFmpeg has noticed that the file ends early
};

/// Throws Error{Input}: no such file, not a media file, one that names others, interrupted; Error{Usage} for
/// an unknown format.
OpenedMedia openMedia(const MediaOpening& opening);

/// False without an index or time stamps (raw streams, pipes): there, seeks land anywhere or fail.
bool canSeek(const AVFormatContext& context);

/// Where all its streams begin, in AV_TIME_BASE; 0 if it does not say.
std::int64_t startOf(const AVFormatContext& context);

}  // namespace verbcast
