// What the two ends of a connectionless endpoint exchange over their socket: see ofi_rdm.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace verbcast {

struct OfiHello {
    bool isRefusal = false;
    std::string provider;
    std::vector<std::byte> endpoint;
    std::vector<std::byte> greeting;  ///< in a refusal: the reason
};

/// Writes it at once: a socket that has sent nothing else has room for it. Throws Error{Network}.
void sendHello(int socket, const OfiHello& hello);

/// Reads a hello piece by piece. Thread-bound.
class OfiHelloReader {
  public:
    /// The hello once it is complete. Does not block. Throws Error{Peer} for anything else and Error{Network}
    /// if the peer has gone.
    std::optional<OfiHello> read(int socket);

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace verbcast
