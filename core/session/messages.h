// The session's messages: what each holds, how it is laid out, and what is checked when it arrives.
//
// A message is a type byte and its fields in order, little-endian. Unknown types are ignored, so that a later
// version may add some; a known type that is too short throws Error{Peer}.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/wire.h"
#include "core/session/input.h"
#include "core/session/session_key.h"
#include "core/stats/histogram.h"
#include "core/video/video_format.h"

namespace verbcast {

inline constexpr std::uint32_t kProtocolMagic = 0x54534256;  // "VBST"
inline constexpr std::uint16_t kProtocolVersion = 2;

enum class MessageType : std::uint8_t {
    Hello = 1,
    Refuse = 2,
    Format = 3,
    Accept = 4,
    Credit = 5,
    Ping = 6,
    Pong = 7,
    EndOfStream = 8,
    Report = 9,
    Bye = 10,
    Input = 11,
    Proof = 12,
};

/// What a side of a session is: of a stream of video, or of a pipe (core/pipe).
enum class Role : std::uint8_t { Sender = 1, Receiver = 2, PipeSender = 3, PipeReceiver = 4 };

/// "sender", "viewer", "pipe's sending end", ...; "program of an unknown kind" for what a peer made up.
std::string_view roleName(Role role);
/// Whether the two may talk to each other; else why not, naming both.
std::optional<std::string> roleMismatch(Role ours, Role peers);

/// Hello::features of a sender: it takes viewers' input.
inline constexpr std::uint64_t kTakesInput = 1;

/// Hello::authentication: both sides must say the same.
enum class Authentication : std::uint8_t {
    None = 0,
    SharedKey = 1,  ///< after the Hellos the connecting side sends a Proof, then the listening one
};

/// First message of both sides.
struct Hello {
    std::uint32_t magic = kProtocolMagic;
    std::uint16_t version = kProtocolVersion;
    Role role = Role::Sender;
    Authentication authentication = Authentication::None;
    std::uint64_t features = 0;  ///< what this side offers; unknown bits are ignored
    HostId host;
    std::uint32_t slots = 0;  ///< receiver: frames it wants to hold at most
    std::string name;
    std::string software;  ///< "verbcast 0.1.0"
    Nonce nonce{};
};

/// Either side, with Authentication::SharedKey: SessionKey::prove() of its role and the nonces of both
/// Hellos.
struct Proof {
    KeyProof proof{};
};

enum class RefuseCode : std::uint16_t {
    Version = 1,
    Role = 2,            ///< two senders or two receivers met
    Busy = 3,            ///< a receiver already has its sender, a sender its most receivers
    Authentication = 4,  ///< one side has a key and the other none, or another one
    Protocol = 5,        ///< a message that broke the rules
    Resources = 6,       ///< the stream needs more memory than this side has or may lock
};

/// Why the connection is not, or no longer, wanted; the sender of it hangs up after it.
struct Refuse {
    RefuseCode code = RefuseCode::Protocol;
    std::string text;
};

/// Sender: frames with this epoch look like this. None is sent before the receiver's Accept, which it gives
/// when the frames before have arrived: payloads and messages may travel on different ways.
struct FormatMessage {
    std::uint32_t epoch = 0;
    bool lossless = false;
    std::uint64_t framesBefore = 0;  ///< sent over this connection in earlier epochs
    VideoFormat format;
};

/// Receiver: ready for frames of this epoch; its credits name slots of ring `generation` (its own, or the
/// sender's where memory is shared).
struct Accept {
    std::uint32_t epoch = 0;
    std::uint32_t generation = 0;
};

/// Receiver: these slots of ring `generation` may be written (again), or are not read any more.
struct Credit {
    std::uint32_t generation = 0;
    std::vector<std::uint16_t> slots;
};

struct Ping {
    TimestampNs sentAt = 0;  ///< the pinging side's clock
};
struct Pong {
    TimestampNs pingSentAt = 0;
    TimestampNs receivedAt = 0;  ///< the answering side's clock
    TimestampNs sentAt = 0;
};

/// Sender: no frame follows; `frames` were sent over this connection.
struct EndOfStream {
    std::uint64_t frames = 0;
    std::string reason;
};

/// Receiver: what became of the frames so far; once a second and at the end.
struct Report {
    std::uint64_t received = 0;
    std::uint64_t shown = 0;
    std::uint64_t skipped = 0;
    Percentiles latency;
    double clockErrorUs = 0;
};

/// Receiver, to a sender that takes input: sequences rise from event to event.
struct InputMessage {
    std::uint64_t sequence = 0;
    InputEvent event;
};

/// Either side: an orderly goodbye; the other hangs up.
struct Bye {
    std::string reason;
};

/// Texts of a peer are shown to people: control characters are replaced, and they are kept short.
std::string cleanText(std::string text);

std::vector<std::byte> encodeMessage(const Hello& message);
std::vector<std::byte> encodeMessage(const Proof& message);
std::vector<std::byte> encodeMessage(const Refuse& message);
std::vector<std::byte> encodeMessage(const FormatMessage& message);
std::vector<std::byte> encodeMessage(const Accept& message);
std::vector<std::byte> encodeMessage(const Ping& message);
std::vector<std::byte> encodeMessage(const Pong& message);
std::vector<std::byte> encodeMessage(const EndOfStream& message);
std::vector<std::byte> encodeMessage(const Report& message);
std::vector<std::byte> encodeMessage(const InputMessage& message);
std::vector<std::byte> encodeMessage(const Bye& message);

/// Credit messages are sent per frame: written into a caller's buffer instead of a new one.
inline constexpr std::size_t kMaxCreditBytes = 1 + 4 + 2 + 2 * 256;
std::size_t encodeCredit(std::span<std::byte, kMaxCreditBytes> buffer, std::uint32_t generation,
                         std::span<const std::uint16_t> slots);

/// The readers come behind the type byte.
Hello decodeHello(ByteReader& reader);
Proof decodeProof(ByteReader& reader);
Refuse decodeRefuse(ByteReader& reader);
FormatMessage decodeFormat(ByteReader& reader);
Accept decodeAccept(ByteReader& reader);
Ping decodePing(ByteReader& reader);
Pong decodePong(ByteReader& reader);
EndOfStream decodeEndOfStream(ByteReader& reader);
Report decodeReport(ByteReader& reader);
/// Throws Error{Peer} for an unknown kind, coordinates that are no numbers or beyond a million, or more data
/// than kMaxInputData.
InputMessage decodeInput(ByteReader& reader);
Bye decodeBye(ByteReader& reader);

/// Calls visit(generation, slot) for each slot of a Credit message.
template <typename Visit>
void visitCredits(ByteReader& reader, Visit&& visit) {
    const auto generation = reader.get<std::uint32_t>();
    for (auto count = reader.get<std::uint16_t>(); count > 0; --count) {
        visit(generation, reader.get<std::uint16_t>());
    }
}

}  // namespace verbcast
