// What all viewers of a group have in common at the sender: the frames that leave by the group, once for all,
// and what of them was lost on the way. Viewers by UDP have one in common, and viewers by RDMA another.
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

#include "core/base/event.h"
#include "core/session/group/group_beacons.h"
#include "core/session/group/group_messages.h"
#include "core/session/group/group_pace.h"
#include "core/session/trust/datagram_seal.h"
#include "core/stats/group_stats.h"
#include "core/transport/frame_path.h"
#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/ud_group.h"

namespace verbcast {

struct GroupOptions {
    multicast::GroupAddress address{};
    int ttl = 1;                ///< 1: this network; routers take 1 off
    std::uint64_t bitRate = 0;  ///< per second at most; 0: what the interfaces take
    bool lossless = false;
    bool tagged = false;     ///< datagrams show that they are of who has the key
    bool encrypted = false;  ///< and nobody else reads them
    std::string name;        ///< of the stream, for those who look for it
};

/// A frame has a number in the group, given when the first viewer may have it, and is there until no viewer
/// needs it any more: so the sender's own slots are the ring from which it is repaired. Lossless, a frame
/// leaves once every viewer that takes part has room for it.
///
/// Safe from any thread. Frames leave on a thread of its own; a lock is held while the kernel takes some
/// dozens of datagrams.
class GroupHub {
  public:
    /// By UDP, with beacons; and byRdma() where the address allows it and there is a device. Throws as
    /// GroupBeacons does, and what ud::openSender() throws where the address says via=rdma.
    using OpenRdma = std::function<std::unique_ptr<multicast::GroupPort>(
        const multicast::GroupAddress&, const multicast::GroupInterface&, int ttl)>;
    explicit GroupHub(const GroupOptions& options, const OpenRdma& open = &ud::openSender);
    /// By that port alone, of a group that another hub speaks for.
    GroupHub(const GroupOptions& options, std::unique_ptr<multicast::GroupPort> port);
    ~GroupHub();

    /// From now on viewers that know the group only find the session: where it listens by tcp.
    void announce(std::uint16_t port);
    const GroupOptions& options() const { return options_; }
    GroupOffer offer() const;
    struct ByRdma {
        GroupUdOffer offer{};             ///< for viewers that can hear an RDMA network
        std::shared_ptr<GroupHub> hub{};  ///< for those that take frames by it. Null: the offer says why not
    };
    /// Once its device or the network's manager is back, there is another hub.
    ByRdma byRdma() const;
    /// Why nothing leaves any more; empty while it does.
    std::string failure() const;
    bool failed() const { return failed_; }
    std::uint32_t chunkBytes() const { return chunkBytes_; }
    /// By RDMA, too.
    GroupStats stats() const;

    using Viewer = std::uint64_t;
    /// `room` is set when a frame has left after submit() had none for it; it outlives leave(). May be null.
    Viewer join(std::uint64_t bitRate, const Event* room = nullptr);
    /// All of its frames are released. Who is left gets a new key.
    void leave(Viewer viewer);

    struct Submitted {
        std::uint64_t number = 0;  ///< 0: not now. Not lossless, new frames wait where two have not left yet
        bool leaves = false;       ///< because of this viewer; others come along
    };
    /// The frame is for this viewer, too. Its slot stays as it is until release(). Throws Error{Usage} for
    /// one that is too large.
    Submitted submit(Viewer viewer, const OutgoingFrame& frame);
    /// `lossPart` of its chunks had to be asked for.
    void release(Viewer viewer, std::uint64_t number, double lossPart);
    struct Repair {
        std::vector<multicast::ChunkRange> alone{};  ///< to be written to the viewer
        std::uint32_t lost = 0;                      ///< chunks that had left and did not come
    };
    /// Of a frame of this viewer, ranges that can be: which of them are to be written to it alone. The others
    /// come by the group, again where several viewers lack them, or because they have not left yet. Not
    /// `writable`: all of them come by the group.
    Repair repair(Viewer viewer, std::uint64_t number, std::span<const multicast::ChunkRange> ranges,
                  bool writable = true);
    void countWritten(std::uint64_t bytes) { writtenBytes_ += bytes; }
    /// Bytes per second at which frames leave.
    std::uint64_t bytesPerSecond() const;

    /// The newest, to be told; only where datagrams are tagged. It is used once all viewers have taken it, or
    /// a second after the first was told.
    GroupKeyMessage key();
    std::uint16_t newestKey() const { return newestKey_; }
    void keyTaken(Viewer viewer, std::uint16_t keyId);
    /// Somebody who was told the newest has left without having joined.
    void renewKey();
    /// With which datagrams leave now.
    std::uint16_t usedKey() const {
        const std::lock_guard lock(mutex_);
        return used_.id;
    }

  private:
    struct Use {
        Viewer viewer = 0;
        bool released = false;
        bool repairedByGroup = false;
    };
    struct Frame {
        std::shared_ptr<FramePool> pool;  // shared: its owner may have gone on to another
        std::uint32_t slot = 0;
        std::uint64_t sequence = 0, bytes = 0;
        std::uint32_t chunks = 0, next = 0;
        bool ready = false;  // to leave
        bool alone = false;  // it does not leave by the group: it is older than others that have
        std::vector<Use> uses;
        std::vector<std::uint16_t> askedBy;  // each chunk: who asked for it first; kRepeated; empty: nobody
    };
    struct Member {
        std::optional<std::uint64_t> since;  // sequence
        std::uint64_t lastSequence = 0, lastNumber = 0;
        std::uint16_t keyTaken = 0;
        const Event* room = nullptr;
        bool waits = false;  // for room
    };
    struct Repeat {
        std::uint64_t number = 0;
        multicast::ChunkRange range;
    };
    struct Key {
        std::uint16_t id = 0;
        DatagramKey key{};
    };
    enum class Turn { Sent, Idle, Full };

    GroupHub(const GroupOptions& options, const multicast::GroupInterface& interface, std::uint64_t stream,
             const OpenRdma& open);
    GroupHub(const GroupOptions& options, std::unique_ptr<GroupBeacons> beacons,
             std::unique_ptr<multicast::GroupPort> port, std::uint64_t stream,
             const multicast::GroupInterface& interface, OpenRdma open);
    void openRdma();
    std::shared_ptr<GroupHub> rdma() const;
    std::shared_ptr<GroupHub> newRdma() const;
    void keepRdma(TimestampNs now);
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
    void changeKey();
    void makeKey();
    void useNewKey(TimestampNs now);
    std::uint32_t burstChunks() const;

    static constexpr std::uint16_t kRepeated = 0xffff;

    const GroupOptions options_;
    const std::unique_ptr<GroupBeacons> beacons_;  // null: another hub has them
    std::unique_ptr<multicast::GroupPort>
        port_;  // null once it has failed: guarded by mutex_ but for our thread
    const multicast::GroupOrigin origin_;
    const std::array<std::byte, 16> groupId_;
    const std::uint64_t stream_;
    const std::uint32_t chunkBytes_;
    const multicast::GroupInterface interface_;
    const OpenRdma open_;         // empty: this is the hub by RDMA
    TimestampNs reopenedAt_ = 0;  // our thread's
    /// Hubs on this network that have viewers: each has its part of the rate. Shared between them.
    std::shared_ptr<std::atomic<std::uint32_t>> busyHubs_ = std::make_shared<std::atomic<std::uint32_t>>(0);
    std::atomic<bool> stopping_{false}, failed_{false};
    std::atomic<std::uint16_t> newestKey_{0};
    std::atomic<std::uint64_t> datagrams_{0}, sentBytes_{0}, repeatedBytes_{0}, writtenBytes_{0}, frames_{0},
        requests_{0};
    ArmedEvent work_;

    BackgroundTasks reopening_;       // our thread's
    mutable std::mutex mutex_;        // guards what follows
    std::shared_ptr<GroupHub> rdma_;  // shared with sessions; null: whyNotRdma_
    std::string whyNotRdma_;
    GroupStats pastRdma_;  // of hubs before this one
    GroupPace pace_;
    std::uint64_t paceSet_ = 0;  // that the port knows
    std::string failure_;
    std::map<Viewer, Member> members_;
    Viewer lastViewer_ = 0;
    std::map<std::uint64_t, Frame> sending_;
    std::uint64_t lastNumber_ = 0;
    std::optional<std::uint64_t> newestSequence_;
    std::deque<std::uint64_t> queue_;
    std::deque<Repeat> repeats_;
    std::uint64_t counter_ = 0;
    Key used_, pending_;
    TimestampNs keyDueAt_ = 0;  // when pending_ is used at the latest; 0: nobody has been told of it
    bool anotherKey_ = false;   // has to follow pending_
    std::unique_ptr<DatagramSeal> seal_;
    std::vector<std::byte> sealed_;  // payloads of a burst
    std::jthread thread_;            // last: it uses everything above
};

}  // namespace verbcast
