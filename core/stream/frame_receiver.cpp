#include "core/stream/frame_receiver.h"

#include <fmt/format.h>

#include <thread>
#include <variant>

#include "core/base/stranger_log.h"
#include "core/session/greeting/connector.h"
#include "core/session/greeting/reception.h"
#include "core/session/group/group_sink_path.h"

namespace verbcast {
namespace {

bool byGroup(const ReceiverOptions& options) {
    return options.url.scheme == kMulticastScheme;
}

HandshakeOptions handshakeOptions(const ReceiverOptions& options) {
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    handshake.name = options.name;
    handshake.slots = options.slots;
    handshake.features = (options.together != nullptr ? kPresentsTogether : 0) |
                         (byGroup(options) ? featuresOfViewer(multicast::groupOf(options.url)) : 0);
    handshake.trust = options.trust;
    return handshake;
}

}  // namespace

class FrameReceiver::Impl {
  public:
    explicit Impl(const ReceiverOptions& options)
        : options_(options),
          stream_({.slots = options.slots,
                   .tracks = options.tracks,
                   .maxMemory = options.maxMemory,
                   .poll = options.poll,
                   .peerTimeout = options.peerTimeout,
                   .region = options.region,
                   .together = options.together},
                  [this](const LinkEnd& end, const std::exception_ptr& failure, bool hadFrames) {
                      return isLast(end, failure, hadFrames);
                  }) {
        const HandshakeOptions handshake = handshakeOptions(options);
        if (options.listen && byGroup(options)) {
            throw Error(ErrorKind::Usage, options.url.text() + ": nobody connects to a group",
                        "leave out --listen: a viewer finds the sender by the group");
        }
        if (options.listen) {
            reception_ = std::make_unique<Reception>(options.url, TransportOptions{}, handshake);
            addresses_ = reception_->addresses();
            stream_.setState(StreamState::Waiting,
                             fmt::format("waiting for a sender on {}", fmt::join(addresses_, ", ")));
        } else {
            connector_ = std::make_unique<Connector>(options.url, TransportOptions{}, handshake);
            stream_.setState(StreamState::Connecting, "connecting to " + options.url.text());
        }
        thread_ = std::jthread([this] { run(); });
    }
    ~Impl() { cancel(); }

    void cancel() {
        cancel_.notify();
        stream_.cancel();
    }
    IncomingStream& stream() { return stream_; }
    const std::vector<std::string>& addresses() const { return addresses_; }

  private:
    void run() {
        try {
            if (reception_) {
                listen();
            } else {
                connect();
            }
        } catch (...) {
            stream_.fail(std::current_exception());
        }
    }

    void listen() {
        const auto objection = [this](const Hello&) -> std::optional<Refuse> {
            if (stream_.over()) {
                return Refuse{RefuseCode::Busy, "this viewer's stream has ended"};
            }
            return stream_.connected()
                       ? std::optional(Refuse{RefuseCode::Busy, "this viewer already has a sender"})
                       : std::nullopt;
        };
        while (!cancel_.isSet() && !stream_.over()) {
            while (auto guest = reception_->next(objection)) {
                if (stream_.over()) {
                    return;  // how the stream ended is not for a stranger to change
                }
                try {
                    stream_.attach(std::move(*guest));
                } catch (const std::exception& error) {
                    // Short of descriptors or threads: the sender may try again.
                    warnOfStranger(LogCategory::Stream, "not served", "", "a sender could not be served: {}",
                                   error.what());
                }
            }
            waitReadable({reception_->waitDescriptor(), cancel_.descriptor(), over_.descriptor()},
                         reception_->nextLook());
        }
    }

    void connect() {
        while (!cancel_.isSet() && !stream_.over()) {
            auto met = connector_->meet(cancel_);
            if (auto* guest = std::get_if<Guest>(&met)) {
                if (byGroup(options_)) {
                    receiveByGroup(*guest, multicast::groupOf(options_.url));
                }
                stream_.attach(std::move(*guest));
                stream_.waitForEnd(cancel_);
                continue;
            }
            const LinkEnd& end = std::get<LinkEnd>(met);
            if (cancel_.isSet()) {
                return;
            }
            // Nothing is lost where there was nothing, or after an orderly end: a sender may be about to go.
            const ReceiverStatus before = stream_.status();
            const bool none = before.state == StreamState::Ended || before.channel.transport.empty();
            if (options_.reconnect && none) {
                stream_.setState(before.state, end.reason);
            } else {
                stream_.setState(StreamState::Lost, end.reason, end.reason);
            }
            if (isLast(end, nullptr, false)) {
                stream_.close();
            }
        }
    }

    /// Also called on the stream's threads.
    bool isLast(const LinkEnd& end, const std::exception_ptr& failure, bool hadFrames) {
        const bool notOurs = end.kind == LinkEnd::Kind::Broken || end.kind == LinkEnd::Kind::Refused;
        bool last = !options_.reconnect || (end.kind == LinkEnd::Kind::Orderly && options_.endWithStream);
        if (options_.listen) {
            // A caller that spoils its own session, or never sends, does not end what waits for a sender.
            if (notOurs) {
                const std::string peer = stream_.status().channel.peer;
                warnOfStranger(LogCategory::Stream, "spoilt", peer, "{}: {}", peer, end.reason);
            }
            last &= !notOurs && hadFrames;
        } else if (failure) {
            stream_.fail(failure);
        } else if (end.permanent || (end.kind == LinkEnd::Kind::Refused && !options_.reconnect)) {
            stream_.fail(
                end.stranger
                    ? std::make_exception_ptr(StrangerRefused(ErrorKind::Peer, end.reason, end.remedy))
                    : std::make_exception_ptr(Error(ErrorKind::Peer, end.reason, end.remedy)));
        }
        if (last) {
            over_.notify();
        }
        return last;
    }

    const ReceiverOptions options_;
    Event cancel_;
    Event over_;
    std::vector<std::string> addresses_;
    std::unique_ptr<Reception> reception_;  // one of these two
    std::unique_ptr<Connector> connector_;
    IncomingStream stream_;
    std::jthread thread_;  // last: it uses everything above
};

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
