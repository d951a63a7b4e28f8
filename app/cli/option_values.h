// Parses option values shared by several commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

/// For help footers.
inline constexpr const char* kAddressHelp =
    "Addresses: verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works (port "
    "7423 if left out).";
/// What the statistics count; docs/streams.md uses the same words, and the windows show these.
inline constexpr const char* kDroppedHelp =
    "A frame is dropped if it was never sent, because the viewer was not ready for it.";
inline constexpr const char* kLostHelp =
    "A frame is lost if it belongs to a lossless stream and could not be delivered.";
inline constexpr const char* kSkippedHelp =
    "A frame is skipped if it arrived but was not shown, because a newer one had arrived, the viewer "
    "was paused, or it ended.";
inline constexpr const char* kPausedHelp = "A paused viewer keeps its picture; the stream continues.";
/// All of the above, for help footers.
inline const std::string kFramesHelp =
    std::string(kDroppedHelp) + "\n" + kLostHelp + "\n" + kSkippedHelp + "\n" + kPausedHelp + "\n";
inline constexpr const char* kExitCodeHelp =
    "Exit codes: 0 done, 1 internal error, 2 usage, 3 input, 4 network or peer lost, 5 memory or disk "
    "space,\n"
    "6 refused or protocol, 7 device, 8 display, 9 damaged or lost frames, 130 interrupted, 141 the output's "
    "reader\n"
    "has exited. Documentation: man verbcast";

/// Parses "3840x2160", also with a multiplication sign, "1080p", "4K". Throws Error{Usage} naming the option.
void parseSize(const std::string& text, std::uint32_t& width, std::uint32_t& height,
               const char* option = "--size");
/// Parses --transport: a transport's scheme. Throws Error{Usage} listing all schemes and `other`, which is
/// also valid.
std::string parseTransport(const std::string& text, const char* other);
/// Parses a name of `verbcast formats`. Throws Error{Usage}.
PixelFormat parsePixelFormat(const std::string& text);
/// Parses seconds: "2.5". Throws Error{Usage}.
std::chrono::nanoseconds parseDuration(const std::string& option, const std::string& text, double least);
/// Parses seconds, minutes and seconds, or hours too: "12.5", "1:02.5", "1:00:00". Throws Error{Usage}.
std::chrono::nanoseconds parseTime(const std::string& option, const std::string& text);
/// Parses "60", "59.94", "60000/1001". Throws Error{Usage}.
Rational parseRate(const std::string& text);
/// Parses a whole number from 1: "3000". Throws Error{Usage}.
std::uint64_t parseCount(const std::string& option, const std::string& text);
/// Parses "4096", "256K", "1M" (multiples of 1024). Throws Error{Usage}.
std::uint64_t parseByteCount(const std::string& option, const std::string& text, std::uint64_t least,
                             std::uint64_t most);

/// Placeholder for a stream's number in a file name.
inline constexpr const char* kStreamMark = "%n";

/// "take-%n.nut" for the second stream: "take-2.nut". For number 0, the only stream, unchanged.
std::string nameOfStream(std::string path, std::uint32_t number);

}  // namespace verbcast
