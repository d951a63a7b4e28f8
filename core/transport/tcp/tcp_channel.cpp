#include "core/transport/tcp/tcp_channel.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "core/transport/message_channel.h"
#include "core/transport/socket_address.h"
#include "core/transport/socket_owner.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::tcp {
namespace {

// Messages are small and few; more unsent data than this means that the peer no longer reads.
constexpr std::size_t kMaxBacklog = 256U << 10;
constexpr std::size_t kInBytes = 16U << 10;
static_assert(kInBytes >= 2 * (sizeof(ControlHeader) + kMaxMessageBytes));
constexpr int kPiecesBetweenLooks = 2;  // each comes within half a millisecond

PeerPlace placeOf(const SocketAddress& peer, const SocketAddress& local) {
    if (!isLocalAddress(peer)) {
        return PeerPlace::OtherHost;
    }
    return isOfThisUser(peer, local) ? PeerPlace::ThisUser : PeerPlace::OtherUser;
}

ConnectionDescription describe(const TcpConnection& connection) {
    int mss = 0;
    socklen_t length = sizeof mss;
    ::getsockopt(connection.data(), IPPROTO_TCP, TCP_MAXSEG, &mss, &length);
    const SocketAddress local = localAddressOf(connection.control());
    const SocketAddress peer = peerAddressOf(connection.control());
    return {.transport = "tcp",
            .local = local.text(),
            .peer = peer.text(),
            .place = placeOf(peer, local),
            .detail = fmt::format("two connections, MSS {}", mss)};
}

}  // namespace

TcpChannel::TcpChannel(std::shared_ptr<TcpConnection> connection)
    : connection_(std::move(connection)),
      description_(describe(*connection_)),
      watch_(connection_->control()),
      in_(kInBytes) {}

TcpChannel::~TcpChannel() {
    // The path may outlive the channel, but not the connection.
    connection_->hangUp("closed here");
}

Progress TcpChannel::process() {
    if (hungUp_) {
        return Progress::Closed;
    }
    bool worked = !connection_->ended() && flush();
    if (mustLook()) {
        worked |= receive();  // exceptions are for the owner to answer, before it hangs up
    }
    if (connection_->ended() && (!worked || lastWords_ > kMaxLastWords)) {
        hungUp_ = true;
        connection_->hangUp(connection_->closeReason());
    }
    return hungUp_ ? Progress::Closed : worked ? Progress::Worked : Progress::Idle;
}

bool TcpChannel::mustLook() {
    // While a frame pours in, messages can wait for a few pieces of it.
    const bool flows = connection_->takeFlow();
    if (connection_->ended() || holdsMessage()) {
        return true;
    }
    if (flows && ++piecesSince_ < kPiecesBetweenLooks) {
        return false;
    }
    piecesSince_ = 0;
    return news_.expected();
}

bool TcpChannel::readyToSleep() {
    if (connection_->ended() || holdsMessage()) {
        return false;
    }
    // Level-triggered: anything that arrived in the meantime makes the descriptor readable at once.
    watch_.wantRoom(!out_.empty());
    return true;
}

Status TcpChannel::send(std::span<const std::byte> message) {
    if (message.empty() || message.size() > kMaxMessageBytes) {
        throw Error(ErrorKind::Internal, fmt::format("a message of {} bytes", message.size()));
    }
    if (connection_->ended()) {
        return Status::Closed;
    }
    if (out_.size() - outSent_ > kMaxBacklog) {
        return Status::Busy;
    }
    const ControlHeader header{kControlMagic, static_cast<std::uint32_t>(message.size())};
    const auto head = std::as_bytes(std::span(&header, 1));
    out_.insert(out_.end(), head.begin(), head.end());
    out_.insert(out_.end(), message.begin(), message.end());
    flush();
    return Status::Ok;
}

bool TcpChannel::hasRoomToSpare() const {
    return out_.size() - outSent_ < kMaxBacklog / 2;
}

bool TcpChannel::flush() {
    if (out_.empty()) {
        return false;
    }
    const auto sent = ::send(connection_->control(), out_.data() + outSent_, out_.size() - outSent_,
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            connection_->end("sending: " + errnoText(errno));
        }
        return false;
    }
    outSent_ += static_cast<std::size_t>(sent);
    if (outSent_ == out_.size()) {
        out_.clear();
        outSent_ = 0;
    } else if (outSent_ > out_.size() / 2) {
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(outSent_));
        outSent_ = 0;
    }
    return true;
}

bool TcpChannel::receive() {
    if (!holdsMessage() && !read()) {
        return false;
    }
    for (int count = 0; count < kMaxMessagesPerTurn && !hungUp_; ++count) {
        const auto message = nextMessage();
        if (message.empty()) {
            break;
        }
        handler_->onMessage(message);
    }
    return true;
}

bool TcpChannel::read() {
    // Less than one message is left over: there is room for the rest of it.
    std::memmove(in_.data(), in_.data() + inBegin_, inEnd_ - inBegin_);
    inEnd_ -= std::exchange(inBegin_, 0);
    const std::size_t room = in_.size() - inEnd_;
    const auto got = ::recv(connection_->control(), in_.data() + inEnd_, room, MSG_DONTWAIT);
    if (got < static_cast<std::int64_t>(room)) {
        news_.exhausted();
    }
    if (const std::string failure = receiveFailure(got, errno); !failure.empty()) {
        connection_->end(failure);
    }
    if (got <= 0) {
        return false;
    }
    inEnd_ += static_cast<std::size_t>(got);
    lastWords_ += connection_->ended() ? static_cast<std::size_t>(got) : 0;
    connection_->addReceived(static_cast<std::uint64_t>(got));
    return true;
}

bool TcpChannel::holdsMessage() const {
    ControlHeader header;
    if (inEnd_ - inBegin_ < sizeof header) {
        return false;
    }
    std::memcpy(&header, in_.data() + inBegin_, sizeof header);
    // Also true for an invalid header: nextMessage() rejects it.
    return header.magic != kControlMagic || header.length > kMaxMessageBytes ||
           inEnd_ - inBegin_ - sizeof header >= header.length;
}

std::span<const std::byte> TcpChannel::nextMessage() {
    if (!holdsMessage()) {
        return {};
    }
    ControlHeader header;
    std::memcpy(&header, in_.data() + inBegin_, sizeof header);
    if (header.magic != kControlMagic && !heard_) {
        throw NotVerbcast();
    }
    if (header.magic != kControlMagic || header.length == 0 || header.length > kMaxMessageBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer announces a message of {} bytes; 1 to {} expected",
                                                 header.length, kMaxMessageBytes));
    }
    const auto message = std::span<const std::byte>(in_).subspan(inBegin_ + sizeof header, header.length);
    inBegin_ += sizeof header + header.length;
    heard_ = true;
    return message;
}

void TcpChannel::close() {
    if (!hungUp_) {
        if (!connection_->ended()) {
            flush();
        }
        hungUp_ = true;
        connection_->hangUp("closed here");
    }
}

}  // namespace verbcast::tcp
