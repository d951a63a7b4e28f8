// The thread that lets receivers into an audience: those who call, or the one that is called.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/session/greeting/connector.h"
#include "core/session/greeting/reception.h"
#include "core/stream/audience.h"

namespace verbcast {

class Doorkeeper {
  public:
    /// Admits callers at `url` as long as there is room. Throws what Reception throws.
    static std::unique_ptr<Doorkeeper> listening(const Url& url, const HandshakeOptions& handshake,
                                                 Audience& audience);
    /// Connects to the viewer at `url`, and, with `reconnect`, again after each loss.
    static std::unique_ptr<Doorkeeper> connecting(const Url& url, const HandshakeOptions& handshake,
                                                  Audience& audience, bool reconnect);
    ~Doorkeeper();

    /// Empty when connecting.
    const std::vector<std::string>& addresses() const { return addresses_; }
    /// Lets nobody else in.
    void close() { closed_ = true; }
    /// Rethrows why there will be no receiver, if that is so. Thread-safe.
    void rethrowFailure() const;
    /// Why its rail cannot be tried now; null if it can, or is none. Thread-safe.
    std::exception_ptr trouble() const;

  private:
    explicit Doorkeeper(Audience& audience) : audience_(audience) {}
    void start(std::function<void()> work);
    void listen(Reception& reception);
    void connect(Connector& connector, bool reconnect);
    std::optional<std::variant<Guest, LinkEnd>> meet(Connector& connector);
    void noteTrouble(std::exception_ptr trouble);
    bool othersGoOn(const Connector& connector) const;
    void serveRail(Guest guest, const RailHello& rail);
    void fail(std::exception_ptr failure);

    Audience& audience_;
    std::vector<std::string> addresses_;
    Event cancel_;
    std::atomic<bool> closed_{false};
    mutable std::mutex mutex_;  // guards failure_ and trouble_
    std::exception_ptr failure_;
    std::exception_ptr trouble_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
