#include "core/transport/rdma/ofi/ofi_hello.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "core/base/wire.h"
#include "core/transport/rdma/rdma_wire.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMagic = 0x4f434256;  // "VBCO"
constexpr std::uint16_t kHello = 1;
constexpr std::uint16_t kRefusal = 2;
constexpr std::size_t kHeadBytes = 12;
constexpr std::size_t kMaxNameBytes = 512;

}  // namespace

void sendHello(int socket, const OfiHello& hello) {
    ByteWriter writer;
    writer.put(kMagic);
    writer.put(hello.isRefusal ? kRefusal : kHello);
    writer.put(static_cast<std::uint16_t>(hello.provider.size()));
    writer.put(static_cast<std::uint16_t>(hello.endpoint.size()));
    writer.put(static_cast<std::uint16_t>(hello.greeting.size()));
    writer.putBytes(std::as_bytes(std::span(hello.provider)));
    writer.putBytes(hello.endpoint);
    writer.putBytes(hello.greeting);
    const auto bytes = writer.bytes();
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != static_cast<ssize_t>(bytes.size())) {
        throwErrno(ErrorKind::Network, "send", "the peer's socket", sent < 0 ? errno : EAGAIN);
    }
}

std::optional<OfiHello> OfiHelloReader::read(int socket) {
    std::size_t wanted = kHeadBytes;
    while (true) {
        if (bytes_.size() >= kHeadBytes) {
            ByteReader head(bytes_);
            const auto magic = head.get<std::uint32_t>();
            const auto kind = head.get<std::uint16_t>();
            const std::size_t provider = head.get<std::uint16_t>();
            const std::size_t endpoint = head.get<std::uint16_t>();
            const std::size_t greeting = head.get<std::uint16_t>();
            if (magic != kMagic || (kind != kHello && kind != kRefusal) || provider > kMaxNameBytes ||
                endpoint > kMaxNameBytes || greeting > kMaxPrivateBytes) {
                throw Error(ErrorKind::Peer, "the peer is no Verbcast that listens for ofi://");
            }
            wanted = kHeadBytes + provider + endpoint + greeting;
            if (bytes_.size() == wanted) {
                const auto name = head.getBytes(provider);
                const auto address = head.getBytes(endpoint);
                const auto rest = head.getBytes(greeting);
                return OfiHello{.isRefusal = kind == kRefusal,
                                .provider = {reinterpret_cast<const char*>(name.data()), name.size()},
                                .endpoint = {address.begin(), address.end()},
                                .greeting = {rest.begin(), rest.end()}};
            }
        }
        std::array<std::byte, 256> buffer;
        const ssize_t got =
            ::recv(socket, buffer.data(), std::min(buffer.size(), wanted - bytes_.size()), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return std::nullopt;
        }
        if (got <= 0) {
            throw Error(ErrorKind::Network, got == 0 ? "the peer hung up" : errnoText(errno));
        }
        bytes_.insert(bytes_.end(), buffer.begin(), buffer.begin() + got);
    }
}

}  // namespace verbcast
