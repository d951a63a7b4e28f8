// A connected verbs peer. verbs_channel.cpp holds the control path (handshake, pools, closing),
// verbs_datapath.cpp what happens per message and per frame.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/base/unique_fd.h"
#include "core/transport/transport.h"
#include "core/transport/verbs/endpoint.h"
#include "core/transport/verbs/verbs_wire.h"

namespace verbcast {

enum class ConnectionSide { Connecting, Accepting };

class VerbsChannel final : public Channel {
  public:
    /// Takes over an endpoint that is connected (Connecting) or accepted (Accepting). The connecting side
    /// says Hello at once: iWARP forbids the other side to speak first (RFC 5044, 7.1.2), and InfiniBand's
    /// last handshake message may be lost.
    VerbsChannel(std::unique_ptr<Endpoint> endpoint, const Greeting& peer, ConnectionSide side,
                 const VerbsOptions& options);
    /// Lingers at most kLinger for messages that are on their way, then hangs up.
    ~VerbsChannel() override;

    /// Accepting side: true once the peer's Hello has come. Arms the wake-up before it gives false.
    /// Throws Error{Network} when the peer has gone and Error{Peer} when it says something else.
    bool handshake();

    const ChannelDescription& description() const override { return description_; }
    int waitDescriptor() const override { return wait_.get(); }
    Progress process(ChannelHandler& handler) override;
    bool readyToSleep() override;
    std::uint64_t bytesReceived() const override { return bytesReceived_; }
    Status sendMessage(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override;
    bool takesReadOnly(const std::shared_ptr<FramePool>& pool) override;
    void setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    Status sendFrame(const OutgoingFrame& frame) override;
    void close() override;
    const std::string& closeReason() const override { return closeReason_; }

  private:
    static constexpr std::size_t kBatch = 16;

    struct SourcePool {
        std::shared_ptr<FramePool>
            pool;  // shared with the source, which may drop it while a frame is in flight
        SourceRegistration registration;  ///< null while it is being made
    };

    /// A pool that the peer may write into, with the table for its FrameInfos. One table per generation: the
    /// peer may use a new pool before we have read the last infos of the old one.
    struct SinkPool {
        std::uint32_t generation;
        std::shared_ptr<FramePool> pool;  // shared with the session, whose leases outlive this channel
        MemoryRegistration payload;
        RegisteredBuffer infos;
    };

    /// A frame between sendFrame() and onFrameSent().
    struct FrameInFlight {
        std::uint32_t localSlot = 0;
        std::uint32_t localKey = 0;
        std::uint64_t localAddress = 0;
        std::uint64_t remoteAddress = 0;
        std::uint64_t posted = 0;  ///< payload bytes
        std::uint64_t total = 0;
        std::uint32_t remoteKey = 0;
        std::uint32_t infoKey = 0;
        std::uint64_t infoAddress = 0;
        std::uint32_t immediate = 0;
        std::uint32_t noticeIndex = 0;
        std::uint32_t lastSequence = 0;
        bool complete = false;  ///< all posted, lastSequence is valid
        SourcePool source;      ///< without registration: the frame waits for it

        void useRegistration(SourceRegistration registration);
    };

    /// A registration on a thread of its own, because it may take a second.
    struct Registration {
        std::function<void()> use;   ///< on success: what the channel's thread does with it
        std::exception_ptr failure;  ///< for the channel's thread to throw
        std::atomic<bool> done{false};
        std::jthread thread;
    };

    struct HeldMessage {
        MessageKind kind;
        bool ready;  ///< false for the announcement of a pool that is still being registered
        std::vector<std::byte> payload;
    };

    struct BufferInUse {
        std::uint32_t sequence;
        std::uint32_t index;
    };

    // verbs_channel.cpp: control path
    void makeWaitDescriptor();
    void describe();
    void readCmEvents();
    void flushControl();
    void finishClose();
    void shut(const std::string& reason);
    void linger() noexcept;
    void takeCredits(std::uint32_t consumed);
    void failCompletion(const ibv_wc& completion);
    void failPost(int code);

    // verbs_pools.cpp: registering and announcing
    void registerInBackground(std::function<std::function<void()>()> work);
    void takeRegistrations();
    bool registrationWaits() const {
        return !registrations_.empty() && registrations_.front()->done.load(std::memory_order_acquire);
    }
    void useSource(const SourcePool& source);
    void useSink(SinkPool sink);
    void handlePool(std::span<const std::byte> payload, ChannelHandler& handler);
    void dropSinkPoolsBefore(std::uint32_t generation);

    // verbs_datapath.cpp: per message and per frame
    bool handleCompletions(ChannelHandler& handler);
    void handleCompletion(const ibv_wc& completion, ChannelHandler& handler);
    void handleSent(std::uint64_t workId, ChannelHandler& handler);
    void retireChunks(std::uint16_t retired);
    void handleImmediate(const ibv_wc& completion, ChannelHandler& handler);
    void handleMessage(const ibv_wc& completion, ChannelHandler& handler);
    void deliverFrame(std::uint16_t generation, std::uint32_t slot, const FrameInfo* notice,
                      ChannelHandler& handler);
    Status postMessage(MessageKind kind, std::span<const std::byte> payload);
    bool pumpFrames();
    bool pumpFrame(FrameInFlight& frame);
    void prepareNotice(const FrameInFlight& frame, ibv_sge& entry, ibv_send_wr& request);
    std::uint32_t creditsLeft() const { return peer_.messageCredits - (messagesSent_ - peerConsumed_); }
    std::uint32_t sendRoom() const { return sendDepth_ - (postedSequence_ - retiredSequence_); }
    std::uint64_t nextWorkId();

    std::unique_ptr<Endpoint> endpoint_;
    Greeting peer_;
    ConnectionSide side_;
    ChannelDescription description_;
    UniqueFd wait_;

    // Send queue. Sequences count work requests; retired means completed, themselves or by a later signalled
    // one.
    std::uint32_t sendDepth_ = 0;
    std::uint32_t postedSequence_ = 0;
    std::uint32_t retiredSequence_ = 0;
    std::uint32_t signalledSequence_ = 0;
    std::uint32_t chunkBytes_ = 0;
    std::uint16_t chunkWindow_ = 0;  ///< chunks that may be posted and not retired, between these two:
    std::uint16_t smallestWindow_ = 0;
    std::uint16_t largestWindow_ = 0;
    std::uint16_t signalledChunks_ = 0;  ///< one chunk in this many is signalled
    TimestampNs chunkClock_ = 0;         ///< when chunks were last retired; 0 when none were left
    std::uint16_t chunksPosted_ = 0;
    std::uint16_t chunksRetired_ = 0;
    bool useImmediates_ = false;

    // Messages.
    std::uint32_t messagesSent_ = 0;  ///< of those that need a credit, modulo 2^32, like the next three
    std::uint32_t peerConsumed_ = 0;
    std::uint32_t consumed_ = 0;
    std::uint32_t consumedTold_ = 0;
    std::array<std::uint32_t, kSendBuffers> freeBuffers_{};
    std::uint32_t freeBufferCount_ = 0;
    std::array<BufferInUse, kSendBuffers> buffersInUse_{};  ///< a ring in posting order
    std::uint32_t buffersHead_ = 0;
    std::uint32_t buffersTail_ = 0;
    std::array<std::byte, kMaxWireMessageBytes> incoming_{};
    std::uint64_t bytesReceived_ = 0;

    // Frames out: a ring in sending order.
    std::array<FrameInFlight, kFramesInFlight> frames_{};
    std::uint32_t framesHead_ = 0;
    std::uint32_t framesTail_ = 0;
    SourcePool sourcePool_;
    std::optional<PoolAnnouncement> peerPool_;

    // Frames in: oldest generation first.
    std::deque<SinkPool> sinkPools_;

    /// What waits to be sent, in order: announcements, and the session's messages behind one that is not
    /// ready.
    std::deque<HeldMessage> held_;
    TimestampNs nextAlive_ = 0;

    // Registrations under way, in the order in which they were asked for.
    Event registered_;
    std::deque<std::unique_ptr<Registration>> registrations_;

    // Completions that were polled and not handled yet.
    std::array<ibv_wc, kBatch> batch_{};
    std::size_t batchNext_ = 0;
    std::size_t batchCount_ = 0;

    // From the handshake to the end.
    bool awaitingHello_ = false;
    TimestampNs nextCmCheck_ = 0;
    bool slept_ = false;            // since the last look at rdma_cm, which may have ended that sleep
    std::string disconnectReason_;  ///< rdma_cm said so; what arrived before is still delivered
    bool closeRequested_ = false;
    bool closeSent_ = false;
    std::uint32_t closeSequence_ = 0;
    bool closed_ = false;
    std::string closeReason_;
};

}  // namespace verbcast
