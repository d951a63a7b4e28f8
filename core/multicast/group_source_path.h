// The sender's side of one viewer's session whose frames go by a group: a stage around the path of the
// viewer's own connection, over which only repairs travel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/ring_queue.h"
#include "core/multicast/group_channel.h"
#include "core/multicast/group_hub.h"
#include "core/multicast/group_repairs.h"
#include "core/multicast/stage_wait.h"
#include "core/session/greeting/peer_connection.h"
#include "core/transport/stages.h"

namespace verbcast {

/// Frames of the main track leave by the group. One counts as sent (FrameHandler::onFrameSent) only once the
/// peer says that it needs nothing more of it. Other tracks use the inner path.
///
/// A viewer that the group is not for (GroupPace), or that declines the track, leaves the group. It is still
/// told of each frame, asks for all of it, and gets it by the inner path, like a repair: nothing that it says
/// concerns other viewers any more.
class GroupSourcePath final : public PathStage, private GroupHearer, private GroupRepairs::Session {
  public:
    /// Tells the viewer where to listen; nothing is sent before it does. `hearsRdma`: it can also receive by
    /// RDMA, and chooses.
    GroupSourcePath(std::shared_ptr<FramePath> inside, std::shared_ptr<GroupChannel> channel,
                    std::shared_ptr<GroupHub> hub, bool hearsRdma = false);
    bool reachesMany() const override { return true; }
    bool waitsForOthers() const override { return viewer_ && hub_->waitsForOthers(*viewer_); }
    ~GroupSourcePath() override;

    int waitDescriptor() const override { return wait_.descriptor(); }
    Progress poll() override;
    bool readyToSleep() override;
    bool sinkPlaces(std::uint16_t track) const override { return track == kGroupTrack; }
    std::optional<Import> reaches(const Memory& memory) const override;
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override;
    void forget(RingId ring) override;
    Status send(const OutgoingFrame& frame) override;
    /// Each frame of the group counts for one viewer; repairs count once their frame is over: a viewer that
    /// requests and finishes nothing makes no progress.
    std::uint64_t payloadBytesMoved() const override {
        return groupBytes_ + (moved_.empty() ? settledBytes_ : PathStage::payloadBytesMoved());
    }
    std::uint64_t payloadBytesCopied() const override {
        return PathStage::payloadBytesCopied() + groupBytes_;
    }

  private:
    void onGroupMessage(MessageType type, ByteReader& reader) override;
    void onArriving(std::span<const std::byte> message) override;
    void onFrameSent(std::uint32_t localSlot) override;
    void join(const std::shared_ptr<GroupHub>& hub, std::uint64_t bitRate);
    void leaveGroup(const std::string& reason);
    bool tellMoved();
    void giveUpAll();
    void onDone(const GroupDone& message);
    Status sendByGroup(const OutgoingFrame& frame);
    GroupHub::Submitted submit(const OutgoingFrame& frame);
    bool tellKey();
    void takeKey();
    bool writeRepairs() { return repairs_.write(*hub_, !moved_.empty()); }
    void reportLeft();
    LeavingFrame* find(std::uint64_t number) override;
    GroupHub::Repair choose(std::uint64_t number, std::span<const multicast::ChunkRange> ranges,
                            bool writable) override;
    bool uses(RingId ring) override;
    bool write(std::uint64_t number, const OutgoingFrame& repair) override;

    const std::shared_ptr<GroupChannel> channel_;
    const std::shared_ptr<GroupHub> group_;  // shared with all sessions
    std::shared_ptr<GroupHub> hub_;          // for the way that the viewer takes, or is expected to take
    const bool hearsRdma_;
    std::optional<GroupHub::Viewer> viewer_;  // while it is in the group
    std::string moved_;                       // why it has left the group; empty: it has not
    bool toldMoved_ = false;
    bool declined_ = false;  // what it says of frames is of those that were given up
    std::uint64_t framesAlone_ = 0;
    std::uint16_t keyTaken_ = 0;  // the one that this viewer has confirmed
    std::uint16_t keyTold_ = 0;
    RingQueue<LeavingFrame> leaving_;
    RingQueue<std::uint64_t>
        insideLeaving_;  // on their way in the inner path: of which frame; 0: other tracks
    Event room_;         // there is room in the hub's queue
    std::uint64_t groupBytes_ = 0;
    std::uint64_t settledBytes_ = 0;  // of the inner path, when the last frame was over
    StageWait wait_;
    GroupRepairs repairs_;
};

/// Puts the stage around the viewer's connection if it wants frames by the group and the connection can carry
/// repairs. Tells a viewer that may not have them why.
void sendByGroup(PeerConnection& peer, const std::shared_ptr<GroupHub>& hub);

}  // namespace verbcast
