#include "core/stream/frame_receiver.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <thread>

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"
#include "core/multicast/group_sink_path.h"
#include "core/multirail/rail_search.h"
#include "core/multirail/rail_urls.h"
#include "core/session/greeting/session_acceptor.h"
#include "core/session/greeting/session_dialler.h"
#include "core/stream/rail_dialler.h"

namespace verbcast {
namespace {

bool byRails(const ReceiverOptions& options) {
    return !options.spares.empty() || options.findsRails;
}

HandshakeOptions greetingOf(const ReceiverOptions& options) {
    return {.role = Role::Receiver,
            .name = options.name,
            .slots = options.slots,
            .features = (options.frameLock != nullptr && !byRails(options) ? kFrameLock : 0) |
                        (options.url.isMulticast() ? featuresOfViewer(multicast::groupOf(options.url)) : 0) |
                        (options.listen ? kTakesRails : 0),
            .device = options.device,
            .trust = options.trust};
}

}  // namespace

class FrameReceiver::Impl final : private AcceptorPolicy, private DiallerPolicy {
  public:
    explicit Impl(const ReceiverOptions& options)
        : options_(options),
          handshake_(greetingOf(options)),
          stream_({.slots = options.slots,
                   .tracks = options.tracks,
                   .maxMemory = options.maxMemory,
                   .poll = options.poll,
                   .peerTimeout = options.peerTimeout,
                   .region = options.region,
                   .frameLock = byRails(options) ? nullptr : options.frameLock,
                   .placer = options.placer,
                   .takesRails = options.listen || byRails(options),
                   .device = options.device,
                   .copiesToDevice = options.copiesToDevice},
                  [this](const SessionEnd& end, bool hadFrames) { return isLast(end, hadFrames); }) {
        if (options.listen && options.url.isMulticast()) {
            throw Error(ErrorKind::Usage, options.url.text() + ": nobody connects to a group",
                        "leave out --listen: a viewer finds the sender by the group");
        }
        if (!options.spares.empty()) {
            std::vector<Url> urls{options.url};
            urls.insert(urls.end(), options.spares.begin(), options.spares.end());
            checkRails(urls, options.listen);
            dialRails(urls);
            return;
        }
        if (options.findsRails) {
            checkRailsOf(options.url, options.listen);
        }
        if (options.listen) {
            acceptor_ = std::make_unique<SessionAcceptor>(options.url, TransportOptions{}, handshake_);
            addresses_ = acceptor_->addresses();
            stream_.setState(StreamState::Waiting,
                             fmt::format("waiting for a sender on {}", fmt::join(addresses_, ", ")));
        } else {
            stream_.setState(StreamState::Connecting, connectingText(options));
        }
        thread_ = std::jthread([this] { run(); });
    }
    ~Impl() override { cancel(); }

    void cancel() {
        cancel_.notify();
        stream_.cancel();
    }
    IncomingStream& stream() { return stream_; }
    const std::vector<std::string>& addresses() const { return addresses_; }

  private:
    void run() {
        try {
            if (acceptor_) {
                acceptor_->run(*this, cancel_);
            } else if (!options_.findsRails || !foundRails()) {
                SessionDialler(options_.url, TransportOptions{}, handshake_).run(*this, cancel_);
            }
        } catch (...) {
            stream_.fail(std::current_exception());
        }
    }

    /// Returns false if there is only one.
    bool foundRails() {
        const auto found = findRails(options_.url, handshake_, cancel_);
        if (found && found->urls.size() > 1) {
            log(LogCategory::Stream).info("rails to {}: {}", options_.url.text(), textOf(found->urls));
            dialRails(found->urls);
            return true;
        }
        if (found) {
            warnOfOneRail(options_.url, found->reason);
        }
        return false;
    }

    void dialRails(const std::vector<Url>& urls) {
        stream_.setState(StreamState::Connecting,
                         fmt::format("connecting to {} over {} rails", urls.front().text(), urls.size()));
        rails_.emplace(urls, options_.rails, handshake_, stream_, static_cast<DiallerPolicy&>(*this),
                       cancel_);
    }

    // When listening:
    std::optional<Refuse> objectionTo(const Hello& caller, const PeerTrust&) override {
        if (stream_.over()) {
            return Refuse{RefuseCode::Busy, "this viewer's stream has ended"};
        }
        return stream_.takes(caller)
                   ? std::nullopt
                   : std::optional(Refuse{RefuseCode::Busy, "this viewer already has a sender"});
    }

    void admit(PeerConnection peer) override {
        if (stream_.over()) {
            return;  // how the stream ended is not for an unknown peer to change
        }
        tellRailBack(stream_.attach(std::move(peer)));
    }

    bool goesOn() override { return !stream_.over(); }
    int waitDescriptor() const override { return over_.descriptor(); }

    // When dialling without rails:
    bool serve(PeerConnection peer) override {
        if (options_.url.isMulticast()) {
            receiveByGroup(peer, multicast::groupOf(options_.url));
        }
        stream_.attach(std::move(peer));
        stream_.waitForEnd(0, Deadline::never(), cancel_);
        return !stream_.over();
    }

    /// Nothing is lost if there was no sender, or after an orderly end: a sender may be about to exit.
    bool refused(const SessionEnd& end) override {
        const ReceiverStatus before = stream_.status();
        const bool none = before.state == StreamState::Ended || before.channel.transport.empty();
        if (options_.reconnect && none) {
            stream_.setState(before.state, end.reason);
        } else {
            stream_.noteEnd(end);
        }
        if (isLast(end, false)) {
            stream_.close();
        }
        return !stream_.over();
    }

    /// Also called on the stream's threads.
    bool isLast(const SessionEnd& end, bool hadFrames) {
        const bool spoilt = end.kind == SessionEnd::Kind::Broken || end.kind == SessionEnd::Kind::Failed ||
                            end.kind == SessionEnd::Kind::Refused;
        hadFrames_ = hadFrames_ || hadFrames;
        bool last = !options_.reconnect || (end.kind == SessionEnd::Kind::Orderly && options_.endWithStream);
        if (options_.listen) {
            // A caller that breaks its own session, or never sends, does not end a viewer that waits for a
            // sender.
            if (spoilt) {
                const std::string peer = stream_.status().channel.peer;
                warnOfPeer(LogCategory::Stream, "spoilt", peer, "{}: {}", peer, end.reason);
            }
            last &= !spoilt && hadFrames;
        } else if (end.failure ? !mayPass(end.failure)
                               : end.isPermanent() ||
                                     (end.kind == SessionEnd::Kind::Refused && !options_.reconnect)) {
            stream_.fail(end.error());
        }
        if (last) {
            over_.notify();
        }
        return last;
    }

    /// Whether the failure may pass: a group that was there once may be back soon, as when its port was down
    /// or its network's manager restarts.
    bool mayPass(const std::exception_ptr& failure) const {
        if (!options_.reconnect || !hadFrames_ || !options_.url.isMulticast()) {
            return false;
        }
        try {
            std::rethrow_exception(failure);
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Network;
        } catch (...) {
            return false;
        }
    }

    const ReceiverOptions options_;
    const HandshakeOptions handshake_;
    std::atomic<bool> hadFrames_{false};
    Event cancel_;
    Event over_;
    std::vector<std::string> addresses_;
    std::unique_ptr<SessionAcceptor> acceptor_;  // null: it dials
    IncomingStream stream_;
    // Last: they use everything above. When searching, thread_ makes rails_, so it is joined first.
    std::optional<RailDialler> rails_;
    std::jthread thread_;
};

std::string connectingText(const ReceiverOptions& options) {
    if (options.listen) {
        return {};
    }
    const std::string text = "connecting to " + options.url.text();
    return options.spares.empty() ? text : text + fmt::format(" over {} rails", options.spares.size() + 1);
}

FrameReceiver::FrameReceiver(const ReceiverOptions& options) : impl_(std::make_unique<Impl>(options)) {}
FrameReceiver::~FrameReceiver() = default;

Status FrameReceiver::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    return impl_->stream().receive(frame, timeout);
}
Status FrameReceiver::receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    return impl_->stream().receiveNewest(frame, timeout);
}
bool FrameReceiver::confirm(const ReceivedFrame& frame) {
    return impl_->stream().confirm(frame);
}
void FrameReceiver::frameShown(const ReceivedFrame& frame) {
    impl_->stream().frameShown(frame);
}
void FrameReceiver::setSkipped(std::uint64_t frames) {
    impl_->stream().setSkipped(frames);
}
bool FrameReceiver::inputAllowed() const {
    return impl_->stream().inputAllowed();
}
std::uint64_t FrameReceiver::sendInput(const InputEvent& event) {
    return impl_->stream().sendInput(event);
}
void FrameReceiver::cancel() {
    impl_->cancel();
}
ReceiverStatus FrameReceiver::status() const {
    return impl_->stream().status();
}
StreamStats FrameReceiver::stats() const {
    return impl_->stream().stats();
}
IncomingStream& FrameReceiver::stream() {
    return impl_->stream();
}
std::vector<std::string> FrameReceiver::listenAddresses() const {
    return impl_->addresses();
}

}  // namespace verbcast
