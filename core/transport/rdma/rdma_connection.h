// An RDMA peer, over any port: the messages, and the connection's life from the handshake to the end. Frames
// are handled by rdma_frame_path.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/os/clock.h"
#include "core/transport/epoll_set.h"
#include "core/transport/message_channel.h"
#include "core/transport/rdma/background_tasks.h"
#include "core/transport/rdma/message_credits.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_frame_path.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/receive_ring.h"
#include "core/transport/rdma/send_queue.h"
#include "core/transport/rdma/voucher.h"
#include "core/transport/transport.h"

namespace verbcast {

enum class ConnectionSide { Connecting, Accepting };

struct RdmaConnectionOptions {
    std::string scheme;      ///< for description()
    bool immediates = true;  ///< use them if both ends can
};

class RdmaConnection final : public TransportChannel {
  public:
    /// Takes over an opened queue: posts its receives and begins. Throws Error{Resource, Device, Network}.
    RdmaConnection(std::unique_ptr<QueuePort> port, ConnectionSide side,
                   const RdmaConnectionOptions& options);
    /// Waits at most kLinger for messages in flight, unless the peer was given up, then hangs up.
    ~RdmaConnection() override;

    /// True once messages and frames may travel; only then may the other functions be called. Arms the
    /// wake-up before it returns false. Throws Error{Network} if the peer has gone, Error{Peer} if it refuses
    /// or sends anything but a handshake.
    ///
    /// The connecting side says Hello first: iWARP forbids the other side to speak first (RFC 5044, 7.1.2),
    /// and InfiniBand's last handshake message may be lost.
    bool handshake();

    /// Its two parts, which share ownership of it.
    static Connection share(std::unique_ptr<RdmaConnection> connection);

    std::string peerAddress() const { return port_->peerAddress(); }

    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return wait_.descriptor(); }
    Progress process() override;
    bool readyToSleep() override { return !state_.closing && armed(); }
    void slept(bool readable) override {
        slept_ = readable;
        stillArmed_ = !readable && port_->limits().staysArmed;
    }
    std::uint64_t bytesReceived() const override { return bytesReceived_; }
    Status send(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override {
        return credits_.halfLeft() && queue_.room() > kRoomForMessages && queue_.halfOfBuffersFree();
    }
    void close() override;
    void giveUpPeer() override {
        awaitsHangUp_ = false;
        gaveUp_ = true;
    }
    const std::string& closeReason() const override { return closeReason_; }

  private:
    static constexpr std::size_t kBatch = 16;

    std::string listenerAddress() const;
    void open(const RdmaGreeting& peer);
    PeerPlace placeOf(const VoucherSecret& peer) const;
    Progress advance();
    bool armed();
    bool handleCompletions();
    bool endsHandshake(const Completion& completion) const;
    void handleCompletion(const Completion& completion);
    void handleMessage(const Completion& completion);
    void dispatch(const MessageHeader& header, std::span<const std::byte> payload);
    void fail(const Completion& completion);
    Status postMessage(MessageKind kind, std::span<const std::byte> payload);
    void flushControl();
    void finishClose();
    void shut(const std::string& reason);
    void linger() noexcept;

    const RdmaConnectionOptions options_;
    const ConnectionSide side_;
    const std::unique_ptr<QueuePort> port_;  // first: everything below registers memory with it
    EpollSet wait_{"an RDMA connection"};
    ReceiveRing receives_;
    SendQueue queue_;
    MessageCredits credits_;
    std::optional<Voucher> voucher_;  ///< for a peer on this machine
    RdmaLinkState state_;
    BackgroundTasks tasks_;
    std::optional<RdmaFramePath> frames_;  ///< set once both greetings are known
    ConnectionDescription description_;
    MessageHandler* handler_ = nullptr;
    std::array<std::byte, kMaxWireMessageBytes> incoming_{};
    std::uint64_t bytesReceived_ = 0;

    // Completions polled but not yet handled.
    std::array<Completion, kBatch> batch_{};
    std::size_t batchNext_ = 0;
    std::size_t batchCount_ = 0;

    bool handshaking_ = true;  ///< until our Hello has left, or the peer's has come
    std::uint32_t helloSequence_ = 0;
    int idleRounds_ = 0;  ///< since the last check of the peer
    bool stillArmed_ = false;
    bool slept_ = false;                          ///< since then; the peer may have caused the wake-up
    std::optional<std::uint32_t> closeSequence_;  ///< of our Close, once it is sent
    bool awaitsHangUp_;                           ///< of the peer, before we hang up
    bool gaveUp_ = false;                         ///< linger() does not wait
    std::string closeReason_;
};

}  // namespace verbcast
