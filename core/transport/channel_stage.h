// A stage around a message channel: what it does not change goes through it.
#pragma once

#include <memory>
#include <utility>

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

}  // namespace verbcast
