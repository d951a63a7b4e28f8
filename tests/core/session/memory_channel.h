// Two message channels in one process: messages wait until the other side processes them, and a test may
// inspect, change or drop them in transit.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/transport/message_channel.h"

namespace verbcast::testing {

class MemoryChannel final : public TransportChannel {
  public:
    using Message = std::vector<std::byte>;

    static std::pair<std::shared_ptr<MemoryChannel>, std::shared_ptr<MemoryChannel>> pair() {
        auto one = std::make_shared<MemoryChannel>();
        auto other = std::make_shared<MemoryChannel>();
        one->out = other->in;
        other->out = one->in;
        return {one, other};
    }

    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return -1; }
    Progress process() override {
        if (in->empty()) {
            return Progress::Idle;
        }
        const Message message = std::move(in->front());
        in->pop_front();
        handler_->onMessage(message);
        return Progress::Worked;
    }
    bool readyToSleep() override { return in->empty(); }
    std::uint64_t bytesReceived() const override { return 0; }
    Status send(std::span<const std::byte> message) override {
        if (out->size() >= room) {
            return Status::Busy;
        }
        out->emplace_back(message.begin(), message.end());
        return Status::Ok;
    }
    bool hasRoomToSpare() const override { return out->size() < room / 2; }
    void close() override {}
    const std::string& closeReason() const override { return closeReason_; }

    std::shared_ptr<std::deque<Message>> in = std::make_shared<std::deque<Message>>();  // shared by both ends
    std::shared_ptr<std::deque<Message>> out;
    std::size_t room = 1000;

  private:
    ConnectionDescription description_{"memory", "here", "there", PeerPlace::ThisUser, ""};
    MessageHandler* handler_ = nullptr;
    std::string closeReason_;
};

}  // namespace verbcast::testing
