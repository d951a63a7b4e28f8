// How the receivers of an audience come in: by one door, or by one for each rail of a viewer that is called.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/session/messages/rail_hello.h"
#include "core/stream/doorkeeper.h"

namespace verbcast {

/// Uses the audience until it is destroyed. Thread-safe.
class Doors {
  public:
    /// Admits callers at `url`. Throws what Reception throws.
    static std::unique_ptr<Doors> listening(const Url& url, const HandshakeOptions& handshake,
                                            Audience& audience);
    /// Connects to one viewer at `urls`, its rails if there are several; with `reconnect`, again after each
    /// loss.
    static std::unique_ptr<Doors> connecting(const std::vector<Url>& urls, RailMode mode,
                                             const HandshakeOptions& handshake, Audience& audience,
                                             bool reconnect);
    /// Connects to the viewer at `url`, and over whatever other addresses of it findRails() finds.
    static std::unique_ptr<Doors> searching(const Url& url, RailMode mode, const HandshakeOptions& handshake,
                                            Audience& audience, bool reconnect);
    ~Doors();

    /// Empty when connecting.
    std::vector<std::string> addresses() const;
    /// Lets nobody else in.
    void close();
    /// Rethrows why there will be no receiver, if that is so: a door's failure, or the trouble of the first
    /// if none of them can be tried.
    void rethrowFailures() const;

  private:
    explicit Doors(Audience& audience) : audience_(audience) {}
    void open(const std::vector<Url>& urls, RailMode mode, HandshakeOptions handshake, bool reconnect);

    Audience& audience_;
    Event cancel_;
    mutable std::mutex mutex_;  // guards the members below
    bool closed_ = false;
    std::exception_ptr failure_;
    std::vector<std::unique_ptr<Doorkeeper>> keepers_;
    std::jthread search_;  // last: it uses everything above
};

}  // namespace verbcast
