// The viewer's side of a session whose frames come by a group: a stage around the path of its own connection,
// over which it requests and gets what was lost on the way.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/greeting/guest.h"
#include "core/session/group/frame_assembly.h"
#include "core/session/group/group_channel.h"
#include "core/session/group/stage_wait.h"
#include "core/session/trust/datagram_seal.h"
#include "core/stats/group_stats.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/ud_group.h"

namespace verbcast {

/// Frames of the main track come by the group, into any slot that the sender was given. Thread-bound like the
/// inner path.
///
/// Payload copies: by UDP one, by the kernel, from its buffers into the slot where the next chunk is
/// expected. Chunks that arrive otherwise (behind a loss) are moved once more, and so are encrypted ones. By
/// RDMA one, from the receive ring, and another one for encrypted chunks.
class GroupSinkPath final : public FramePath, private FrameHandler, private GroupHearer {
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

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return wait_.descriptor(); }
    Progress poll() override;
    bool readyToSleep() override;
    std::optional<Import> reaches(const Memory& memory) const override { return inside_->reaches(memory); }
    Import import(const std::shared_ptr<const Memory>& memory) override { return inside_->import(memory); }
    void prepare(const std::shared_ptr<FramePool>& pool) override { inside_->prepare(pool); }
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override;
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override {
        return inside_->accept(ring, shape, offer);
    }
    void forget(RingId ring) override { inside_->forget(ring); }
    std::uint64_t ownRingBytes(const RingShape& shape) const override { return inside_->ownRingBytes(shape); }
    Status send(const OutgoingFrame& frame) override { return inside_->send(frame); }
    std::uint64_t payloadBytesMoved() const override { return inside_->payloadBytesMoved() + stats_.bytes; }
    std::uint64_t payloadBytesCopied() const override { return inside_->payloadBytesCopied() + copied_; }
    CipherWork cipherWork() const override { return inside_->cipherWork(); }
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
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override {
        handler_->onOfferReady(ring, offer);
    }
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrameSent(std::uint32_t localSlot) override { handler_->onFrameSent(localSlot); }
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
    FrameHandler* handler_ = nullptr;
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
    const std::shared_ptr<FramePath> inside_;  // shared with its channel
    StageWait wait_;
    BackgroundTasks opening_;  // last: its destructor waits
};

/// Hello::features of a viewer of that group. Throws Error{Device} if the address says via=rdma and there is
/// no device for it.
std::uint64_t featuresOfViewer(const multicast::GroupAddress& group);

/// Puts the stage around the connection of a viewer that asked for the group. Throws Error{Network} if the
/// sender has none.
void receiveByGroup(Guest& guest, const multicast::GroupAddress& group);

}  // namespace verbcast
