#include "core/transport/rdma/voucher.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/transport/rdma/rdma_connection.h"
#include "core/transport/socket_owner.h"

namespace verbcast {
namespace {

constexpr std::string_view kName = "verbcast-voucher-";

SocketAddress nameOf(const VoucherSecret& secret, ConnectionSide side, const std::string& listener) {
    std::vector<std::byte> words(secret.begin(), secret.end());
    words.push_back(static_cast<std::byte>(side));
    std::ranges::copy(std::as_bytes(std::span(listener)), std::back_inserter(words));
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int bytes = 0;
    if (EVP_Digest(words.data(), words.size(), digest.data(), &bytes, EVP_sha256(), nullptr) != 1) {
        throw Error(ErrorKind::Internal, "SHA-256 is not available in this build of OpenSSL");
    }
    std::string text{kName};
    for (const unsigned char byte : std::span(digest).first(bytes)) {
        text += fmt::format("{:02x}", byte);
    }
    return abstractAddress(text);
}

}  // namespace

Voucher::Voucher(ConnectionSide side, const std::string& listener)
    : socket_(openSocket(AF_UNIX, SOCK_SEQPACKET, listener)) {
    if (::getentropy(secret_.data(), secret_.size()) != 0) {
        throwErrno(ErrorKind::Resource, "getentropy", listener, errno);
    }
    const SocketAddress name = nameOf(secret_, side, listener);
    if (::bind(socket_.get(), name.get(), name.length) != 0 || ::listen(socket_.get(), SOMAXCONN) != 0) {
        throwErrno(ErrorKind::Resource, "listening on a Unix socket", listener, errno);
    }
}

bool isOfThisUser(const VoucherSecret& secret, ConnectionSide peerSide, const std::string& listener) {
    const SocketAddress name = nameOf(secret, peerSide, listener);
    const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || ::connect(socket.get(), name.get(), name.length) != 0) {
        return false;
    }
    // The user who called listen(): nobody needs to accept.
    const auto owner = processAt(socket.get());
    return owner && isThisUser(owner->uid);
}

}  // namespace verbcast
