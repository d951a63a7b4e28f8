// Connects an incoming stream to its sender over several rails.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/session/greeting/session_dialler.h"
#include "core/session/messages/rail_hello.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

/// Dials on a thread for each rail, until the stream is over or `cancel` is set: set that before destroying
/// this. A rail that cannot be used is tried again while the stream goes on, or may begin, over another; if
/// none can be reached, the stream fails, and `cancel` is set.
class RailDialler {
  public:
    /// `unserved.refused()` is called, from any of the threads, for an end without any rail.
    RailDialler(const std::vector<Url>& urls, RailMode mode, const HandshakeOptions& handshake,
                IncomingStream& stream, DiallerPolicy& unserved, Event& cancel);
    ~RailDialler();

  private:
    class Rail;
    bool allFailed(std::uint8_t rail);

    IncomingStream& stream_;
    DiallerPolicy& unserved_;
    Event& cancel_;
    const std::size_t count_;
    std::atomic<std::uint32_t> failed_{0};  // a bit for each that failed when last tried
    std::vector<std::unique_ptr<Rail>> rails_;
};

/// Logs what IncomingStream::attach() has returned, if it has anything to tell.
void tellRailBack(const std::string& note);

}  // namespace verbcast
