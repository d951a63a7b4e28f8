// What the two ends of a pipe say to each other besides a session's greeting, rings, credits and heartbeats.
//
//   sender                                  receiver
//   Offer: block size, length, checksum ->
//                                       <-  Ring (of the session; the sender's if memory is shared)
//                                       <-  Accept: what is agreed on, where to begin
//                                       <-  Credit (of the session): slots that may be written
//   blocks                              ->
//   End: bytes and checksum             ->
//                                       <-  Done: all of it is written and flushed
//   Bye                                 ->
// Failed, in either direction and at any time: why the stream ends.
//
// A pipe is one track of bytes. A block is a frame: FrameInfo::sequence counts blocks from 0, FrameInfo::pts
// is the block's offset in the stream in bytes, FrameInfo::payloadBytes its length, at least 1.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/wire.h"
#include "core/session/messages/messages.h"

namespace verbcast {

/// Numbered after the session's own message types.
enum class PipeMessageType : std::uint8_t { Offer = 64, Accept = 65, End = 66, Done = 67, Failed = 68 };

/// The only track.
inline constexpr TrackId kPipeTrack = 0;

inline constexpr std::uint64_t kMinBlockBytes = 1;
inline constexpr std::uint64_t kMaxBlockBytes = 64ULL << 20;
inline constexpr std::uint32_t kMaxDepth = 64;
/// Limit for all blocks in flight together: memory that each end provides.
inline constexpr std::uint64_t kMaxRingBytes = 1ULL << 30;

/// Throws Error{Peer} for a ring beyond the limits above.
void checkRing(std::uint64_t blockBytes, std::uint32_t depth);
/// Throws Error{Peer} for a stream longer than 2^62 bytes: offset arithmetic does not check for overflow.
void checkStreamBytes(std::uint64_t bytes);

struct PipeOffer {
    static constexpr PipeMessageType kType = PipeMessageType::Offer;
    std::uint64_t blockBytes = 0;         ///< no block is larger
    std::uint32_t depth = 0;              ///< blocks in flight at most
    bool checksum = false;                ///< requests End::checksum
    std::optional<std::uint64_t> length;  ///< of the whole stream, if the sender knows it in advance
    static void fields(auto& self, auto& visit) {
        visit(self.blockBytes, self.depth, self.checksum, self.length);
    }
    void check() const {
        checkRing(blockBytes, depth);
        checkStreamBytes(length.value_or(0));
    }
};

struct PipeAccept {
    static constexpr PipeMessageType kType = PipeMessageType::Accept;
    std::uint64_t blockBytes = 0;     ///< at most what was offered
    std::uint32_t depth = 0;          ///< at most what was offered
    bool checksum = false;            ///< End::checksum is valid: either side asked for it
    std::uint64_t start = 0;          ///< bytes that the receiver already has: the first block begins there
    std::uint64_t startChecksum = 0;  ///< xxh3 of those
    static void fields(auto& self, auto& visit) {
        visit(self.blockBytes, self.depth, self.checksum, self.start, self.startChecksum);
    }
    void check() const {
        checkRing(blockBytes, depth);
        checkStreamBytes(start);
    }
};

struct PipeEnd {
    static constexpr PipeMessageType kType = PipeMessageType::End;
    std::uint64_t bytes = 0;     ///< of the whole stream, PipeAccept::start included
    std::uint64_t checksum = 0;  ///< xxh3 of all of them, if agreed on
    static void fields(auto& self, auto& visit) { visit(self.bytes, self.checksum); }
    void check() const { checkStreamBytes(bytes); }
};

struct PipeDone {
    static constexpr PipeMessageType kType = PipeMessageType::Done;
    std::uint64_t bytes = 0;  ///< as in PipeEnd
    static void fields(auto& self, auto& visit) { visit(self.bytes); }
    void check() const { checkStreamBytes(bytes); }
};

/// `code` is an exit code: an ErrorKind, kInterruptedCode or kBrokenPipeCode. Both ends exit with it.
struct PipeFailure {
    static constexpr PipeMessageType kType = PipeMessageType::Failed;
    std::uint8_t code = 0;
    PeerText text;
    static void fields(auto& self, auto& visit) { visit(self.code, self.text); }
    void check() const {
        if (code == 0) {
            throw peerError("the peer failed with the code of success");
        }
    }
};
inline constexpr std::uint8_t kInterruptedCode = 130;
/// Of a program killed by SIGPIPE, as a shell reports it.
inline constexpr std::uint8_t kBrokenPipeCode = 141;

/// The pipe ended like a program in a shell pipeline: interrupted (130), or without a reader (141).
class PipeStopped : public std::runtime_error {
  public:
    PipeStopped(int exitCode, const std::string& text) : std::runtime_error(text), exitCode_(exitCode) {}
    int exitCode() const { return exitCode_; }

  private:
    int exitCode_;
};

}  // namespace verbcast
