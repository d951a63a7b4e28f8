// Incomplete callers of a tcp listener: each peer opens two connections, which are paired by their token.
// Unknown peers are limited in number, memory and time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/callers.h"
#include "core/transport/epoll_set.h"
#include "core/transport/tcp/tcp_wire.h"
#include "core/transport/transport.h"

namespace verbcast::tcp {

/// Connections still without their other half: in total, and per address.
inline constexpr CallerLimits kHalfOpenLimits{.total = 64, .perHost = 16};
inline constexpr TimestampNs kPairingDeadlineNs = 2'000'000'000;

/// Thread-bound with its listener, whose epoll set watches what this waits for: bytes of incomplete
/// preambles, and a timer for callers whose time is up. A half that waits for its partner wakes nobody by
/// sending, only by hanging up.
class HalfOpenCallers {
  public:
    struct Pair {
        UniqueFd control;
        UniqueFd data;
    };

    /// `epoll` outlives this object. Throws Error{Resource} when there are no descriptors left.
    explicit HalfOpenCallers(EpollSet& epoll) : epoll_(epoll) { epoll_.add(timer_.descriptor()); }

    int timer() const { return timer_.descriptor(); }

    /// Adds a caller; if there are too many, drops another: the oldest of the most demanding address. Returns
    /// the pair that it completes, if any.
    std::optional<Pair> add(UniqueFd socket, const SocketAddress& from);
    /// To call when epoll reports the socket; sockets not in here are ignored.
    std::optional<Pair> ready(int socket);
    /// Drops those whose time is up.
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
    /// False when the caller hung up or does not speak this protocol.
    bool readPreamble(Caller& caller);
    std::optional<Pair> findPartner(Callers::iterator caller);
    static void tellOtherVersion(const Caller& caller);
    void drop(Callers::iterator caller, const char* why);
    void makeRoomFor(const std::string& host);
    void setTimer();

    EpollSet& epoll_;
    Timer timer_{"a tcp listener"};
    Callers callers_;
};

/// Throws Error{Resource} when there are no descriptors left.
Connection connectionOf(HalfOpenCallers::Pair sockets);

}  // namespace verbcast::tcp
