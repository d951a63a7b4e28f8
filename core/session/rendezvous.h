// Turning an address into a connection: listening on every transport that an address allows, or connecting by
// the best one that works, and saying why that one.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/session/link.h"
#include "core/transport/transport.h"

namespace verbcast {

struct Connection {
    std::unique_ptr<Channel> channel;  ///< null: none yet, or cancelled
    std::string reason;                ///< "shm: both are on this host"
    TimestampNs startedAt = nowNs();   ///< when the attempt that succeeded began
};

/// Listens. A plain host:port listens on tcp, on shm under a name made from the port, and on verbs where
/// there is a device. Thread-bound.
class Acceptor {
  public:
    /// Throws when the address cannot be used. Of a plain host:port only tcp must work.
    Acceptor(const Url& url, const TransportOptions& options);
    const std::vector<std::string>& addresses() const { return addresses_; }
    int waitDescriptor() const { return epoll_.get(); }
    /// Does not block.
    Connection accept();

  private:
    void add(std::unique_ptr<Listener> listener);

    UniqueFd epoll_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::vector<std::string> addresses_;
};

/// By the transport that the address names; a plain host:port names none.
std::unique_ptr<Listener> listenOn(const Url& url, const TransportOptions& options);
std::unique_ptr<Channel> connectOne(const Url& url, const TransportOptions& options,
                                    std::chrono::milliseconds timeout, const Event& cancel);

/// Connects once. A plain host:port tries shm when the host is this one, verbs when there is a device, then
/// tcp. Throws Error{Network} when nobody answers on any of them. Null channel: cancelled.
Connection connectBest(const Url& url, const TransportOptions& options, std::chrono::milliseconds timeout,
                       const Event& cancel);

/// Tells callers that there is no place for them: accepts, refuses, hangs up. Serves an Acceptor while its
/// owner is busy with one peer.
class BusySignal final : public SideJob {
  public:
    BusySignal(Acceptor& acceptor, std::string text) : acceptor_(acceptor), text_(std::move(text)) {}
    int descriptor() const override { return acceptor_.waitDescriptor(); }
    void serve() override;

  private:
    struct Caller {
        std::unique_ptr<Channel> channel;
        TimestampNs since;
    };
    Acceptor& acceptor_;
    std::string text_;
    std::vector<Caller> callers_;
};

}  // namespace verbcast
