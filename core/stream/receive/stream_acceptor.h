// Many streams into one place: a door that hands out as many as its owner wants.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/stream/receive/incoming_stream.h"
#include "core/transport/transport.h"

namespace verbcast {

struct StreamAcceptorOptions {
    Url url;
    std::uint32_t maxStreams = 4;  ///< further senders are refused, and told so
    IncomingOptions stream{};
    Trust trust{};          ///< of the senders
    bool reconnect = true;  ///< a stream whose sender was lost waits for it; else it is over
    /// With reconnect: one that its sender has ended waits for it, too. Where there is no other place left, a
    /// new sender continues such a stream.
    bool outlivesEnd = false;
    std::string name{};  ///< told to the peers; the host's name when empty
};

/// A stream belongs to its sender: one that is lost and comes back continues the stream that it had, and so
/// does one that was started anew, which is known by its name. A stream is over (IncomingStream::over()) once
/// its sender has ended it (but see outlivesEnd), or was lost before its first frame. Every stream has a
/// place until its owner drops it.
class StreamAcceptor {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used.
    explicit StreamAcceptor(const StreamAcceptorOptions& options);
    ~StreamAcceptor();

    /// The next new stream; null when none came in time, or `cancel` was set. Shared: the acceptor gives it
    /// further connections as long as somebody else holds it and it is not over. One thread at a time.
    std::shared_ptr<IncomingStream> accept(std::chrono::nanoseconds timeout, const Event& cancel);
    std::vector<std::string> listenAddresses() const;
    /// The sender with this Hello::instance has no stream here any more: it is refused until it is started
    /// anew. From any thread.
    void dismiss(std::uint64_t instance);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
