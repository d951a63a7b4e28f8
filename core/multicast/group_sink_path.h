// The viewer's side of a session whose frames come by a group: a stage around the path of its own connection,
// over which it requests and gets what was lost on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/multicast/frame_assembly.h"
#include "core/multicast/group_channel.h"
#include "core/multicast/group_intake.h"
#include "core/multicast/stage_wait.h"
#include "core/session/greeting/peer_connection.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/ud_group.h"
#include "core/transport/stages.h"

namespace verbcast {

/// Frames of the main track come by the group, into any slot that the sender was given.
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
    ~GroupSinkPath() override { channel_->setHearer(nullptr); }

    int waitDescriptor() const override { return wait_.descriptor(); }
    Progress poll() override;
    bool readyToSleep() override;
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override;
    std::uint64_t payloadBytesMoved() const override {
        return PathStage::payloadBytesMoved() + tally_.stats.bytes;
    }
    std::uint64_t payloadBytesCopied() const override {
        return PathStage::payloadBytesCopied() + tally_.copied;
    }
    GroupStats groupStats() const override { return tally_.stats; }

  private:
    struct Ring {
        RingId id = 0;
        std::shared_ptr<FramePool> pool;
    };
    void onGroupMessage(MessageType type, ByteReader& reader) override;
    void onLeaving(std::span<const std::byte> message) override;
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void leaveGroup(const std::string& reason);
    void join(const GroupOffer& offer);
    void joinBy(std::shared_ptr<multicast::GroupReceiver> receiver, std::string whyNotRdma,
                const multicast::GroupInterface& interface);
    void openReceiver(const multicast::GroupInterface& interface);
    std::string objectionToRdma() const;
    bool settleFrames(TimestampNs now);
    void deliver();
    void giveUp();
    void askForMissing(TimestampNs now);
    void warnIfSilent();

    const std::shared_ptr<GroupChannel> channel_;
    const multicast::GroupAddress group_;
    const Protection protection_;
    const OpenRdma openRdma_;
    std::optional<GroupOffer> offer_;
    std::optional<GroupUdOffer> udOffer_;
    std::vector<Ring> rings_;
    std::optional<RingId> mainRing_;
    DatagramKeys keys_;
    GroupTally tally_;
    std::optional<FrameAssembly> frames_;
    std::unique_ptr<GroupIntake> intake_;  // null: nothing comes by the group
    bool gap_ = false;                     // frames were given up since the last one that was whole
    std::uint64_t heard_ = 0;              // datagrams, when last looked
    std::uint64_t askedBefore_ = 0;        // requests until then
    bool warned_ = false;                  // of silence since
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
