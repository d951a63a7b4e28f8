// The receiving end of a session: waits for a sender or connects to one, and gives frames as leases.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/pool/frame_pool.h"
#include "core/session/input.h"
#include "core/stats/stream_stats.h"
#include "core/transport/transport.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

struct ReceiverOptions {
    Url url;
    bool listen = false;         ///< wait for a sender at `url` instead of connecting to it
    std::uint32_t slots = 8;     ///< frames held at most, 2 to 64
    bool poll = false;           ///< spin instead of sleeping
    bool reconnect = true;       ///< after a loss or an end of stream, wait for the next sender
    bool endWithStream = false;  ///< an orderly end of stream is final, even with reconnect
    std::string name;            ///< told to the peer; the host's name when empty
    std::chrono::milliseconds peerTimeout{900};  ///< silence after which the peer counts as lost
    TransportOptions transport;
};

enum class StreamState {
    Waiting,     ///< listening; no sender yet
    Connecting,  ///< trying to reach the sender, again and again
    Connected,   ///< a sender is there; no frame yet
    Streaming,
    Lost,    ///< the sender vanished; trying again (or finished, if told not to)
    Ended,   ///< the sender said that the stream is over
    Failed,  ///< an error ended it for good: see ReceiverStatus::failure
};

struct ReceiverStatus {
    StreamState state = StreamState::Waiting;
    std::string text;             ///< "waiting for a sender on tcp://0.0.0.0:7423"
    ChannelDescription channel;   ///< of the current or last connection
    std::string transportReason;  ///< why that transport: "same host"
    std::string peerName;
    std::string senderReason;  ///< Lost, Ended: what the sender said or how it was lost
};

struct ReceivedFrame {
    FrameLease lease;                           ///< dropping it gives the slot back to the sender
    std::shared_ptr<const VideoFormat> format;  ///< shared: frames of one epoch have one format
    FrameInfo info;
    TimestampNs arrivedAt = 0;    ///< our clock
    TimestampNs postedAt = 0;     ///< info.postedAt on our clock
    TimestampNs submittedAt = 0;  ///< info.submittedAt on our clock
    TimestampNs capturedAt = 0;   ///< info.capturedAt on our clock
    bool clockKnown = false;      ///< the peer's clock is; else those three mean nothing
};

/// Runs the connection on a thread of its own. Construct, receive() in a loop on one thread, destroy.
/// status(), stats(), cancel(), frameShown() and the two about input may be called from any thread.
class FrameReceiver {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used (not when nobody is there yet).
    explicit FrameReceiver(const ReceiverOptions& options);
    ~FrameReceiver();

    /// The next frame in order. TimedOut; Cancelled after cancel(); Closed after an end of stream or a loss
    /// that is final (reconnect == false). Rethrows the error when the state is Failed.
    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout);
    /// As receive(), but gives the newest frame that is there and counts the older ones as skipped.
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout);

    /// The frame is on the screen (or consumed): feeds frames_shown and the show latency.
    void frameShown(const ReceivedFrame& frame);

    /// Whether the sender that is connected takes input.
    bool inputAllowed() const;
    /// Sends an event to the sender. The frame that first shows its effect has an info.inputSequence that is
    /// the event's number or higher; frameShown() of it feeds the input-to-picture time. Returns the event's
    /// number, or 0: the sender takes none, is not connected, or does not read. Throws Error{Usage} for more
    /// data than kMaxInputData.
    std::uint64_t sendInput(const InputEvent& event);

    /// Ends all waits. The destructor then tells the sender.
    void cancel();

    ReceiverStatus status() const;
    StreamStats stats() const;
    /// Addresses on which senders are awaited; empty when connecting.
    std::vector<std::string> listenAddresses() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
