// The listening side's front door: callers are greeted side by side, and only who is admitted takes a place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/greeting/acceptor.h"
#include "core/session/greeting/guest.h"

namespace verbcast {

/// Greets within its owner's loop, without threads of its own. Callers who have not greeted cost a bounded
/// number of places in all, and fewer for one address: one more takes the place of the first that came and
/// has said nothing. Those who are refused are told why. Thread-bound; nothing blocks.
///
/// Loop: next() until it gives nobody, then sleep on waitDescriptor() until nextLook().
class Reception {
  public:
    /// Throws as Acceptor does.
    Reception(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake);
    ~Reception();

    const std::vector<std::string>& addresses() const { return acceptor_.addresses(); }
    int waitDescriptor() const { return epoll_.get(); }
    Deadline nextLook() const;

    /// Asked about each caller that has greeted as it should: why it cannot come in now, or nothing.
    using Objection = std::function<std::optional<Refuse>(const Hello& caller)>;
    /// Serves all callers once. The next one that was admitted, or nobody.
    std::optional<Guest> next(const Objection& objection);

  private:
    struct Caller {
        std::unique_ptr<Greeting> greeting;
        std::string host;
        TimestampNs until = 0;  ///< by then it is admitted, or hung up on
        TimestampNs askedAt = 0;
        bool leaving = false;  ///< refused, or a probe: it hangs up
    };
    void welcome();
    void makeRoomFor(const std::string& host);
    bool serve(Caller& caller, const Objection& objection);
    void leave(Caller& caller) const;
    void drop(Caller& caller);

    const HandshakeOptions handshake_;
    Acceptor acceptor_;
    UniqueFd epoll_;
    std::vector<Caller> callers_;
    bool anotherTurn_ = false;
};

}  // namespace verbcast
