// What comes from a group at a viewer: checked, and put where it belongs. Two ways: udp_intake.h,
// rdma_intake.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/multicast/frame_assembly.h"
#include "core/multicast/group_channel.h"
#include "core/session/trust/datagram_seal.h"
#include "core/stats/path_stats.h"
#include "core/transport/multicast/group_address.h"

namespace verbcast {

/// Outlives the way by which it came.
struct GroupTally {
    GroupStats stats;
    std::uint64_t copied = 0;  ///< bytes of payload
};

/// The keys of a stream's datagrams that the session has told: the newest two.
class DatagramKeys {
  public:
    /// Throws Error{Peer} if the offer leaves no room for a key.
    void take(const GroupKeyMessage& message, const GroupOffer& offer);
    /// Whether the chunk's tag matches. If payloads are encrypted, decrypts this one to `into`.
    bool opens(const multicast::Chunk& chunk, std::byte* into);

  private:
    struct Key {
        std::uint16_t id = 0;
        std::unique_ptr<DatagramSeal> seal;
    };
    std::vector<Key> keys_;  // newest last
};

/// One way to receive a group's datagrams. Thread-bound.
class GroupIntake {
  public:
    virtual ~GroupIntake() = default;
    GroupIntake(const GroupIntake&) = delete;
    GroupIntake& operator=(const GroupIntake&) = delete;

    /// "UDP, eth1", "RDMA, rxe0 port 1, MTU 4096"
    virtual std::string describe() const = 0;
    /// Tells the sender that we listen.
    virtual void tellJoined(GroupChannel& channel) const = 0;
    /// What may be wrong if nothing arrives.
    virtual std::string whySilent() const = 0;
    /// The descriptors to sleep on, all of them, after arm().
    virtual std::vector<int> descriptors() const = 0;
    /// Takes what has arrived; returns true if there was any.
    virtual bool receive(FrameAssembly& frames) = 0;
    /// False: call receive() before sleeping.
    virtual bool arm(FrameAssembly& /*frames*/) { return true; }
    /// Why nothing arrives any more; empty while something may.
    virtual std::string failure() const { return ""; }
    /// A frame has come whole.
    virtual void countFrame() {}

  protected:
    /// `keys` and `tally` must outlive this. `shape`: of the stream by this way.
    GroupIntake(const multicast::GroupAddress& group, const GroupOffer& offer,
                const multicast::StreamShape& shape, DatagramKeys& keys, GroupTally& tally)
        : group_(group), offer_(offer), shape_(shape), tally_(tally), keys_(keys) {}

    /// Whether the chunk's tag, if it must have one, matches; if so, counts it. If payloads are encrypted,
    /// decrypts this one to `into`.
    bool opens(const multicast::Chunk& chunk, std::byte* into);
    /// Counts a datagram that is not the stream's, and warns of who sends such.
    void refused(multicast::Refusal why, const std::string& from);

    const multicast::GroupAddress group_;
    const GroupOffer offer_;
    const multicast::StreamShape shape_;
    GroupTally& tally_;

  private:
    /// How a warning calls another stream to the same group.
    virtual std::string_view otherStream() const = 0;

    DatagramKeys& keys_;
};

}  // namespace verbcast
