// The receiving end of one stream: waits for a sender or connects to one, and gives frames as leases.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/session/messages/input.h"
#include "core/stream/receive/incoming_stream.h"
#include "core/transport/transport.h"

namespace verbcast {

struct ReceiverOptions {
    Url url;
    bool listen = false;        ///< wait for a sender at `url` instead of connecting to it,
    std::vector<Url> spares{};  ///< and by these, too: rails of one stream, `url` the first
    RailMode rails = RailMode::Double;
    bool findsRails = false;   ///< looks for other addresses of the peer at `url`: see findRails()
    std::uint32_t slots = 8;   ///< frames held at most, 2 to 64
    std::uint16_t tracks = 1;  ///< see IncomingOptions
    std::optional<std::uint64_t> maxMemory{};  ///< see IncomingOptions
    bool poll = false;                         ///< spin instead of sleeping
    Trust trust{};                             ///< of the sender
    bool reconnect = true;                     ///< after a loss or an end of stream, wait for the next sender
    bool endWithStream = false;                ///< an orderly end of stream is final, even with reconnect
    std::string name;                          ///< told to the peer; the host's name when empty
    std::chrono::milliseconds peerTimeout{900};  ///< silence after which the peer counts as lost
    RegionWish region{};                         ///< see IncomingOptions
    /// May be null, and outlives the receiver: a display that shows frames when the sender says so.
    TogetherListener* together = nullptr;
};

/// Follows one stream over all of its connections. Construct, receive() in a loop on one thread, destroy.
/// status(), stats(), cancel(), confirm(), frameShown() and the two about input may be called from any
/// thread.
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

    /// After reading a frame, before believing what was read: whether it was whole. Where memory is shared,
    /// a sender writes the slots of a viewer that it has sent away again, whoever still reads them. A frame
    /// that was not counts as dropped, or as lost. Not after its lease was dropped.
    bool confirm(const ReceivedFrame& frame);

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
    /// The stream itself, as StreamAcceptor hands it out; cancel() ends it.
    IncomingStream& stream();
    /// Addresses on which senders are awaited; empty when connecting.
    std::vector<std::string> listenAddresses() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
