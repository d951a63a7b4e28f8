// A peer without a transport: what the script sends arrives immediately.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/transport/frame_path.h"
#include "core/transport/message_channel.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {

class MemoryChannel final : public TransportChannel {
  public:
    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return -1; }
    Progress process() override { return closeReason_.empty() ? Progress::Idle : Progress::Closed; }
    bool readyToSleep() override { return false; }
    std::uint64_t bytesReceived() const override { return bytes_; }
    Status send(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override { return true; }
    void close() override { hangUp("closed here"); }
    const std::string& closeReason() const override { return closeReason_; }

    // The peer:
    void say(Bytes message);
    void hangUp(const char* why) { closeReason_ = closeReason_.empty() ? why : closeReason_; }
    bool isOpen() const { return closeReason_.empty(); }

  private:
    ConnectionDescription description_{"memory", "here", "there", PeerPlace::ThisUser, ""};
    MessageHandler* handler_ = nullptr;
    std::string closeReason_;
    std::uint64_t bytes_ = 0;
};

class MemoryPath final : public TransportPath {
  public:
    explicit MemoryPath(bool shares) : shares_(shares) {}

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    bool sharesMemory() const override { return shares_; }
    std::optional<Import> reaches(const Memory&) const override { return Import{}; }
    void prepare(const std::shared_ptr<FramePool>&) override {}
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override;
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape, Bytes offer) override;
    void forget(RingId ring) override { std::erase(targets_, ring); }
    Status send(const OutgoingFrame& frame) override;
    std::uint64_t payloadBytesMoved() const override { return moved_; }

    // The peer:
    /// Offers become ready immediately from now on, or with this call.
    void finishOffer(bool atOnceFromNowOn);
    /// A frame begins, or arrives if memory is shared; one that has begun arrives.
    void frame(RingId ring, std::uint32_t slot, const FrameInfo& info);
    /// The oldest of our frames has left.
    void finishSending();

  private:
    struct Offered {
        RingId ring;
        std::shared_ptr<FramePool> pool;
    };
    struct Begun {
        RingId ring;
        std::uint32_t slot;
        FrameInfo info;
        FrameTarget target;
    };

    const bool shares_;
    FrameHandler* handler_ = nullptr;
    std::vector<Offered> offered_;
    std::deque<RingId> unready_;
    bool readyAtOnce_ = true;
    std::optional<RingId> newestOffered_, newestAccepted_;
    std::vector<RingId> targets_;
    std::deque<OutgoingFrame> sending_;
    std::optional<Begun> begun_;
    std::uint64_t moved_ = 0;
};

}  // namespace verbcast::fuzz
