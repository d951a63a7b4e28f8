// What the two sides of a session say about frames that come by a multicast group.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/session/messages/messages.h"
#include "core/transport/multicast/chunk_map.h"
#include "core/transport/multicast/datagram.h"

namespace verbcast {

/// The first and last type of these messages.
inline constexpr MessageType kFirstGroupMessage = MessageType::GroupOffer;
inline constexpr MessageType kLastGroupMessage = MessageType::GroupMoved;

/// The track that a group carries; others come over the sessions.
inline constexpr TrackId kGroupTrack = 0;

/// Hello::features of a viewer: it wants frames by the sender's group. Of a sender: it has one.
inline constexpr std::uint64_t kByGroup = 4;
/// Of a viewer, with kByGroup: it can receive by RDMA, and is told of the group there (GroupUdOffer).
inline constexpr std::uint64_t kByUdGroup = 1024;

/// Sender, first of all: where frames come from.
struct GroupOffer {
    static constexpr MessageType kType = MessageType::GroupOffer;
    PeerText refusal;  ///< not empty: why this viewer gets none by the group; the rest means nothing
    std::uint64_t stream = 0;
    std::array<std::byte, 4> group{};   ///< in network byte order
    std::array<std::byte, 4> source{};  ///< where datagrams come from
    std::uint16_t port = 0;
    std::uint16_t sourcePort = 0;
    std::uint32_t chunkBytes = 0;
    bool lossless = false;
    bool tagged = false;     ///< datagrams have tags: the key follows
    bool encrypted = false;  ///< their payloads are encrypted
    static void fields(auto& self, auto& visit) {
        visit(self.refusal, self.stream, self.group, self.source, self.port, self.sourcePort, self.chunkBytes,
              self.lossless, self.tagged, self.encrypted);
    }
    /// Throws Error{Peer} for impossible numbers.
    void check() const;
};

/// Sender, before GroupOffer, to a viewer that says kByUdGroup: where frames come from by RDMA. What it omits
/// is as in GroupOffer; the key that follows both is for this way, unless it is refused.
struct GroupUdOffer {
    static constexpr MessageType kType = MessageType::GroupUdOffer;
    PeerText refusal;       ///< not empty: why there is none; the rest but `required` means nothing
    bool required = false;  ///< there is no other way: GroupOffer only names the group
    std::uint64_t stream = 0;
    std::array<std::byte, 16> group{};   ///< as the sender's network calls it: a GID
    std::array<std::byte, 16> source{};  ///< GID and queue pair of the sender
    std::uint32_t sourceQueue = 0;
    std::uint32_t chunkBytes = 0;
    static void fields(auto& self, auto& visit) {
        visit(self.refusal, self.required, self.stream, self.group, self.source, self.sourceQueue,
              self.chunkBytes);
    }
    /// Throws Error{Peer} for impossible numbers.
    void check() const;
};

/// Viewer: it listens to the group by RDMA now. Sent instead of GroupJoined.
struct GroupUdJoined {
    static constexpr MessageType kType = MessageType::GroupUdJoined;
    std::uint64_t bitRate = 0;  ///< as in GroupJoined
    static void fields(auto& self, auto& visit) { visit(self.bitRate); }
};

/// Viewer: it listens to the group now.
struct GroupJoined {
    static constexpr MessageType kType = MessageType::GroupJoined;
    std::uint64_t bitRate = 0;  ///< that its interface takes, per second; 0: unknown
    static void fields(auto& self, auto& visit) { visit(self.bitRate); }
};

/// Sender: a key for datagrams, before any is made with it.
struct GroupKeyMessage {
    static constexpr MessageType kType = MessageType::GroupKey;
    std::uint16_t keyId = 0;
    std::array<std::byte, 32> key{};
    static void fields(auto& self, auto& visit) { visit(self.keyId, self.key); }
};

/// Viewer: it has that key.
struct GroupKeyTaken {
    static constexpr MessageType kType = MessageType::GroupKeyTaken;
    std::uint16_t keyId = 0;
    static void fields(auto& self, auto& visit) { visit(self.keyId); }
};

/// Sender: a frame for this viewer, whose bytes come, or came, by the group under that number. It goes into
/// any slot that the viewer gave.
struct GroupFrame {
    static constexpr MessageType kType = MessageType::GroupFrame;
    std::uint64_t frame = 0;  ///< rises from one to the next
    RingId ring = 0;
    std::vector<std::byte> info;  ///< the first frameInfoBytes() of its FrameInfo
    static void fields(auto& self, auto& visit) { visit(self.frame, self.ring, self.info); }
};

/// Viewer: these chunks did not arrive. The sender writes them into the slot over this connection, as a frame
/// whose sequence is the number of the request, or sends them to the group once more, and says which
/// (GroupRepaired). One request at a time for each frame.
struct GroupMissing {
    static constexpr MessageType kType = MessageType::GroupMissing;
    std::uint64_t frame = 0;
    std::uint64_t request = 0;  ///< rises
    RingId ring = 0;
    std::uint16_t slot = 0;
    WireList<multicast::ChunkRange, multicast::kMaxRanges> ranges;
    static void fields(auto& self, auto& visit) {
        visit(self.frame, self.request, self.ring, self.slot, self.ranges);
    }
};

/// Sender: the answer to that request. These chunks are written into the slot, all at once; the others are
/// sent to the group again.
struct GroupRepaired {
    static constexpr MessageType kType = MessageType::GroupRepaired;
    std::uint64_t frame = 0;
    std::uint64_t request = 0;
    WireList<multicast::ChunkRange, multicast::kMaxRanges> written;
    static void fields(auto& self, auto& visit) { visit(self.frame, self.request, self.written); }
};

/// Viewer: it needs nothing more of this frame. Sent in the order of GroupFrame.
struct GroupDone {
    static constexpr MessageType kType = MessageType::GroupDone;
    std::uint64_t frame = 0;
    bool lost = false;  ///< it came too late, and was given up
    static void fields(auto& self, auto& visit) { visit(self.frame, self.lost); }
};

/// Sender: this viewer takes no part in the group any more. Its frames are announced as before, but come over
/// this connection alone, when it asks for them (GroupMissing): at once.
struct GroupMoved {
    static constexpr MessageType kType = MessageType::GroupMoved;
    PeerText reason;
    static void fields(auto& self, auto& visit) { visit(self.reason); }
};

inline void GroupOffer::check() const {
    const bool possible = refusal.value.empty() ? stream != 0 && port != 0 && sourcePort != 0 &&
                                                      chunkBytes >= multicast::kMinChunkBytes &&
                                                      chunkBytes <= multicast::kMaxChunkBytes &&
                                                      (std::to_integer<unsigned>(group[0]) & 0xf0U) == 0xe0U
                                                : true;
    if (!possible) {
        throw peerError("the peer named an impossible multicast group");
    }
}

inline void GroupUdOffer::check() const {
    // Queue pairs have 24 bits; 0 and 1 are the network's management, and the last one means a group.
    constexpr std::uint32_t kMinQueue = 2, kGroupQueue = 0xffffff;
    const bool possible = refusal.value.empty()
                              ? stream != 0 && sourceQueue >= kMinQueue && sourceQueue < kGroupQueue &&
                                    chunkBytes >= multicast::kMinChunkBytes &&
                                    chunkBytes <= multicast::kMaxChunkBytes
                              : true;
    if (!possible) {
        throw peerError("the peer named an impossible RDMA multicast group");
    }
}

}  // namespace verbcast
