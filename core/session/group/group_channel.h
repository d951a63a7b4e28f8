// A channel that handles messages about a group and passes everything else on: a stage between a session and
// its connection.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/session/group/group_messages.h"
#include "core/transport/message_channel.h"

namespace verbcast {

class GroupHearer {
  public:
    virtual ~GroupHearer() = default;
    /// A message of the peer, of a type in group_messages.h. Throws Error{Peer} if it breaks the protocol.
    virtual void onGroupMessage(MessageType type, ByteReader& reader) = 0;
    /// A message of any other type that comes from, or goes to, the peer.
    virtual void onArriving(std::span<const std::byte> /*message*/) {}
    virtual void onLeaving(std::span<const std::byte> /*message*/) {}
};

/// Thread-bound like the inner channel.
class GroupChannel final : public MessageChannel, private MessageHandler {
  public:
    /// `group`: as users write it, for the description.
    GroupChannel(std::shared_ptr<MessageChannel> inside, const std::string& group)
        : inside_(std::move(inside)), description_(inside_->description()) {
        description_.detail +=
            (description_.detail.empty() ? "frames by multicast " : "; frames by multicast ") + group;
        inside_->setHandler(this);
    }
    ~GroupChannel() override { inside_->setHandler(nullptr); }

    /// Null: nobody.
    void setHearer(GroupHearer* hearer) { hearer_ = hearer; }
    /// Handles the message and returns true if it is about a group.
    bool hear(std::span<const std::byte> message) {
        if (message.empty()) {
            return false;
        }
        const MessageType type{std::to_integer<std::uint8_t>(message.front())};
        if (type < kFirstGroupMessage || type > kLastGroupMessage) {
            if (hearer_ != nullptr) {
                hearer_->onArriving(message);
            }
            return false;
        }
        if (hearer_ != nullptr) {
            ByteReader reader(message.subspan(1));
            hearer_->onGroupMessage(type, reader);
        }
        return true;
    }
    /// The connection counts as lost from now on: its group no longer carries frames.
    void lose(const std::string& reason) { lost_ = reason; }
    bool isLost() const { return !lost_.empty(); }
    /// Returns false if the channel is full or the connection has ended.
    template <typename Message>
    bool tell(const Message& message) {
        std::array<std::byte, kMaxEncodedBytes> buffer;
        return inside_->send(encodeInto(buffer, message)) == Status::Ok;
    }

    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return inside_->waitDescriptor(); }
    Progress process() override { return isLost() ? Progress::Closed : inside_->process(); }
    bool readyToSleep() override { return !isLost() && inside_->readyToSleep(); }
    bool spinHelps() const override { return inside_->spinHelps(); }
    std::uint64_t bytesReceived() const override { return inside_->bytesReceived(); }
    Status send(std::span<const std::byte> message) override {
        if (hearer_ != nullptr) {
            hearer_->onLeaving(message);
        }
        return inside_->send(message);
    }
    bool hasRoomToSpare() const override { return inside_->hasRoomToSpare(); }
    void close() override { inside_->close(); }
    const std::string& closeReason() const override { return isLost() ? lost_ : inside_->closeReason(); }

  private:
    void onMessage(std::span<const std::byte> message) override {
        if (!hear(message) && handler_ != nullptr) {
            handler_->onMessage(message);
        }
    }

    const std::shared_ptr<MessageChannel> inside_;  // may be shared with the connection's path
    ConnectionDescription description_;
    MessageHandler* handler_ = nullptr;
    GroupHearer* hearer_ = nullptr;
    std::string lost_;
};

}  // namespace verbcast
