// Values of options that several commands have.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

/// For footers.
inline constexpr const char* kAddressHelp =
    "Addresses: verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works (port "
    "7423 if left out).";
/// What the statistics count; docs/streams.md says it in the same words, and the windows show these.
inline constexpr const char* kDroppedHelp =
    "A frame is dropped when it never reaches the viewer, which was not ready for it.";
inline constexpr const char* kLostHelp =
    "A frame is lost when it is of a lossless stream and could not be delivered.";
inline constexpr const char* kSkippedHelp =
    "A frame is skipped when it arrives and is not shown: a newer one was there by then, or the viewer was "
    "paused.";
inline constexpr const char* kPausedHelp = "A paused viewer keeps its picture; the stream goes on.";
/// All of them, for footers.
inline const std::string kFramesHelp =
    std::string(kDroppedHelp) + "\n" + kLostHelp + "\n" + kSkippedHelp + "\n" + kPausedHelp + "\n";
inline constexpr const char* kExitCodeHelp =
    "Exit codes: 0 done, 1 internal error, 2 usage, 3 input, 4 network or peer lost, 5 memory, 6 refused or "
    "protocol,\n"
    "7 device, 8 display, 9 damaged or lost frames, 130 interrupted. Documentation: README.md";

/// "3840x2160", also with a multiplication sign, "1080p", "4K". Throws Error{Usage}.
void parseSize(const std::string& text, std::uint32_t& width, std::uint32_t& height);
/// The value of --transport: the scheme of a transport. Throws Error{Usage} naming all schemes and `other`,
/// which is also valid.
std::string parseTransport(const std::string& text, const char* other);
/// A name of `verbcast formats`. Throws Error{Usage}.
PixelFormat parsePixelFormat(const std::string& text);
/// "2.5" seconds. Throws Error{Usage}.
std::chrono::nanoseconds parseDuration(const std::string& option, const std::string& text, double least);
/// "12.5", "1:02.5", "1:00:00": seconds, minutes and seconds, or hours, too. Throws Error{Usage}.
std::chrono::nanoseconds parseTime(const std::string& option, const std::string& text);
/// "60", "59.94", "60000/1001". Throws Error{Usage}.
Rational parseRate(const std::string& text);
/// "3000": a whole number from 1. Throws Error{Usage}.
std::uint64_t parseCount(const std::string& option, const std::string& text);
/// "4096", "256K", "1M" (of 1024). Throws Error{Usage}.
std::uint64_t parseByteCount(const std::string& option, const std::string& text, std::uint64_t least,
                             std::uint64_t most);

/// Stands for a stream's number in a file's name.
inline constexpr const char* kStreamMark = "%n";

/// "take-%n.nut" for the second stream: "take-2.nut". 0, the only one: as it is.
std::string nameOfStream(std::string path, std::uint32_t number);

}  // namespace verbcast
