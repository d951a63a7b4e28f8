// The session's messages: what each holds and what is checked on arrival. core/base/wire.h derives their wire
// form from their fields.
//
// A message is a type byte and its fields in order, little-endian. Unknown types are ignored, so that a later
// version may add some; a known type that is too short throws Error{Peer}.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/os/clock.h"
#include "core/base/text/clean_text.h"
#include "core/base/wire.h"
#include "core/memory/slots.h"
#include "core/session/messages/input.h"
#include "core/session/messages/rail_hello.h"
#include "core/session/messages/track.h"
#include "core/stats/histogram.h"
#include "core/transport/frame_path.h"

namespace verbcast {

inline constexpr std::uint32_t kProtocolMagic = 0x54534256;  // "VBST"
inline constexpr std::uint16_t kProtocolVersion = 8;

enum class MessageType : std::uint8_t {
    Hello = 1,
    Refuse = 2,
    Format = 3,
    Accept = 4,
    Credit = 5,
    Ping = 6,
    Pong = 7,
    EndOfTrack = 8,
    Report = 9,
    Bye = 10,
    Input = 11,
    Ring = 13,
    Region = 16,
    // For a ring that several senders write into: messages/placing.h
    Place = 17,
    PlacedCredit = 18,
    // For displays that show together: messages/frame_lock.h
    FrameReady = 20,
    PresentFrame = 21,
    FramePresented = 22,
    FrameLockNews = 23,
    // For a stream over several rails
    RailOrder = 24,
    // For tracks that travel as messages
    FramePart = 25,
    // For frames sent by multicast (core/multicast/group_messages.h):
    GroupOffer = 32,
    GroupJoined = 33,
    GroupKey = 34,
    GroupKeyTaken = 35,
    GroupFrame = 36,
    GroupMissing = 37,
    GroupRepaired = 38,
    GroupDone = 39,
    GroupUdOffer = 40,
    GroupUdJoined = 41,
    GroupMoved = 42,
};

/// Whether both sides must have agreed on something in their greetings before one may send that.
bool needsAgreement(MessageType type);

/// What one side of a session is, in a video stream or a pipe (core/pipe).
enum class Role : std::uint8_t {
    Sender = 1,
    Receiver = 2,
    PipeSender = 3,
    PipeReceiver = 4,
    Probe = 5,    ///< only wants to hear the greeting (verbcast doctor); fits every listener
    Pairing = 6,  ///< only wants to agree on a key, with a one-time code; fits every listener
};

/// "sender", "viewer", "pipe's sending end", ...; "program of an unknown kind" for what a peer made up.
std::string_view roleName(Role role);
/// Whether it leaves after the greeting.
bool isVisitor(Role role);
/// Returns nullopt if the two may talk to each other, else why not, naming both.
std::optional<std::string> roleMismatch(Role ours, Role peers);

/// Text for people, cleaned when sent and when received.
struct PeerText {
    std::string value;

    PeerText() = default;
    PeerText(const std::string& text) : value(cleanText(text)) {}
    PeerText(const char* text) : PeerText(std::string(text)) {}
    template <typename Self, typename Visit>
    static void fields(Self& self, Visit& visit) {
        visit(self.value);
        if constexpr (!std::is_const_v<Self>) {
            self.value = cleanText(self.value);
        }
    }
};

/// Hello::features of a sender: it takes viewers' input.
inline constexpr std::uint64_t kTakesInput = 1;

/// Hello::features: payloads are to be encrypted; one side asking is enough.
inline constexpr std::uint64_t kEncrypts = 2;

/// Hello::features of a sender: it sends parts of its pictures to receivers that ask for them.
inline constexpr std::uint64_t kCutsRegions = 16;

/// Hello::features of a sender: there is, or will be, sound on kSoundTrack.
inline constexpr std::uint64_t kHasSound = 1U << 21;

/// Hello::features of a receiver on this machine: it wants frames in the memory of Hello::device.
inline constexpr std::uint64_t kUsesDevice = 1U << 20;

/// First message of both sides; see Handshake.
struct Hello {
    static constexpr MessageType kType = MessageType::Hello;
    std::uint32_t magic = kProtocolMagic;
    std::uint16_t version = kProtocolVersion;
    Role role = Role::Sender;
    std::uint64_t features = 0;  ///< what this side offers; unknown bits are ignored
    HostId host;
    std::uint64_t instance = 0;  ///< of the sender or receiver; the same across reconnections
    std::uint32_t slots = 0;     ///< receiver: most frames that it wants to hold
    PeerText name;
    PeerText software;  ///< "verbcast 0.1.0"
    RailHello rail{};   ///< with kIsRail
    PeerText
        addresses;    ///< with kFindsRails: those of this host, numeric, comma-separated; empty from a probe
    PeerText device;  ///< with kUsesDevice: DeviceMemory::sharingId()

    static void fields(auto& self, auto& visit) {
        visit(self.magic, self.version);
        if (self.magic != kProtocolMagic || self.version != kProtocolVersion) {
            return;  // the rest may look different in another version
        }
        visit(self.role, self.features, self.host.bytes, self.instance, self.slots, self.name, self.software);
        if ((self.features & kIsRail) != 0) {
            visit(self.rail);
        }
        if ((self.features & kFindsRails) != 0) {
            visit(self.addresses);
        }
        if ((self.features & kUsesDevice) != 0) {
            visit(self.device);
        }
    }
    bool isRail() const { return (features & kIsRail) != 0; }
    /// The greeting of a peer that we connected to over one of our rails: its own says nothing of that.
    Hello asRail(const RailHello& ours) const {
        Hello hello = *this;
        hello.features |= kIsRail;
        hello.rail = ours;
        return hello;
    }
};

enum class RefuseCode : std::uint16_t {
    Version = 1,
    Role = 2,            ///< two senders or two receivers met
    Busy = 3,            ///< a receiver already has its sender, or a sender is full
    Authentication = 4,  ///< only one side has a key, or the keys differ
    Protocol = 5,        ///< a message broke the rules
    Resources = 6,       ///< the stream needs more memory than this side has or may lock
    Stalled = 7,         ///< it took nothing for too long while others waited
    NotPaired = 8,       ///< from another host, without a key
    Crowded = 9,         ///< too many callers were still greeting; try again
};

/// Why the connection is not, or no longer, wanted. The refusing side then hangs up; a listener that refuses
/// a greeting first lets the caller do so.
struct Refuse {
    static constexpr MessageType kType = MessageType::Refuse;
    RefuseCode code = RefuseCode::Protocol;
    PeerText text;
    static void fields(auto& self, auto& visit) { visit(self.code, self.text); }
};

/// Sender: the format of the track's frames in this epoch. None is sent before the receiver's Accept, which
/// it sends once all earlier frames have arrived: payloads and messages may take different paths.
struct FormatMessage {
    static constexpr MessageType kType = MessageType::Format;
    TrackId track = 0;
    std::uint32_t epoch = 0;
    Policy policy = Policy::Latest;  ///< Lossless: a gap in the sequence is a loss
    std::uint64_t framesBefore = 0;  ///< sent over this connection in earlier epochs
    TrackFormat format;
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.epoch, self.policy, self.framesBefore, self.format);
    }
    void check() const {
        if (policy > kLastPolicy) {
            throw peerError("the peer announced a track with an unknown policy");
        }
    }
};

/// Most rings of shared memory that frames of one track may come in at a time.
inline constexpr std::size_t kMaxOpenRings = 8;

/// From the side that provides the memory for a track's frames (the receiver, or the sender if memory is
/// shared): a ring, and what the path needs to reach it.
struct RingMessage {
    static constexpr MessageType kType = MessageType::Ring;
    TrackId track = 0;
    RingId ring = 0;
    RingShape shape;
    std::vector<std::byte> offer;  ///< from FrameHandler::onOfferReady()
    /// If memory is shared: the earlier rings that frames may still come in.
    WireList<RingId, kMaxOpenRings - 1> open{};
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.ring, self.shape.slotBytes, self.shape.slotCount, self.offer, self.open);
    }
    void check() const;
    /// To offer that pool's slots.
    static RingMessage of(TrackId track, RingId ring, const FramePool& pool,
                          std::span<const std::byte> offer);
};

/// Receiver, before it accepts the epoch, to a sender with kCutsRegions that writes into its ring: send only
/// this part of the pictures. The epoch's frames then have the regionFormat() of the track's format and this
/// region.
struct RegionMessage {
    static constexpr MessageType kType = MessageType::Region;
    TrackId track = 0;
    std::uint32_t epoch = 0;
    FrameRect region;
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.epoch, self.region.x, self.region.y, self.region.width, self.region.height);
    }
};

/// Receiver: ready for frames of this epoch in that ring.
struct Accept {
    static constexpr MessageType kType = MessageType::Accept;
    TrackId track = 0;
    std::uint32_t epoch = 0;
    RingId ring = 0;
    bool wanted = true;  ///< false: send no frames of this track, ever; the other fields mean nothing
    /// All frames of the track before this one have arrived over an earlier connection with the same sender
    /// (Hello::instance); 0 if there was none.
    std::uint64_t nextSequence = 0;
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.epoch, self.ring, self.wanted, self.nextSequence);
    }
};

/// Receiver: these slots of the ring may be written (again), or are no longer read, and all frames before
/// `nextSequence` have arrived. Sent per frame.
struct Credit {
    static constexpr MessageType kType = MessageType::Credit;
    TrackId track = 0;
    RingId ring = 0;
    std::uint64_t nextSequence = 0;
    WireList<std::uint16_t, kMaxSlots> slots;
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.ring, self.nextSequence, self.slots);
    }
};

/// Largest frame that travels as messages.
inline constexpr std::uint64_t kMaxMessagePayload = 1U << 20;

/// Sender: bytes of a frame, from `offset` on, which follow the fields; see MessagePath. Its parts come in
/// order, with none of another frame between them. The first says what the frame is.
struct FramePart {
    static constexpr MessageType kType = MessageType::FramePart;
    RingId ring = 0;
    std::uint16_t slot = 0;
    std::uint32_t offset = 0;
    std::array<std::byte, kFrameInfoHeadBytes> head{};  ///< of its FrameInfo; where offset is 0
    static void fields(auto& self, auto& visit) {
        visit(self.ring, self.slot, self.offset);
        if (self.offset == 0) {
            visit(self.head);
        }
    }
};

struct Ping {
    static constexpr MessageType kType = MessageType::Ping;
    TimestampNs sentAt = 0;  ///< the pinging side's clock
    static void fields(auto& self, auto& visit) { visit(self.sentAt); }
};

struct Pong {
    static constexpr MessageType kType = MessageType::Pong;
    TimestampNs pingSentAt = 0;
    TimestampNs receivedAt = 0;  ///< the answering side's clock
    TimestampNs sentAt = 0;
    static void fields(auto& self, auto& visit) { visit(self.pingSentAt, self.receivedAt, self.sentAt); }
};

/// Sender: no frame follows on this track; `frames` were sent on it over this connection.
struct EndOfTrack {
    static constexpr MessageType kType = MessageType::EndOfTrack;
    TrackId track = 0;
    std::uint64_t frames = 0;
    bool last = true;  ///< of all tracks: the stream is over
    PeerText reason;
    static void fields(auto& self, auto& visit) { visit(self.track, self.frames, self.last, self.reason); }
};

/// Sender: the track's frame `sequence` comes right after `follows`; those between were dropped before any
/// rail sent them. `begins`: none comes before it.
struct RailOrder {
    static constexpr MessageType kType = MessageType::RailOrder;
    TrackId track = 0;
    std::uint64_t sequence = 0;
    bool begins = false;
    std::uint64_t follows = 0;
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.sequence, self.begins, self.follows);
    }
    /// Throws Error{Peer} for an impossible order.
    void check() const;
};

/// For check(): throws Error{Peer} with that text unless each value can be a length of time.
void requireTimes(std::initializer_list<double> values, const char* otherwise);

/// Receiver: what became of the frames so far; once a second and at the end.
struct Report {
    static constexpr MessageType kType = MessageType::Report;
    std::uint64_t received = 0;
    std::uint64_t shown = 0;
    std::uint64_t skipped = 0;
    Percentiles latency;
    double clockErrorUs = 0;
    static void fields(auto& self, auto& visit) {
        visit(self.received, self.shown, self.skipped, self.latency.count, self.latency.p50, self.latency.p99,
              self.latency.p999, self.latency.max, self.clockErrorUs);
    }
    /// Throws Error{Peer} if a latency is not a number.
    void check() const;
};

/// Receiver, to a sender that takes input: sequences rise from event to event.
struct InputMessage {
    static constexpr MessageType kType = MessageType::Input;
    std::uint64_t sequence = 0;
    InputEvent event;
    static void fields(auto& self, auto& visit) {
        visit(self.sequence, self.event.kind, self.event.pressed, self.event.code, self.event.x, self.event.y,
              self.event.dx, self.event.dy, self.event.data);
    }
    /// Throws Error{Peer} for an unknown kind, coordinates that are not numbers or beyond a million, or more
    /// data than kMaxInputData.
    void check() const;
};

/// Either side: an orderly goodbye; the other hangs up.
struct Bye {
    static constexpr MessageType kType = MessageType::Bye;
    PeerText reason;
    static void fields(auto& self, auto& visit) { visit(self.reason); }
};

}  // namespace verbcast
