// Accepts many streams in one place, and hands out as many as its owner wants.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/owned_thread.h"
#include "core/base/ring_queue.h"
#include "core/session/greeting/session_acceptor.h"
#include "core/session/session_address.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

/// It always listens. With reconnect, a stream whose sender was lost waits for it; else it is over.
struct StreamAcceptorOptions : SessionAddress {
    IncomingOptions stream{};
    std::uint32_t maxStreams = 4;  ///< further senders are refused, and told so
    /// With reconnect: a stream that its sender has ended waits for it, too. If no other place is left, a new
    /// sender continues such a stream.
    bool outlivesEnd = false;
    std::string name{};  ///< told to the peers; the host's name if empty
};

/// A stream belongs to its sender: a sender that is lost and comes back continues its stream, and so does one
/// that was started anew, recognised by its key and, among the senders with that key, by its name. A stream
/// is over (IncomingStream::over()) once its sender has ended it (but see outlivesEnd), or was lost before
/// its first frame. Every stream has a place until its owner drops it.
class StreamAcceptor final : private AcceptorPolicy {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used.
    explicit StreamAcceptor(const StreamAcceptorOptions& options);
    ~StreamAcceptor() override { cancel_.notify(); }

    /// Returns the next new stream; null if none came in time, or `cancel` was set. Shared: the acceptor
    /// gives it further connections as long as somebody else holds it and it is not over. Call from one
    /// thread at a time.
    std::shared_ptr<IncomingStream> accept(std::chrono::nanoseconds timeout, const Event& cancel);
    std::vector<std::string> listenAddresses() const { return acceptor_.addresses(); }
    /// The sender with this IncomingStream::instance() has no stream here any more: refuses it until it is
    /// started anew. Thread-safe.
    void dismiss(std::uint64_t instance);

  private:
    using Streams = std::vector<std::shared_ptr<IncomingStream>>;

    Streams held();
    std::shared_ptr<IncomingStream> streamOf(const Hello& hello, const std::string& keyName,
                                             const Streams& streams) const;
    bool dismissed(std::uint64_t instance);
    std::optional<Refuse> objectionTo(const Hello& hello, const PeerTrust& trust) override;
    void admit(PeerConnection peer) override;

    const StreamAcceptorOptions options_;
    Event cancel_;
    ArmedEvent arrived_;
    SessionAcceptor acceptor_;
    std::vector<std::weak_ptr<IncomingStream>> known_;  // for the thread only
    std::mutex mutex_;                                  // guards the members below
    std::deque<std::uint64_t> dismissed_;               // instances, newest last
    RingQueue<std::shared_ptr<IncomingStream>> fresh_;  // shared with their future owners
    OwnedThread thread_;                                // last: it uses everything above
};

}  // namespace verbcast
