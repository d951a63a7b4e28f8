// The viewer's side of a session whose frames come by a group: a stage around the path of its own connection,
// over which it requests and gets what was lost on the way.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/multicast/frame_assembly.h"
#include "core/multicast/group_channel.h"
#include "core/multicast/stage_wait.h"
#include "core/session/greeting/peer_connection.h"
#include "core/session/trust/datagram_seal.h"
#include "core/stats/path_stats.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/multicast/group_port.h"
#include "core/transport/path_stage.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/ud_group.h"

namespace verbcast {

/// Frames of the main track come by the group, into any slot that the sender was given.
///
/// Payload copies: by UDP one, by the kernel, from its buffers into the slot where the next chunk is
/// expected. Chunks that arrive otherwise (behind a loss) are moved once more, and so are encrypted ones. By
/// RDMA one, from the receive ring, and another one for encrypted chunks.
class GroupSinkPath final : public PathStage, private GroupHearer {
  public:
    /// Receives by RDMA if the sender offers that and this returns a receiver: ud::openReceiver(), except in
    /// tests.
    using OpenRdma = std::function<std::unique_ptr<multicast::GroupReceiver>(
        const multicast::GroupAddress&, const multicast::GroupInterface&)>;
    GroupSinkPath(std::shared_ptr<FramePath> inside, std::shared_ptr<GroupChannel> channel,
                  const multicast::GroupAddress& group, Protection protection,
                  const OpenRdma& openRdma = &ud::openReceiver);
    bool reachesMany() const override { return true; }
    ~GroupSinkPath() override;

    int waitDescriptor() const override { return wait_.descriptor(); }
    Progress poll() override;
    bool readyToSleep() override;
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override;
    std::uint64_t payloadBytesMoved() const override { return PathStage::payloadBytesMoved() + stats_.bytes; }
    std::uint64_t payloadBytesCopied() const override { return PathStage::payloadBytesCopied() + copied_; }
    GroupStats groupStats() const override { return stats_; }

  private:
    struct Ring {
        RingId id = 0;
        std::shared_ptr<FramePool> pool;
    };
    struct Key {
        std::uint16_t id = 0;
        std::unique_ptr<DatagramSeal> seal;
    };
    struct Batch;
    void onGroupMessage(MessageType type, ByteReader& reader) override;
    void onLeaving(std::span<const std::byte> message) override;
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void leaveGroup(const std::string& reason);
    void onKey(const GroupKeyMessage& message);
    void join(const GroupOffer& offer);
    void joinByUdp(const multicast::GroupInterface& interface);
    void joinBy(std::shared_ptr<multicast::GroupReceiver> receiver, std::string whyNotRdma,
                const multicast::GroupInterface& interface);
    std::string objectionTo(const multicast::GroupReceiver& receiver) const;
    void useReceiver(std::shared_ptr<multicast::GroupReceiver> receiver);
    void openReceiver(const multicast::GroupInterface& interface);
    std::string objectionToRdma() const;
    bool receive();
    bool receiveByRdma();
    void takeByRdma(const multicast::GroupDatagram& datagram, TimestampNs now);
    multicast::StreamShape shape() const;
    void takeBatch(std::size_t messages, TimestampNs now);
    bool takeOne(std::size_t place, std::size_t bytes, bool fromSender, const sockaddr_in& from,
                 TimestampNs now);
    void movePlaces(std::size_t taken, TimestampNs now);
    bool opens(const multicast::Chunk& chunk, std::byte* into);
    void refused(multicast::Refusal why, const std::string& from);
    bool settleFrames(TimestampNs now);
    void deliver();
    void giveUp();
    void askForMissing(TimestampNs now);
    void warnIfSilent();

    const std::shared_ptr<GroupChannel> channel_;
    const multicast::GroupAddress group_;
    const Protection protection_;
    const OpenRdma openRdma_;
    std::optional<GroupOffer> offer_;  // with the stream and chunk size of the way that we took
    std::optional<GroupUdOffer> udOffer_;
    std::shared_ptr<multicast::GroupReceiver> receiver_;  // null: by UDP; shared with the task that opened it
    std::vector<std::byte> opened_;                       // a decrypted chunk
    UniqueFd socket_;
    std::string interface_;
    std::vector<Ring> rings_;
    std::optional<RingId> mainRing_;
    std::vector<Key> keys_;  // newest last, at most two
    std::optional<FrameAssembly> frames_;
    std::unique_ptr<Batch> batch_;
    bool gap_ = false;  // frames were given up since the last one that was whole
    bool warned_ = false;
    GroupStats stats_;
    std::uint64_t copied_ = 0;
    StageWait wait_;
    BackgroundTasks opening_;  // last: its destructor waits
};

/// Hello::features of a viewer of that group. Throws Error{Device} if the address says via=rdma and there is
/// no device for it.
std::uint64_t featuresOfViewer(const multicast::GroupAddress& group);

/// Puts the stage around the connection of a viewer that asked for the group. Throws Error{Network} if the
/// sender has none.
void receiveByGroup(PeerConnection& peer, const multicast::GroupAddress& group);

}  // namespace verbcast
