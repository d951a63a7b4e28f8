// The listening side's front door: greets callers side by side; only those it admits take a place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/greeting/acceptor.h"
#include "core/session/greeting/guest.h"

namespace verbcast {

/// Greets within its owner's loop, without threads of its own. The callers still greeting are bounded, in all
/// and per address: one more evicts the first that came and has said nothing. Tells those it refuses why.
/// Thread-bound; nothing blocks.
///
/// Loop: call next(), then sleep on waitDescriptor() until nextLook(), which has passed while more may come:
/// callers without end keep nobody from looking at what else there is to do.
class Reception {
  public:
    /// Throws what Acceptor throws.
    Reception(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake);
    ~Reception();

    const std::vector<std::string>& addresses() const { return acceptor_.addresses(); }
    int waitDescriptor() const { return epoll_.get(); }
    Deadline nextLook() const;

    /// Called for each caller that has greeted properly: why it cannot come in now, or nullopt to admit it.
    using Objection = std::function<std::optional<Refuse>(const Hello& caller, const PeerTrust& trust)>;
    /// Serves all callers once. Returns the next one admitted, or nullopt.
    std::optional<Guest> next(const Objection& objection);

  private:
    struct Caller {
        std::unique_ptr<Greeting> greeting;
        std::string host;
        TimestampNs until = 0;  ///< by then it is admitted or dropped
        TimestampNs askedAt = 0;
        bool leaving = false;  ///< refused, or a visitor: expected to hang up
        bool watched = true;   ///< what it says wakes us: not while it waits for a place
    };
    void welcome();
    void makeRoomFor(const std::string& host);
    bool serve(Caller& caller, const Objection& objection);
    void watch(Caller& caller, bool on);
    void leave(Caller& caller);
    void unwatch(Caller& caller);
    void drop(Caller& caller);

    const HandshakeOptions handshake_;
    Acceptor acceptor_;
    UniqueFd epoll_;
    std::vector<Caller> callers_;
    bool anotherTurn_ = false;
};

}  // namespace verbcast
