// Where a pipe listens: one caller at a time becomes its other end, all others are refused.
#pragma once

#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/event.h"
#include "core/session/greeting/reception.h"

namespace verbcast {

class PipeDoor {
  public:
    /// `changed` is notified when a caller came in. Throws as Reception does.
    PipeDoor(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake,
             ArmedEvent& changed);
    ~PipeDoor();

    const std::vector<std::string>& addresses() const { return addresses_; }
    /// The caller that came in, if any. Rethrows the error that ended listening. Once there was one, others
    /// are refused until reopen().
    std::optional<Guest> take();
    /// The caller was not the pipe's other end after all: accepts another.
    void reopen();

  private:
    void run();

    ArmedEvent& changed_;
    Reception reception_;
    std::vector<std::string> addresses_;
    Event cancel_;
    std::mutex mutex_;  // guards taken_, guest_ and failure_
    bool taken_ = false;
    std::optional<Guest> guest_;
    std::exception_ptr failure_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
