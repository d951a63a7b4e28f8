// One connection of a session, from the greeting to the end: heartbeats, the peer's clock, and the dispatch
// of messages.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/greeting/peer_connection.h"
#include "core/session/link_feature.h"
#include "core/session/liveness.h"
#include "core/session/messages/session_end.h"
#include "core/session/service_loop.h"

namespace verbcast {

struct LinkOptions {
    std::chrono::milliseconds peerTimeout{900};  ///< silence after which the peer counts as lost
    bool poll = false;                           ///< spin instead of sleeping
};

/// Runs on the thread that calls run(); other threads use wake(), stop() and what loop() offers.
class Link : private MessageHandler, protected FrameHandler, private ServiceLoop {
  public:
    Link(PeerConnection peer, const LinkOptions& options);

    /// Serves the connection until it ends. Throws only what fails on our own side.
    SessionEnd run();

    using ServiceLoop::stop;
    using ServiceLoop::wake;
    /// Call after run(), on its thread: ends the features.
    void conclude() noexcept;
    /// How other threads may serve the connection.
    ServiceLoop& loop() { return *this; }

    const ConnectionDescription& description() const { return connection_.messages->description(); }
    /// The peer's greeting. From any thread.
    const Hello& peer() const { return peer_; }
    const PeerTrust& trust() const { return trust_; }

    // For its features and tracks, on the thread that serves the link:
    /// Queues a message; a peer that lets hundreds pile up counts as lost.
    template <typename Message>
    void send(const Message& message) {
        std::array<std::byte, kMaxEncodedBytes> buffer;
        sendBytes(encodeInto(buffer, message));
    }
    MessageChannel& messages() { return *connection_.messages; }
    const PeerClock& peerClock() const { return liveness_.clock(); }

    /// Call before run().
    void plugIn(std::unique_ptr<LinkFeature> feature) { features_.push_back(std::move(feature)); }

  protected:
    // For the role built on this; all called by the thread that serves the link.
    /// Called before anything else.
    virtual void onReady() = 0;
    /// Returns false for a message that it does not know.
    virtual bool onSessionMessage(MessageType type, ByteReader& reader) = 0;
    /// Moves what it can without blocking; returns true if it moved anything.
    virtual bool moveOn() = 0;
    // Wake-ups of its own: armExtra(), disarmExtra(), addExtraDescriptors().
    /// Called about five times a second.
    virtual void onTick(TimestampNs /*now*/) {}
    /// Whether what the peer sends may wait until the next round, because nothing here depends on it.
    virtual bool maySleep() { return false; }
    /// When step() may have something to do though nothing wakes the link; nullopt: never.
    virtual std::optional<TimestampNs> nextDue() const { return std::nullopt; }
    /// stop() was called: sends last messages before Bye.
    virtual void onStopping() {}
    using ServiceLoop::serveAlone;
    /// No other thread serves it, even over a shared ring. Call before run().
    void serveOnOwnThread() { ring_ = nullptr; }
    // Events of the path that concern one role only.
    void onOfferReady(RingId /*ring*/, std::span<const std::byte> /*offer*/) override {}
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrameSent(std::uint32_t /*localSlot*/) override {}

    /// For destructors: ends the transport's use of what the role owns (slots being read or written) before
    /// it is destroyed.
    void disconnect() noexcept { connection_ = {}; }

    /// Null if the session carries messages only.
    FramePath* pathIfAny() const { return connection_.frames.get(); }
    /// For roles that need a path. Throws Error{Peer} if there is none.
    FramePath& requirePath() const;
    /// Only after requirePath().
    FramePath& path() { return *connection_.frames; }
    bool ended() const { return end_.has_value(); }
    void end(SessionEnd::Kind kind, std::string reason, std::optional<RefuseCode> code = std::nullopt);
    /// Tells the peer why and ends.
    void refuse(RefuseCode code, const std::string& reason);

  private:
    void part(std::optional<RefuseCode> code, const std::string& reason);
    void onMessage(std::span<const std::byte> message) final;
    void sendBytes(std::span<const std::byte> message);
    bool processOnce(bool ownerAwake);

    bool step() final;
    bool drain(bool ownerAwake) final;
    bool takeOne() final { return processOnce(true); }
    void keepTime(TimestampNs now) final;
    bool over() const final { return end_.has_value(); }
    void endWith(const std::string& reason) final;
    bool readyToSleep() final;
    std::chrono::nanoseconds untilNextBeat(TimestampNs now) const final;
    void addDescriptors(std::vector<int>& descriptors) const final;
    void slept(std::uint32_t readable) final;
    SharedRing* sharedRing() const final { return ring_; }
    bool spinHelps() const final { return connection_.messages->spinHelps(); }

    Connection connection_;
    const Hello peer_;
    const PeerTrust trust_;
    std::vector<Handshake::Message> early_;
    SharedRing* ring_;  // of connection_; null: only the link's own thread serves it
    Liveness liveness_;
    std::optional<SessionEnd> end_;
    std::vector<std::unique_ptr<LinkFeature>> features_;
};

}  // namespace verbcast
