#include "core/transport/tcp/half_open.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"
#include "core/base/wire.h"

namespace verbcast::tcp {

std::optional<HalfOpenCallers::Pair> HalfOpenCallers::add(UniqueFd socket, const SocketAddress& from) {
    const std::string host = from.host();
    makeRoomFor(host);
    epoll_.add(socket.get());
    callers_.push_back({std::move(socket), host, {}, 0, nowNs()});
    auto pair = hear(callers_.end() - 1);  // usually its preamble has come with it
    setTimer();
    return pair;
}

std::optional<HalfOpenCallers::Pair> HalfOpenCallers::ready(int socket) {
    const auto caller =
        std::ranges::find(callers_, socket, [](const Caller& each) { return each.socket.get(); });
    auto pair = caller == callers_.end() ? std::nullopt : hear(caller);
    setTimer();
    return pair;
}

void HalfOpenCallers::expire() {
    const TimestampNs now = nowNs();
    while (!callers_.empty() && now - callers_.front().since >= kPairingDeadlineNs) {
        drop(callers_.begin(), "its second connection did not come in time");
    }
    setTimer();
}

std::optional<HalfOpenCallers::Pair> HalfOpenCallers::hear(Callers::iterator caller) {
    if (caller->complete()) {
        drop(caller, "it hung up");  // that is the only event still watched
        return std::nullopt;
    }
    if (!readPreamble(*caller)) {
        warnOfPeer(LogCategory::Tcp, "another protocol", caller->host,
                   "{} does not speak this version's tcp protocol; dropped", caller->host);
        tellOtherVersion(*caller);
        drop(caller, "another protocol");
        return std::nullopt;
    }
    return caller->complete() ? findPartner(caller) : std::nullopt;
}

/// The previous version of Verbcast frames its messages differently, and shows users the text of a refusal.
void HalfOpenCallers::tellOtherVersion(const Caller& caller) {
    constexpr std::array<char, 8> kMagicBefore = {'V', 'B', 'C', 'T', 'T', 'C', 'P', '1'};
    if (!caller.complete() || caller.preamble.magic != kMagicBefore ||
        caller.preamble.kind != StreamKind::Control) {
        return;
    }
    constexpr std::uint8_t kRefuse = 2;
    constexpr std::uint16_t kOtherVersion = 1;
    constexpr std::uint32_t kSessionMessage = 1;
    const std::string why =
        "the peer speaks an older version of the tcp protocol: use the same version of verbcast on both "
        "sides";
    const auto bytes = static_cast<std::uint32_t>(sizeof kRefuse + sizeof kOtherVersion + 2 + why.size());
    std::array<std::byte, 256> buffer;
    WireWriter writer(buffer);
    writer(bytes, kSessionMessage, kRefuse, kOtherVersion, why);
    [[maybe_unused]] const auto sent = ::send(caller.socket.get(), writer.bytes().data(),
                                              writer.bytes().size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool HalfOpenCallers::readPreamble(Caller& caller) {
    auto* bytes = reinterpret_cast<std::byte*>(&caller.preamble);
    const auto got = ::recv(caller.socket.get(), bytes + caller.received,
                            sizeof caller.preamble - caller.received, MSG_DONTWAIT);
    if (got <= 0) {
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    caller.received += static_cast<std::size_t>(got);
    return !caller.complete() ||
           (caller.preamble.magic == kMagic &&
            (caller.preamble.kind == StreamKind::Control || caller.preamble.kind == StreamKind::Data));
}

std::optional<HalfOpenCallers::Pair> HalfOpenCallers::findPartner(Callers::iterator caller) {
    const auto partner = std::ranges::find_if(callers_, [&](const Caller& other) {
        return other.complete() && other.preamble.token == caller->preamble.token &&
               other.preamble.kind != caller->preamble.kind;
    });
    if (partner == callers_.end()) {
        // Whatever it sends now belongs to the future connection, and must not wake the listener.
        epoll_.change(caller->socket.get(), EPOLLRDHUP);
        return std::nullopt;
    }
    for (const auto& half : {caller, partner}) {
        epoll_.remove(half->socket.get());
    }
    const bool isControl = caller->preamble.kind == StreamKind::Control;
    Pair pair{std::move((isControl ? caller : partner)->socket),
              std::move((isControl ? partner : caller)->socket)};
    std::erase_if(callers_, [](const Caller& each) { return !each.socket; });
    return pair;
}

void HalfOpenCallers::drop(Callers::iterator caller, const char* why) {
    tellOfPeer(LogCategory::Tcp, why, caller->host, "a caller from {} is dropped: {}", caller->host, why);
    callers_.erase(caller);  // closing the socket removes it from the epoll set
}

void HalfOpenCallers::makeRoomFor(const std::string& host) {
    const auto out = callerToDrop(callers_, host, kHalfOpenLimits, [](const Caller& caller) {
        return caller.complete() ? 1 : 0;  // callers that have said nothing go first
    });
    if (out != callers_.end()) {
        drop(out, "too many are waiting");
    }
}

void HalfOpenCallers::setTimer() {
    timer_.set(callers_.empty() ? 0 : callers_.front().since + kPairingDeadlineNs);
}

}  // namespace verbcast::tcp
