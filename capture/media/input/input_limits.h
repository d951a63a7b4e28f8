// What FFmpeg may open to read a source: what was named, and nothing that its content names.
#pragma once

#include <string>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// The path as FFmpeg is to be given it: a file is a file, even if its name looks like an address:
/// "12:30:00.ts".
std::string urlOf(const std::string& path);

/// Whether what is there may be a file, here or on a server, and not only something live.
bool mayBeFile(const std::string& path);

/// Options for avformat_open_input(). A file may open files, a URL its own protocol, and a pipe nothing.
/// Formats that are lists of other files and addresses, or programs, are left out (hls, dash, concat, sdp and
/// others), unless `format`, FFmpeg's name for one, is it.
DictionaryPtr inputLimits(const std::string& path, bool piped, const std::string& format);

/// Whether `logged`, FFmpeg's last message, says that the format was left out.
bool isLeftOut(const std::string& logged);

}  // namespace verbcast
