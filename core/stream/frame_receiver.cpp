#include "core/stream/frame_receiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <variant>

#include "core/base/log.h"
#include "core/base/stranger_log.h"
#include "core/session/greeting/connector.h"
#include "core/session/greeting/reception.h"
#include "core/session/group/group_sink_path.h"
#include "core/stream/rails/rail_search.h"
#include "core/stream/rails/rail_urls.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

bool byRails(const ReceiverOptions& options) {
    return !options.spares.empty() || options.findsRails;
}

HandshakeOptions handshakeOptions(const ReceiverOptions& options) {
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    handshake.name = options.name;
    handshake.slots = options.slots;
    handshake.features = (options.together != nullptr && !byRails(options) ? kPresentsTogether : 0) |
                         (options.url.isMulticast() ? featuresOfViewer(multicast::groupOf(options.url)) : 0) |
                         (options.listen ? kTakesRails : 0);
    handshake.trust = options.trust;
    if (options.device) {
        handshake.device = [device = options.device] { return device->sharingId(); };
    }
    if (options.listen) {
        handshake.addresses = toldAddresses(options.url);
    }
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
                   .together = byRails(options) ? nullptr : options.together,
                   .placer = options.placer,
                   .takesRails = options.listen || byRails(options),
                   .device = options.device,
                   .copiesToDevice = options.copiesToDevice},
                  [this](const LinkEnd& end, const std::exception_ptr& failure, bool hadFrames) {
                      return isLast(end, failure, hadFrames);
                  }) {
        HandshakeOptions handshake = handshakeOptions(options);
        if (options.listen && options.url.isMulticast()) {
            throw Error(ErrorKind::Usage, options.url.text() + ": nobody connects to a group",
                        "leave out --listen: a viewer finds the sender by the group");
        }
        if (!options.spares.empty()) {
            std::vector<Url> urls{options.url};
            urls.insert(urls.end(), options.spares.begin(), options.spares.end());
            checkRails(urls, options.listen);
            connectRails(urls, handshake);
            return;
        }
        if (options.findsRails) {
            checkRailsOf(options.url, options.listen);
            stream_.setState(StreamState::Connecting, connectingText(options));
            thread_ = std::jthread([this, handshake] { searchRails(handshake); });
            return;
        }
        if (options.listen) {
            reception_ = std::make_unique<Reception>(options.url, TransportOptions{}, handshake);
            addresses_ = reception_->addresses();
            stream_.setState(StreamState::Waiting,
                             fmt::format("waiting for a sender on {}", fmt::join(addresses_, ", ")));
        } else {
            connector_ = std::make_unique<Connector>(options.url, TransportOptions{}, handshake);
            stream_.setState(StreamState::Connecting, connectingText(options));
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
    void searchRails(const HandshakeOptions& handshake) {
        try {
            const auto found = findRails(options_.url, handshake, cancel_);
            if (!found) {
                return;
            }
            if (found->urls.size() > 1) {
                log(LogCategory::Stream).info("rails to {}: {}", options_.url.text(), textOf(found->urls));
                connectRails(found->urls, handshake);
                return;
            }
            warnOfOneRail(options_.url, found->reason);
            connector_ = std::make_unique<Connector>(options_.url, TransportOptions{}, handshake);
            connect(*connector_);
        } catch (...) {
            stream_.fail(std::current_exception());
        }
    }

    /// Starts a connector and a thread for each rail.
    void connectRails(const std::vector<Url>& urls, HandshakeOptions handshake) {
        RailHello rail{.stream = newRailStream(),
                       .count = static_cast<std::uint8_t>(urls.size()),
                       .mode = options_.rails};
        stream_.setState(StreamState::Connecting,
                         fmt::format("connecting to {} over {} rails", urls.front().text(), urls.size()));
        for (const Url& url : urls) {
            handshake.rail = rail;
            railConnectors_.push_back(std::make_unique<Connector>(url, TransportOptions{}, handshake));
            ++rail.index;
        }
        try {
            for (const auto& connector : railConnectors_) {
                railThreads_.emplace_back([this, connector = connector.get()] { runRail(*connector); });
            }
        } catch (...) {
            cancel();  // the destructor waits for those that have started
            throw;
        }
    }

    void runRail(Connector& connector) {
        for (;;) {
            try {
                connect(connector);
                return;
            } catch (const std::exception& error) {
                if (!stream_.connected() && allFailed(connector.rail()->index)) {
                    stream_.fail(std::current_exception());
                    cancel_.notify();
                    return;
                }
                // A rail whose device is gone does not end a stream that goes on, or may begin, over another.
                warnOfStranger(LogCategory::Stream, "rail not reached", "", "rail {}: {}; trying again",
                               connector.rail()->index + 1, error.what());
            }
        }
    }

    /// Whether this one has failed, and the others when they were tried last.
    bool allFailed(std::uint8_t rail) {
        const std::uint32_t failed = failedRails_.fetch_or(1U << rail) | 1U << rail;
        return failed == (1U << railConnectors_.size()) - 1;
    }

    void run() {
        try {
            if (reception_) {
                listen();
            } else {
                connect(*connector_);
            }
        } catch (...) {
            stream_.fail(std::current_exception());
        }
    }

    void listen() {
        const auto objection = [this](const Hello& caller, const PeerTrust&) -> std::optional<Refuse> {
            if (stream_.over()) {
                return Refuse{RefuseCode::Busy, "this viewer's stream has ended"};
            }
            return stream_.takes(caller)
                       ? std::nullopt
                       : std::optional(Refuse{RefuseCode::Busy, "this viewer already has a sender"});
        };
        while (!cancel_.isSet() && !stream_.over()) {
            if (auto guest = reception_->next(objection)) {
                if (stream_.over()) {
                    return;  // how the stream ended is not for a stranger to change
                }
                try {
                    tellBack(stream_.attach(std::move(*guest)));
                } catch (const std::exception& error) {
                    // Out of descriptors or threads: the sender may try again.
                    warnOfStranger(LogCategory::Stream, "not served", "", "a sender could not be served: {}",
                                   error.what());
                }
            }
            waitReadable({reception_->waitDescriptor(), cancel_.descriptor(), over_.descriptor()},
                         reception_->nextLook());
        }
    }

    void tellBack(const std::string& note) const {
        if (!note.empty()) {
            warnOfStranger(LogCategory::Stream, "rail back", "", "{}", note);
        }
    }

    /// Serves one rail. One that cannot be used now is tried again while the stream goes on over another.
    /// Returns false for one that ended at once, as where there is no memory for its ring.
    bool serveRail(Guest guest, const RailHello& rail) {
        std::string back;
        try {
            guest.peer = guest.peer.asRail(rail);
            back = stream_.attach(std::move(guest));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Peer) {
                throw;
            }
            warnOfStranger(LogCategory::Stream, "rail not used", "", "{}", error.what());
            return false;
        }
        failedRails_ &= ~(1U << rail.index);
        constexpr auto kLasts = 1s;
        if (stream_.waitForEnd(rail.index, Deadline::in(kLasts), cancel_)) {
            return false;
        }
        tellBack(back);
        stream_.waitForEnd(rail.index, Deadline::never(), cancel_);
        return true;
    }

    /// Waits longer each time that a rail could not be used.
    void pauseRail(std::chrono::nanoseconds& pause) {
        constexpr std::chrono::nanoseconds kFirstPause = 1s, kLongestPause = 10s;
        pause = std::clamp(2 * pause, kFirstPause, kLongestPause);
        waitReadable({cancel_.descriptor(), over_.descriptor()}, pause);
    }

    void connect(Connector& connector) {
        std::chrono::nanoseconds pause{0};
        while (!cancel_.isSet() && !stream_.over()) {
            auto met = connector.meet(cancel_);
            if (auto* guest = std::get_if<Guest>(&met)) {
                if (connector.rail()) {
                    if (serveRail(std::move(*guest), *connector.rail())) {
                        pause = 0s;
                    } else if (stream_.connected()) {  // over another rail
                        pauseRail(pause);
                    }
                    continue;
                }
                if (options_.url.isMulticast()) {
                    receiveByGroup(*guest, multicast::groupOf(options_.url));
                }
                stream_.attach(std::move(*guest));
                stream_.waitForEnd(0, Deadline::never(), cancel_);
                continue;
            }
            const LinkEnd& end = std::get<LinkEnd>(met);
            if (cancel_.isSet()) {
                return;
            }
            if (connector.rail() && stream_.connected()) {
                warnOfStranger(LogCategory::Stream, "rail refused", "", "rail {}: {}; trying again",
                               connector.rail()->index + 1, end.reason);
                continue;
            }
            if (connector.rail() && stream_.over()) {
                return;  // the others have ended it meanwhile
            }
            // Nothing is lost if there was no sender, or after an orderly end: a sender may be about to exit.
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
        hadFrames_ = hadFrames_ || hadFrames;
        bool last = !options_.reconnect || (end.kind == LinkEnd::Kind::Orderly && options_.endWithStream);
        if (options_.listen) {
            // A caller that breaks its own session, or never sends, does not end a viewer that waits for a
            // sender.
            if (notOurs) {
                const std::string peer = stream_.status().channel.peer;
                warnOfStranger(LogCategory::Stream, "spoilt", peer, "{}: {}", peer, end.reason);
            }
            last &= !notOurs && hadFrames;
        } else if (failure && !mayPass(failure)) {
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
    std::atomic<bool> hadFrames_{false};
    Event cancel_;
    Event over_;
    std::vector<std::string> addresses_;
    std::unique_ptr<Reception> reception_;  // one of these two
    std::unique_ptr<Connector> connector_;
    IncomingStream stream_;
    std::vector<std::unique_ptr<Connector>> railConnectors_;
    std::atomic<std::uint32_t> failedRails_{0};  // a bit for each that failed when last tried
    // Last: they use everything above. When searching, thread_ starts the others, so it is joined first.
    std::vector<std::jthread> railThreads_;
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
