// Messages over the control connection, which never wait behind pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/transport/epoll_set.h"
#include "core/transport/message_channel.h"
#include "core/transport/tcp/news.h"
#include "core/transport/tcp/tcp_connection.h"

namespace verbcast::tcp {

/// What the peer said last is still read after the connection has otherwise ended, up to kMaxLastWords bytes:
/// for example why it refuses.
inline constexpr std::size_t kMaxLastWords = 64U << 10;
/// Messages that one process() call delivers.
inline constexpr int kMaxMessagesPerTurn = 64;

class TcpChannel final : public TransportChannel {
  public:
    /// Shared with the connection's path. Throws Error{Resource} when there are no descriptors left.
    explicit TcpChannel(std::shared_ptr<TcpConnection> connection);
    ~TcpChannel() override;

    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return watch_.descriptor(); }
    Progress process() override;
    bool readyToSleep() override;
    void slept(bool readable) override { news_.slept(readable); }
    bool spinHelps() const override { return false; }
    std::uint64_t bytesReceived() const override { return connection_->bytesReceived(); }
    Status send(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override;
    void close() override;
    const std::string& closeReason() const override { return connection_->closeReason(); }

  private:
    bool flush();
    bool mustLook();
    bool receive();
    bool read();
    std::span<const std::byte> nextMessage();
    bool holdsMessage() const;

    std::shared_ptr<TcpConnection> connection_;
    ConnectionDescription description_;
    MessageHandler* handler_ = nullptr;
    SocketWatch watch_;
    News news_;
    bool hungUp_ = false;  // nothing more can be said or heard
    bool heard_ = false;   // the peer has sent a message
    std::size_t lastWords_ = 0;
    int piecesSince_ = 0;  // the last look for messages

    std::vector<std::byte> out_;
    std::size_t outSent_ = 0;
    std::vector<std::byte> in_;  // of fixed size; [begin, end) was read and not yet delivered
    std::size_t inBegin_ = 0;
    std::size_t inEnd_ = 0;
};

}  // namespace verbcast::tcp
