// The receiving side of one stream: waits for a sender or connects to one, and returns frames as leases.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/session/greeting/session_acceptor.h"
#include "core/session/greeting/session_dialler.h"
#include "core/session/session_address.h"
#include "core/stream/incoming_stream.h"
#include "core/stream/rail_dialler.h"

namespace verbcast {

struct ReceiverOptions : IncomingOptions, SessionAddress {
    bool endWithStream = false;  ///< an orderly end of stream is final, even with reconnect
    std::string name;            ///< told to the peer; the host's name if empty
};

/// ReceiverStatus::text until a connection has been tried. Print it before constructing a FrameReceiver to
/// have it before any warning. "" if the sender connects.
std::string connectingText(const ReceiverOptions& options);

/// Follows one stream over all of its connections, which it accepts or makes. Construct, receive() in a loop
/// on one thread for each track, destroy, which tells the sender.
class FrameReceiver final : public IncomingStream, private AcceptorPolicy, private DiallerPolicy {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used (not when nobody is there yet).
    explicit FrameReceiver(const ReceiverOptions& options);
    ~FrameReceiver() override;

    void cancel() override;
    /// Addresses that it listens on; empty when connecting.
    const std::vector<std::string>& listenAddresses() const { return addresses_; }

  private:
    void run();
    bool foundRails();
    void dialRails(const std::vector<Url>& urls);
    // When listening:
    std::optional<Refuse> objectionTo(const Hello& caller, const PeerTrust& trust) override;
    void admit(PeerConnection peer) override;
    bool goesOn() override { return !over(); }
    int waitDescriptor() const override { return last_.descriptor(); }
    // When dialling without rails:
    bool serve(PeerConnection peer) override;
    bool refused(const SessionEnd& end) override;

    bool isLast(const SessionEnd& end, bool hadFrames);
    bool mayPass(const std::exception_ptr& failure) const;

    const ReceiverOptions options_;
    const HandshakeOptions handshake_;
    std::atomic<bool> hadFrames_{false};
    Event cancel_;
    Event last_;  // set once there will be no further connection
    std::vector<std::string> addresses_;
    std::unique_ptr<SessionAcceptor> acceptor_;  // null: it dials
    std::optional<RailDialler> rails_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
