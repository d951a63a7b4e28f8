// What the two ends of a pipe say to each other beside a session's greeting, credits and heartbeats.
//
//   sender                                  receiver
//   Offer: block size, length, checksum ->
//                                       <-  Accept: what is agreed on, where to begin
//                                       <-  Credit (of the session): slots that may be written
//   blocks                              ->
//   End: bytes and checksum             ->
//                                       <-  Done: all of it is written and flushed
//   Bye                                 ->
// Failed, either way and at any time: why there will be no more.
//
// A block is a frame of the transport: FrameInfo::sequence counts blocks from 0, FrameInfo::pts is the
// block's place in the stream in bytes, FrameInfo::payloadBytes its length, at least 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/wire.h"

namespace verbcast {

/// Behind the session's own message types.
enum class PipeMessageType : std::uint8_t { Offer = 64, Accept = 65, End = 66, Done = 67, Failed = 68 };

inline constexpr std::uint64_t kLeastBlockBytes = 1;
inline constexpr std::uint64_t kMostBlockBytes = 64ULL << 20;
inline constexpr std::uint32_t kMostDepth = 64;
/// Blocks in flight together: memory that each end provides.
inline constexpr std::uint64_t kMostRingBytes = 1ULL << 30;

/// Throws Error{Peer} for a ring beyond the limits above.
void checkRing(std::uint64_t blockBytes, std::uint32_t depth);

struct PipeOffer {
    std::uint64_t blockBytes = 0;         ///< no block is larger
    std::uint32_t depth = 0;              ///< blocks in flight at most
    bool checksum = false;                ///< asks for End::checksum
    std::optional<std::uint64_t> length;  ///< of the whole stream, as far as the sender can tell beforehand
};

struct PipeAccept {
    std::uint64_t blockBytes = 0;     ///< at most what was offered
    std::uint32_t depth = 0;          ///< at most what was offered
    bool checksum = false;            ///< End::checksum counts: either side asked for it
    std::uint64_t start = 0;          ///< bytes that the receiver has already: the first block begins there
    std::uint64_t startChecksum = 0;  ///< xxh3 of those
};

struct PipeEnd {
    std::uint64_t bytes = 0;     ///< of the whole stream, PipeAccept::start included
    std::uint64_t checksum = 0;  ///< xxh3 of all of them, if that was agreed on
};

struct PipeDone {
    std::uint64_t bytes = 0;  ///< as in PipeEnd
};

/// `code` is an exit code: of an ErrorKind, kInterruptedCode or kBrokenPipeCode. Both ends end with it.
struct PipeFailure {
    std::uint8_t code = 0;
    std::string text;
};
inline constexpr std::uint8_t kInterruptedCode = 130;
inline constexpr std::uint8_t kBrokenPipeCode =
    141;  ///< of a program that SIGPIPE ended, as a shell tells it

std::vector<std::byte> encodeMessage(const PipeOffer& message);
std::vector<std::byte> encodeMessage(const PipeAccept& message);
std::vector<std::byte> encodeMessage(const PipeEnd& message);
std::vector<std::byte> encodeMessage(const PipeDone& message);
std::vector<std::byte> encodeMessage(const PipeFailure& message);

/// The readers come behind the type byte. Each throws Error{Peer} for what cannot be, taken alone.
PipeOffer decodePipeOffer(ByteReader& reader);
PipeAccept decodePipeAccept(ByteReader& reader);
PipeEnd decodePipeEnd(ByteReader& reader);
PipeDone decodePipeDone(ByteReader& reader);
PipeFailure decodePipeFailure(ByteReader& reader);

}  // namespace verbcast
