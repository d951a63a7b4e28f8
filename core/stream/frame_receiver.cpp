#include "core/stream/frame_receiver.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/log/peer_log.h"
#include "core/multicast/group_sink_path.h"
#include "core/multirail/rail_search.h"

namespace verbcast {
namespace {

bool byRails(const ReceiverOptions& options) {
    return !options.spares.empty() || options.findsRails;
}

IncomingOptions incomingOptions(const ReceiverOptions& options) {
    IncomingOptions incoming = options;
    incoming.takesRails = options.listen || byRails(options);
    if (byRails(options)) {
        incoming.frameLock = nullptr;
    }
    return incoming;
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

std::string connectingText(const ReceiverOptions& options) {
    if (options.listen) {
        return {};
    }
    const std::string text = "connecting to " + options.url.text();
    return options.spares.empty() ? text : text + fmt::format(" over {} rails", options.spares.size() + 1);
}

FrameReceiver::FrameReceiver(const ReceiverOptions& options)
    : IncomingStream(incomingOptions(options),
                     [this](const SessionEnd& end, bool hadFrames) { return isLast(end, hadFrames); }),
      options_(options),
      handshake_(greetingOf(options)) {
    if (options.listen && options.url.isMulticast()) {
        throw Error(ErrorKind::Usage, options.url.text() + ": nobody connects to a group",
                    "leave out --listen: a viewer finds the sender by the group");
    }
    if (!options.spares.empty()) {
        checkRails(options.urls(), options.listen);
        dialRails(options.urls());
        return;
    }
    if (options.findsRails) {
        checkRailsOf(options.url, options.listen);
    }
    if (options.listen) {
        acceptor_ = std::make_unique<SessionAcceptor>(options.url, TransportOptions{}, handshake_);
        addresses_ = acceptor_->addresses();
        setState(StreamState::Waiting,
                 fmt::format("waiting for a sender on {}", fmt::join(addresses_, ", ")));
    } else {
        setState(StreamState::Connecting, connectingText(options));
    }
    thread_ = std::jthread([this] { run(); });
}

FrameReceiver::~FrameReceiver() {
    cancel();
    // Before the links, so that none begins meanwhile. When searching, this thread makes rails_.
    if (thread_.joinable()) {
        thread_.join();
    }
    rails_.reset();
    endLinks();
}

void FrameReceiver::cancel() {
    cancel_.notify();
    IncomingStream::cancel();
}

void FrameReceiver::run() {
    try {
        if (acceptor_) {
            acceptor_->run(*this, cancel_);
        } else if (!options_.findsRails || !foundRails()) {
            SessionDialler(options_.url, TransportOptions{}, handshake_).run(*this, cancel_);
        }
    } catch (...) {
        fail(std::current_exception());
    }
}

/// Returns false if there is only one.
bool FrameReceiver::foundRails() {
    const std::vector<Url> found = findRails(options_.url, handshake_, cancel_);
    if (found.size() > 1) {
        dialRails(found);
    }
    return found.size() > 1;
}

void FrameReceiver::dialRails(const std::vector<Url>& urls) {
    setState(StreamState::Connecting,
             fmt::format("connecting to {} over {} rails", urls.front().text(), urls.size()));
    rails_.emplace(urls, options_.rails, handshake_, static_cast<IncomingStream&>(*this),
                   static_cast<DiallerPolicy&>(*this), cancel_);
}

std::optional<Refuse> FrameReceiver::objectionTo(const Hello& caller, const PeerTrust& /*trust*/) {
    if (over()) {
        return Refuse{RefuseCode::Busy, "this viewer's stream has ended"};
    }
    return takes(caller) ? std::nullopt
                         : std::optional(Refuse{RefuseCode::Busy, "this viewer already has a sender"});
}

void FrameReceiver::admit(PeerConnection peer) {
    if (!over()) {  // how the stream ended is not for an unknown peer to change
        tellRailBack(attach(std::move(peer)));
    }
}

bool FrameReceiver::serve(PeerConnection peer) {
    if (options_.url.isMulticast()) {
        receiveByGroup(peer, multicast::groupOf(options_.url));
    }
    attach(std::move(peer));
    waitForEnd(0, Deadline::never(), cancel_);
    return !over();
}

/// Nothing is lost if there was no sender, or after an orderly end: a sender may be about to exit.
bool FrameReceiver::refused(const SessionEnd& end) {
    const ReceiverStatus before = status();
    const bool none = before.state == StreamState::Ended || before.channel.transport.empty();
    if (options_.reconnect && none) {
        setState(before.state, end.reason);
    } else {
        noteEnd(end);
    }
    if (isLast(end, false)) {
        close();
    }
    return !over();
}

/// Also called on the stream's threads.
bool FrameReceiver::isLast(const SessionEnd& end, bool hadFrames) {
    const bool spoilt = end.kind == SessionEnd::Kind::Broken || end.kind == SessionEnd::Kind::Failed ||
                        end.kind == SessionEnd::Kind::Refused;
    hadFrames_ = hadFrames_ || hadFrames;
    bool last = !options_.reconnect || (end.kind == SessionEnd::Kind::Orderly && options_.endWithStream);
    if (options_.listen) {
        // A caller that breaks its own session, or never sends, does not end a viewer that waits for a
        // sender.
        if (spoilt) {
            const std::string peer = status().channel.peer;
            warnOfPeer(LogCategory::Stream, "spoilt", peer, "{}: {}", peer, end.reason);
        }
        last &= !spoilt && hadFrames;
    } else if (end.failure
                   ? !mayPass(end.failure)
                   : end.isPermanent() || (end.kind == SessionEnd::Kind::Refused && !options_.reconnect)) {
        fail(end.error());
    }
    if (last) {
        last_.notify();
    }
    return last;
}

/// Whether the failure may pass: a group that was there once may be back soon, as when its port was down or
/// its network's manager restarts.
bool FrameReceiver::mayPass(const std::exception_ptr& failure) const {
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

}  // namespace verbcast
