#include "capture/media/input_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "capture/convert/ffmpeg_library.h"

namespace verbcast {
namespace {

constexpr const char* kNoProtocol = "none";
/// FFmpeg's demuxers that open more than the file they are given.
constexpr std::array<std::string_view, 10> kIndirect{"hls",  "dash", "concat", "imf",      "sdp",
                                                     "rtsp", "rtp",  "sap",    "avisynth", "vapoursynth"};

/// "http" of "http://host/film"; empty for a path.
std::string_view schemeOf(std::string_view path) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    const std::size_t end = path.find_first_not_of(kLetters);
    return end != std::string_view::npos && end > 1 && path[end] == ':' ? path.substr(0, end) : "";
}

/// The protocols that one of that name needs.
std::string protocolsFor(std::string_view scheme) {
    if (scheme.empty() || scheme == "file") {
        return "file";
    }
    if (scheme == "http" || scheme == "https") {
        return "http,https,httpproxy,tls,tcp";  // either leads to the other
    }
    if (scheme == "rtsp" || scheme == "rtsps" || scheme == "rtp" || scheme == "sap") {
        return "rtsp,rtsps,rtp,srtp,udp,tcp,tls";
    }
    return fmt::format("{},tcp,tls,udp", scheme);
}

bool isIndirect(std::string_view names) {
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(','), names.size());
        if (std::ranges::count(kIndirect, names.substr(0, end)) > 0) {
            return true;
        }
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return false;
}

/// All that read one file.
const std::string& directFormats() {
    static const std::string formats = [] {
        std::string names;
        void* position = nullptr;
        while (const AVInputFormat* format = av_demuxer_iterate(&position)) {
            if (!isIndirect(format->name)) {
                names += fmt::format("{}{}", names.empty() ? "" : ",", format->name);
            }
        }
        return names;
    }();
    return formats;
}

}  // namespace

void DictionaryFree::operator()(AVDictionary* dictionary) const {
    av_dict_free(&dictionary);
}

DictionaryPtr inputLimits(const std::string& path, bool piped, const std::string& format) {
    const std::string_view scheme = schemeOf(path);
    std::string protocols = piped ? kNoProtocol : protocolsFor(scheme);
    std::string formats = directFormats();
    if (!format.empty()) {
        protocols += ",crypto,data";  // as FFmpeg allows playlists
        formats += "," + format;
    } else if (scheme.starts_with("rt") || scheme == "sap") {
        formats += ",rtsp,rtp,sap";  // what was named is one
    }
    AVDictionary* limits = nullptr;
    av_dict_set(&limits, "protocol_whitelist", protocols.c_str(), 0);
    av_dict_set(&limits, "format_whitelist", formats.c_str(), 0);
    return DictionaryPtr(limits);
}

bool isLeftOut(const std::string& logged) {
    return logged.find("Format not on whitelist") != std::string::npos;
}

}  // namespace verbcast
