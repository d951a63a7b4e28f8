// Senders that call a window at one address, each with its own stream.
#pragma once

#include <QObject>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/os/event.h"
#include "core/stream/stream_acceptor.h"

class QSocketNotifier;

namespace verbcast {

/// Belongs to the GUI thread, which never waits: another thread accepts the callers.
class StreamCallers : public QObject {
    Q_OBJECT
  public:
    /// Throws Error{Usage, Network, Device} if the address cannot be used.
    explicit StreamCallers(const StreamAcceptorOptions& options);
    ~StreamCallers() override;

    std::vector<std::string> listenAddresses() const { return acceptor_.listenAddresses(); }
    /// See StreamAcceptor.
    void dismiss(std::uint64_t instance) { acceptor_.dismiss(instance); }

  Q_SIGNALS:
    /// A new sender called. One that reconnects continues its stream.
    void came(std::shared_ptr<IncomingStream> stream);
    /// No more senders will be accepted.
    void failed(std::exception_ptr failure);

  private:
    void run();
    void onWake();

    StreamAcceptor acceptor_;
    Event cancel_, wake_;
    std::unique_ptr<QSocketNotifier> notifier_;
    std::mutex mutex_;                                    // guards the members below
    std::vector<std::shared_ptr<IncomingStream>> fresh_;  // shared with the acceptor and their future owners
    std::exception_ptr failure_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast
