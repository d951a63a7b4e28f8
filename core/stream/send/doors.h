// By which ways the receivers of an audience come in: one door, or one for each rail of a viewer that is
// called.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/session/messages/rail_hello.h"
#include "core/stream/send/doorkeeper.h"

namespace verbcast {

/// Uses the audience until it is destroyed. Safe from any thread.
class Doors {
  public:
    /// Callers are admitted at `url`. Throws as Reception does.
    static std::unique_ptr<Doors> listening(const Url& url, const HandshakeOptions& handshake,
                                            Audience& audience);
    /// To one viewer at `urls`, its rails where there are several; again after each loss with `reconnect`.
    static std::unique_ptr<Doors> connecting(const std::vector<Url>& urls, RailMode mode,
                                             const HandshakeOptions& handshake, Audience& audience,
                                             bool reconnect);
    /// To the viewer at `url`, by whatever other addresses of it findRails() finds.
    static std::unique_ptr<Doors> searching(const Url& url, RailMode mode, const HandshakeOptions& handshake,
                                            Audience& audience, bool reconnect);
    ~Doors();

    /// Empty when connecting.
    std::vector<std::string> addresses() const;
    /// Nobody else comes in.
    void close();
    /// Rethrows why there will be no receiver, if that is so: a door's failure, or what troubles the first
    /// where none of them can be tried.
    void rethrowFailures() const;

  private:
    explicit Doors(Audience& audience) : audience_(audience) {}
    void open(const std::vector<Url>& urls, RailMode mode, HandshakeOptions handshake, bool reconnect);

    Audience& audience_;
    Event cancel_;
    mutable std::mutex mutex_;  // guards what follows
    bool closed_ = false;
    std::exception_ptr failure_;
    std::vector<std::unique_ptr<Doorkeeper>> keepers_;
    std::jthread search_;  // last: it uses everything above
};

}  // namespace verbcast
