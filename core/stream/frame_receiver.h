// The receiving side of one stream: waits for a sender or connects to one, and returns frames as leases.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/session/messages/input.h"
#include "core/stream/incoming_stream.h"
#include "core/transport/transport.h"

namespace verbcast {

struct ReceiverOptions {
    Url url;
    bool listen = false;        ///< wait for a sender at `url` instead of connecting to it
    std::vector<Url> spares{};  ///< its other addresses: rails of one stream, `url` the first
    RailMode rails = RailMode::Double;
    bool findsRails = false;   ///< looks for other addresses of the peer at `url`: see findRails()
    std::uint32_t slots = 8;   ///< maximum number of frames held, 2 to 64
    std::uint16_t tracks = 1;  ///< see IncomingOptions
    std::optional<std::uint64_t> maxMemory{};  ///< see IncomingOptions
    bool poll = false;                         ///< spin instead of sleeping
    Trust trust{};                             ///< of the sender
    bool reconnect = true;                     ///< after a loss or an end of stream, wait for the next sender
    bool endWithStream = false;                ///< an orderly end of stream is final, even with reconnect
    std::string name;                          ///< told to the peer; the host's name if empty
    std::chrono::milliseconds peerTimeout{900};       ///< silence after which the peer counts as lost
    RegionWish region{};                              ///< see IncomingOptions
    std::shared_ptr<const DeviceAllocator> device{};  ///< see IncomingOptions
    bool copiesToDevice = true;                       ///< see IncomingOptions
    /// A display that shows frames when the sender says so. May be null; must outlive the receiver.
    FrameLockListener* frameLock = nullptr;
    PartPlacer* placer = nullptr;  ///< see IncomingOptions
};

/// ReceiverStatus::text until a connection has been tried. Print it before constructing a FrameReceiver to
/// have it before any warning. "" if the sender connects.
std::string connectingText(const ReceiverOptions& options);

/// Follows one stream over all of its connections. Construct, receive() in a loop on one thread, destroy.
/// status(), stats(), cancel(), confirm(), frameShown() and the two about input may be called from any
/// thread.
class FrameReceiver {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used (not when nobody is there yet).
    explicit FrameReceiver(const ReceiverOptions& options);
    ~FrameReceiver();

    /// Receives the next frame in order. Returns TimedOut, Cancelled after cancel(), or Closed after an end
    /// of stream or a loss that is final (reconnect == false). Rethrows the error if the state is Failed.
    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout);
    /// Like receive(), but returns the newest frame there is and counts the older ones as skipped.
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout);

    /// Call after reading a frame, before believing what was read: returns whether it was intact. With shared
    /// memory, a sender reuses the slots of a viewer that it has disconnected, even while they are being
    /// read. A frame that was not intact counts as dropped, or as lost. Do not call it once the lease was
    /// dropped.
    bool confirm(const ReceivedFrame& frame);

    /// The frame is on the screen (or consumed), since its shownAt or now: feeds frames_shown and the show
    /// latency.
    void frameShown(const ReceivedFrame& frame);

    /// How many of the frames that were received the consumer has passed over without showing them, so far:
    /// they count as skipped, at the sender, too. The number never falls. From any thread.
    void setSkipped(std::uint64_t frames);

    /// Whether the connected sender takes input.
    bool inputAllowed() const;
    /// Sends an event to the sender. The frame that first shows its effect has an info.inputSequence that is
    /// the event's number or higher; frameShown() of it feeds the input-to-picture time. Returns the event's
    /// number, or 0 if the sender takes none, is not connected, or does not read. Throws Error{Usage} for
    /// more data than kMaxInputData.
    std::uint64_t sendInput(const InputEvent& event);

    /// Ends all waits. The destructor then tells the sender.
    void cancel();

    ReceiverStatus status() const;
    StreamStats stats() const;
    /// The stream itself, as StreamAcceptor hands it out; cancel() ends it.
    IncomingStream& stream();
    /// Addresses that it listens on; empty when connecting.
    std::vector<std::string> listenAddresses() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
