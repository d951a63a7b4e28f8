// Stages around a message channel and a frame path: what a stage does not change goes through it.
#pragma once

#include <memory>
#include <utility>

#include "core/transport/frame_path.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// Forwards every call to the inner channel, and its messages to the stage's handler. A stage overrides what
/// it changes, and there calls ChannelStage's for what the inner channel or the handler is to do.
/// Thread-bound like the inner channel.
class ChannelStage : public MessageChannel, protected MessageHandler {
  public:
    /// `inside`: not null; may be shared with the connection's path.
    explicit ChannelStage(std::shared_ptr<MessageChannel> inside) : inside_(std::move(inside)) {
        inside_->setHandler(this);
    }
    ~ChannelStage() override { inside_->setHandler(nullptr); }
    ChannelStage(const ChannelStage&) = delete;
    ChannelStage& operator=(const ChannelStage&) = delete;

    const std::shared_ptr<MessageChannel>& inside() const { return inside_; }

    const ConnectionDescription& description() const override { return inside_->description(); }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return inside_->waitDescriptor(); }
    Progress process() override { return inside_->process(); }
    bool readyToSleep() override { return inside_->readyToSleep(); }
    void slept(bool readable) override { inside_->slept(readable); }
    bool spinHelps() const override { return inside_->spinHelps(); }
    std::uint64_t bytesReceived() const override { return inside_->bytesReceived(); }
    Status send(std::span<const std::byte> message) override { return inside_->send(message); }
    bool hasRoomToSpare() const override { return inside_->hasRoomToSpare(); }
    void close() override { inside_->close(); }
    void giveUpPeer() override { inside_->giveUpPeer(); }
    const std::string& closeReason() const override { return inside_->closeReason(); }
    SharedRing* sharedRing() override { return inside_->sharedRing(); }

  protected:
    void onMessage(std::span<const std::byte> message) override {
        if (handler_ != nullptr) {
            handler_->onMessage(message);
        }
    }

  private:
    const std::shared_ptr<MessageChannel> inside_;
    MessageHandler* handler_ = nullptr;
};

/// Forwards every call to the inner path, and every event of that to the stage's handler. A stage overrides
/// what it changes, and there calls PathStage's for what the inner path or the handler is to do. One that
/// overrides reaches() overrides import(), too. Thread-bound like the inner path.
class PathStage : public FramePath, protected FrameHandler {
  public:
    /// `inside`: not null; shared with its channel.
    explicit PathStage(std::shared_ptr<FramePath> inside) : inside_(std::move(inside)) {
        inside_->setHandler(this);
    }
    ~PathStage() override { inside_->setHandler(nullptr); }
    PathStage(const PathStage&) = delete;
    PathStage& operator=(const PathStage&) = delete;

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return inside_->waitDescriptor(); }
    Progress poll() override { return inside_->poll(); }
    bool readyToSleep() override { return inside_->readyToSleep(); }
    void slept(bool readable) override { inside_->slept(readable); }
    bool sharesMemory() const override { return inside_->sharesMemory(); }
    bool sinkPlaces(std::uint16_t track) const override { return inside_->sinkPlaces(track); }
    void peerUsesDevice(const std::string& sharingId) override { inside_->peerUsesDevice(sharingId); }
    void useDevice(const std::shared_ptr<const DeviceAllocator>& device) override {
        inside_->useDevice(device);
    }
    std::optional<Import> reaches(const Memory& memory) const override { return inside_->reaches(memory); }
    Import import(const std::shared_ptr<const Memory>& memory) override { return inside_->import(memory); }
    void prepare(const std::shared_ptr<FramePool>& pool) override { inside_->prepare(pool); }
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override {
        inside_->offer(ring, std::move(pool));
    }
    void retire(RingId ring) override { inside_->retire(ring); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override {
        return inside_->accept(ring, shape, offer);
    }
    void forget(RingId ring) override { inside_->forget(ring); }
    std::uint64_t ownRingBytes(const RingShape& shape) const override { return inside_->ownRingBytes(shape); }
    UniqueFd takeDeathSocket(RingId ring) override { return inside_->takeDeathSocket(ring); }
    Status send(const OutgoingFrame& frame) override { return inside_->send(frame); }
    std::uint64_t payloadBytesMoved() const override { return inside_->payloadBytesMoved(); }
    std::uint64_t payloadBytesCopied() const override { return inside_->payloadBytesCopied(); }
    CipherWork cipherWork() const override { return inside_->cipherWork(); }
    bool reachesMany() const override { return inside_->reachesMany(); }
    bool waitsForOthers() const override { return inside_->waitsForOthers(); }
    GroupStats groupStats() const override { return inside_->groupStats(); }

  protected:
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override {
        handler_->onOfferReady(ring, offer);
    }
    void onOfferRefused(RingId ring, const std::string& reason) override {
        handler_->onOfferRefused(ring, reason);
    }
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        return handler_->beginFrame(ring, slot, info);
    }
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        handler_->onFrame(ring, slot, info);
    }
    void onFrameLost(RingId ring, const FrameInfo& info) override { handler_->onFrameLost(ring, info); }
    void onFrameGivenUp() override { handler_->onFrameGivenUp(); }
    void onFrameSent(std::uint32_t localSlot) override { handler_->onFrameSent(localSlot); }

  private:
    const std::shared_ptr<FramePath> inside_;
    FrameHandler* handler_ = nullptr;
};

}  // namespace verbcast
