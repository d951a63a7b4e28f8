// A channel that handles messages about a group and passes everything else on: a stage between a session and
// its connection.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/multicast/group_messages.h"
#include "core/transport/stages.h"

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

class GroupChannel final : public ChannelStage {
  public:
    /// `group`: as users write it, for the description.
    GroupChannel(std::shared_ptr<MessageChannel> inside, const std::string& group)
        : ChannelStage(std::move(inside)), description_(ChannelStage::description()) {
        description_.detail +=
            (description_.detail.empty() ? "frames by multicast " : "; frames by multicast ") + group;
    }

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
        return ChannelStage::send(encodeInto(buffer, message)) == Status::Ok;
    }

    const ConnectionDescription& description() const override { return description_; }
    Progress process() override { return isLost() ? Progress::Closed : ChannelStage::process(); }
    bool readyToSleep() override { return !isLost() && ChannelStage::readyToSleep(); }
    Status send(std::span<const std::byte> message) override {
        if (hearer_ != nullptr) {
            hearer_->onLeaving(message);
        }
        return ChannelStage::send(message);
    }
    const std::string& closeReason() const override { return isLost() ? lost_ : ChannelStage::closeReason(); }

  private:
    void onMessage(std::span<const std::byte> message) override {
        if (!hear(message)) {
            ChannelStage::onMessage(message);
        }
    }

    ConnectionDescription description_;
    GroupHearer* hearer_ = nullptr;
    std::string lost_;
};

}  // namespace verbcast
