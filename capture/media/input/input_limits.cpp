#include "capture/media/input/input_limits.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace verbcast {
namespace {

constexpr std::string_view kSchemeLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
constexpr const char* kNoProtocol = "none";
constexpr const char* kRtpProtocols = "rtsp,rtsps,rtp,srtp,udp,tcp,tls";
/// FFmpeg's demuxers that open more than the file they are given.
constexpr std::array<const char*, 10> kIndirect{"hls",  "dash", "concat", "imf",      "sdp",
                                                "rtsp", "rtp",  "sap",    "avisynth", "vapoursynth"};

/// "http" of "http://host/film"; empty for a path.
std::string_view schemeOf(std::string_view path) {
    const std::size_t end = path.find_first_not_of(kSchemeLetters);
    const bool ends = end != std::string_view::npos && end > 1 && (path[end] == ':' || path[end] == ',');
    return ends && path.find(':', end) != std::string_view::npos ? path.substr(0, end) : "";
}

bool isRtp(std::string_view scheme) {
    return scheme == "rtsp" || scheme == "rtsps" || scheme == "rtp" || scheme == "sap";
}

/// Of what is named behind them.
bool isAround(std::string_view scheme) {
    constexpr std::array<std::string_view, 6> kAround{"async",   "cache",  "concat",
                                                      "concatf", "crypto", "subfile"};
    return std::ranges::count(kAround, scheme.substr(0, scheme.find('+'))) > 0;
}

/// The protocols that one of that name needs.
std::string protocolsFor(std::string_view scheme) {
    if (scheme.empty() || scheme == "file") {
        return "file";
    }
    if (scheme == "http" || scheme == "https") {
        return "http,https,httpproxy,tls,tcp";  // either leads to the other
    }
    if (isRtp(scheme)) {
        return kRtpProtocols;
    }
    if (scheme.starts_with("rtmp")) {
        return "rtmp,rtmpe,rtmps,rtmpt,rtmpte,rtmpts,ffrtmpcrypt,ffrtmphttp,http,https,httpproxy,tls,tcp";
    }
    if (isAround(scheme)) {
        return fmt::format("{},async,cache,crypto,file,http,https,httpproxy,tls,tcp", scheme);
    }
    return fmt::format("{},http,tcp,tls,udp", scheme);
}

bool isIndirect(const AVInputFormat& format) {
    return std::ranges::any_of(kIndirect,
                               [&](const char* name) { return av_match_name(name, format.name) != 0; });
}

/// All that read one file.
const std::string& directFormats() {
    static const std::string formats = [] {
        std::string names;
        void* position = nullptr;
        while (const AVInputFormat* format = av_demuxer_iterate(&position)) {
            if (!isIndirect(*format)) {
                names += fmt::format("{}{}", names.empty() ? "" : ",", format->name);
            }
        }
        return names;
    }();
    return formats;
}

}  // namespace

std::string urlOf(const std::string& path) {
    const std::size_t end = path.find_first_not_of(kSchemeLetters);
    if (end == 0 || end == std::string::npos || path[end] != ':') {
        return path;
    }
    const bool isAddress = avio_find_protocol_name(path.c_str()) != nullptr || path.find("://") == end;
    return ::access(path.c_str(), F_OK) == 0 || !isAddress ? "file:" + path : path;
}

bool mayBeFile(const std::string& path) {
    constexpr std::array<std::string_view, 6> kOfFiles{"", "file", "ftp", "http", "https", "sftp"};
    const std::string url = urlOf(path);
    const std::string_view scheme = schemeOf(url);
    return std::ranges::count(kOfFiles, scheme) > 0 || isAround(scheme);
}

DictionaryPtr inputLimits(const std::string& path, bool piped, const std::string& format) {
    const std::string_view scheme = schemeOf(path);
    std::string protocols = piped ? kNoProtocol : protocolsFor(scheme);
    std::string formats = directFormats();
    if (!format.empty()) {
        // As FFmpeg allows for playlists and session descriptions.
        protocols += format == "sdp" ? fmt::format(",{}", kRtpProtocols) : ",crypto,data";
        formats += "," + format;
    } else if (isRtp(scheme)) {
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
