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
inline constexpr const char* kExitCodeHelp =
    "Exit codes: 0 done, 1 internal error, 2 usage, 3 input, 4 network or peer lost, 5 memory, 6 refused or "
    "protocol,\n"
    "7 device, 8 display, 9 damaged frames, 130 interrupted. Documentation: README.md";

/// Where a session that listens or connects meets its peer, of an address to connect to (--to, URL) and the
/// value of --listen. Throws Error{Usage} when both are given, or for an address that is none.
Url meetingPlace(const std::string& peer, bool listenGiven, const std::string& listenAt, bool listens);
/// "3840x2160", also with a multiplication sign, "1080p", "4K". Throws Error{Usage}.
void parseSize(const std::string& text, std::uint32_t& width, std::uint32_t& height);
/// The value of --transport: the scheme of a transport. Throws Error{Usage} naming them and `other`, which
/// would do as well.
std::string parseTransport(const std::string& text, const char* other);
/// A name of `verbcast formats`. Throws Error{Usage}.
PixelFormat parsePixelFormat(const std::string& text);
/// "2.5". Throws Error{Usage}.
std::chrono::nanoseconds parseSeconds(const std::string& text);
/// "60", "59.94", "60000/1001". Throws Error{Usage}.
Rational parseRate(const std::string& text);
/// "3000": a whole number from 1. Throws Error{Usage}.
std::uint64_t parseCount(const std::string& option, const std::string& text);
/// "4096", "256K", "1M" (of 1024). Throws Error{Usage}.
std::uint64_t parseByteCount(const std::string& option, const std::string& text, std::uint64_t least,
                             std::uint64_t most);

}  // namespace verbcast
