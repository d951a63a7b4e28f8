// Callers of a tcp listener that are not complete yet: each peer opens two connections, which find each other
// by their token. Strangers are held to a bounded number, memory and time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/unique_fd.h"
#include "core/transport/socket_address.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::tcp {

/// Connections that have not found their other half: in all, and from one address.
inline constexpr std::size_t kMaxHalfOpen = 64;
inline constexpr std::size_t kMaxHalfOpenPerHost = 16;
inline constexpr TimestampNs kPairingDeadlineNs = 2'000'000'000;

/// Thread-bound with its listener, whose epoll descriptor gets what it waits for: bytes of preambles that are
/// not complete, and a timer for callers whose time is over. A half that waits for its partner wakes nobody
/// with what it sends, only by hanging up.
class HalfOpenCallers {
  public:
    struct Pair {
        UniqueFd control;
        UniqueFd data;
    };

    /// `epoll` outlives this object. Throws Error{Resource} when there are no descriptors left.
    explicit HalfOpenCallers(int epoll);

    int timer() const { return timer_.get(); }

    /// A new caller; when there are too many, another is dropped: the oldest of the most demanding address.
    /// The pair that it completes, if any.
    std::optional<Pair> add(UniqueFd socket, const SocketAddress& from);
    /// The socket was reported by epoll; others than those in here are ignored.
    std::optional<Pair> ready(int socket);
    /// Drops those whose time is over.
    void expire();

  private:
    struct Caller {
        UniqueFd socket;
        std::string host;
        Preamble preamble{};
        std::size_t received = 0;
        TimestampNs since = 0;
        bool complete() const { return received == sizeof preamble; }
    };
    using Callers = std::vector<Caller>;  // oldest first

    std::optional<Pair> hear(Callers::iterator caller);
    /// False when the caller hung up or is none of ours.
    bool readPreamble(Caller& caller);
    std::optional<Pair> findPartner(Callers::iterator caller);
    static void tellOtherVersion(const Caller& caller);
    void drop(Callers::iterator caller, const char* why);
    void makeRoomFor(const std::string& host);
    void setTimer();

    int epoll_;
    UniqueFd timer_;
    Callers callers_;
    TimestampNs timerSetTo_ = 0;
};

}  // namespace verbcast::tcp
