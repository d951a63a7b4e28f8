// Who owns a peer process on this machine: RDMA devices cannot tell, but the kernel knows who owns a Unix
// socket.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

enum class ConnectionSide;

/// Random bytes that one side sends the peer when they connect, and to nobody else.
using VoucherSecret = std::array<std::byte, 16>;

/// Proves to one peer on this machine which user this process runs as. As long as it lives, a socket listens
/// in the abstract namespace (unix(7)); only somebody who knows the secret can derive its name, a hash, since
/// the names themselves are listed for all users. The hash covers our side and the address called, so that a
/// peer cannot pass the secret off as its own, neither to another listener nor to a caller of its own.
class Voucher {
  public:
    /// `listener`: the address of the listening side, as both sides know it ("10.77.0.1:7423"). Throws
    /// Error{Resource} if there is no descriptor for it.
    Voucher(ConnectionSide side, const std::string& listener);
    const VoucherSecret& secret() const { return secret_; }

  private:
    VoucherSecret secret_{};
    UniqueFd socket_;
};

/// Whether a peer on that side holds the Voucher with this secret and runs as the same user as this process.
/// Takes a few microseconds.
bool isOfThisUser(const VoucherSecret& secret, ConnectionSide peerSide, const std::string& listener);

}  // namespace verbcast
