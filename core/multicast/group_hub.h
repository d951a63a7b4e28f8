// What all viewers of a group share at the sender: the frames that leave by the group, once for all, and what
// was lost of them on the way. Viewers by UDP share one hub, and viewers by RDMA another.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/base/os/event.h"
#include "core/multicast/chunk_requests.h"
#include "core/multicast/group_beacons.h"
#include "core/multicast/group_keys.h"
#include "core/multicast/group_messages.h"
#include "core/multicast/group_pace.h"
#include "core/multicast/unsent_warning.h"
#include "core/stats/live_stats.h"
#include "core/stats/path_stats.h"
#include "core/transport/frame_path.h"
#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/ud_group.h"

namespace verbcast {

class RdmaHub;

struct GroupOptions {
    multicast::GroupAddress address{};
    bool lossless = false;
    bool tagged = false;              ///< datagrams prove that their sender has the key
    bool encrypted = false;           ///< and nobody without it can read them
    std::string name;                 ///< of the stream, for viewers that look for it
    std::optional<SessionKey> key{};  ///< proves to them that it is this stream
};

/// A frame has a number in the group, given when the first viewer may have it, and stays until no viewer
/// needs it any more: so it is repaired from the sender's own slots. If lossless, a frame leaves once every
/// viewer that takes part has room for it.
///
/// Thread-safe. Sends on a thread of its own; a lock is held while the kernel takes some dozens of datagrams.
class GroupHub {
  public:
    /// Sends by UDP, with beacons, and byRdma() if the address allows it and there is a device. Throws what
    /// GroupBeacons throws and, if the address says via=rdma, what ud::openSender() throws.
    using OpenRdma = std::function<std::unique_ptr<multicast::GroupPort>(
        const multicast::GroupAddress&, const multicast::GroupInterface&, int ttl)>;
    explicit GroupHub(const GroupOptions& options, const OpenRdma& open = &ud::openSender);
    /// Sends by that port only, to a group that another hub announces, and shares the link of `beside`.
    GroupHub(const GroupOptions& options, std::unique_ptr<multicast::GroupPort> port,
             const GroupPace& beside);
    ~GroupHub();

    /// From now on viewers that know only the group find the session: `port` is where it listens by tcp.
    void announce(std::uint16_t port);
    const GroupOptions& options() const { return options_; }
    GroupOffer offer() const;
    /// Says in the offer what this hub, by RDMA, sends.
    void nameIn(GroupUdOffer& offer) const;
    struct ByRdma {
        GroupUdOffer offer{};             ///< for viewers that can receive by RDMA
        std::shared_ptr<GroupHub> hub{};  ///< for those that take frames by it; null: the offer says why not
    };
    /// After a failure, returns another hub once its device or the network's manager is back.
    ByRdma byRdma() const;
    /// Why nothing is sent any more; empty while all is well.
    std::string failure() const;
    bool failed() const { return failed_; }
    std::uint32_t chunkBytes() const { return chunkBytes_; }
    /// Includes those by RDMA.
    GroupStats stats() const;

    using Viewer = std::uint64_t;
    /// `room` is set when a frame has left after submit() had none for it; it must outlive leave(). May be
    /// null. `bitRate`, `host`: see GroupPace.
    Viewer join(std::uint64_t bitRate, const Event* room = nullptr, const std::string& host = {});
    /// Releases all of its frames. The remaining viewers get a new key.
    void leave(Viewer viewer);

    struct Submitted {
        std::uint64_t number = 0;  ///< 0: not now. Unless lossless, new frames wait while two have yet to
                                   ///< leave
        bool leaves = false;       ///< because of this viewer; others share it
        bool excluded = false;     ///< not submitted: this viewer has to leave the group (GroupPace)
    };
    /// Throws Error{Usage} if frames of this many bytes are too large.
    void requireFits(std::uint64_t bytes) const;
    /// Submits the frame, which fits, for this viewer, too. Its slot must not change until release().
    Submitted submit(Viewer viewer, const OutgoingFrame& frame);
    /// Whether this viewer needs nothing of the frames that have left, or are leaving, and a frame that it
    /// was submitted to waits until others have room for it.
    bool waitsForOthers(Viewer viewer) const;
    /// `lossPart`: the part of its chunks that had to be asked for.
    void release(Viewer viewer, std::uint64_t number, double lossPart);
    struct Repair {
        std::vector<multicast::ChunkRange> alone{};  ///< to be written to this viewer alone
        std::uint32_t lost = 0;                      ///< chunks that had left but did not arrive
    };
    /// Decides which of the missing `ranges` (possible ones) of this viewer's frame are written to it alone.
    /// The others come by the group: again if several viewers lack them, or because they have not left yet.
    /// Not `writable`: all of them come by the group. Repeats are a small part of what the group carries:
    /// what exceeds that is written or, if it cannot be, has to be asked for again.
    Repair repair(Viewer viewer, std::uint64_t number, std::span<const multicast::ChunkRange> ranges,
                  bool writable = true);
    void countWritten(std::uint64_t bytes) { counters_[&GroupStats::repairedBytes] += bytes; }
    /// Bytes per second at which frames leave.
    std::uint64_t bytesPerSecond() const;

    /// The newest key, to tell a viewer; only if datagrams are tagged. It is used once all viewers have taken
    /// it, or a second after the first was told.
    GroupKeyMessage key();
    std::uint16_t newestKey() const { return keys_.newest(); }
    void keyTaken(Viewer viewer, std::uint16_t keyId);
    /// Call when a viewer that was told the newest key has left without having joined.
    void renewKey();

  private:
    struct Use {
        Viewer viewer = 0;
        bool released = false;
        bool repairedByGroup = false;
    };
    struct Frame {
        std::shared_ptr<FramePool> pool;  // shared: its owner may have moved on to another
        std::uint32_t slot = 0;
        std::uint64_t sequence = 0, bytes = 0;
        std::uint32_t chunks = 0, next = 0;
        bool ready = false;  // may leave
        bool alone = false;  // does not leave by the group: older than others that have
        std::vector<Use> uses;
        multicast::ChunkRequests requests{};
    };
    struct Member {
        std::optional<std::uint64_t> since;  // sequence
        std::uint64_t lastSequence = 0, lastNumber = 0;
        const Event* room = nullptr;
        bool waits = false;  // for room
    };
    struct Repeat {
        std::uint64_t number = 0;
        multicast::ChunkRange range;
    };
    enum class Turn { Sent, Idle, Full };

    GroupHub(const GroupOptions& options, const multicast::GroupInterface& interface, std::uint64_t stream,
             const OpenRdma& open);
    GroupHub(const GroupOptions& options, std::unique_ptr<multicast::GroupPort> port, std::uint64_t stream);
    void start();
    void run();
    void endByFailure();
    Turn sendSome();
    multicast::GroupPort::Sent sendChunks(std::uint64_t number, const Frame& frame,
                                          multicast::ChunkRange range);
    // With mutex_ held:
    void makeReady(std::uint64_t number, Frame& frame);
    void dropUnused();
    void applyPace();
    void wakeWaiting();
    std::uint32_t burstChunks() const;

    const GroupOptions options_;
    // Null once it has failed; guarded by mutex_ except for our thread.
    std::unique_ptr<multicast::GroupPort> port_;
    const multicast::GroupOrigin origin_;
    const std::array<std::byte, 16> groupId_;
    const std::uint64_t stream_;
    const std::uint32_t chunkBytes_;
    std::atomic<bool> stopping_{false}, failed_{false};
    Counters<GroupStats> counters_;
    ArmedEvent work_;
    UnsentWarning unsent_;  // of our thread

    mutable std::mutex mutex_;  // guards the members below
    GroupPace pace_;
    GroupKeys keys_;
    std::uint64_t paceSet_ = 0;  // as the port knows it
    std::string failure_;
    std::map<Viewer, Member> members_;
    Viewer lastViewer_ = 0;
    std::map<std::uint64_t, Frame> sending_;
    std::uint64_t lastNumber_ = 0;
    std::optional<std::uint64_t> newestSequence_;
    std::deque<std::uint64_t> queue_;
    std::deque<Repeat> repeats_;
    multicast::RepeatShare repeatShare_;
    std::uint64_t counter_ = 0;
    std::vector<std::byte> sealed_;  // payloads of a burst

    // Both null if another hub has them.
    std::unique_ptr<GroupBeacons> beacons_;
    std::unique_ptr<RdmaHub> rdma_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
