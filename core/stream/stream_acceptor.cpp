#include "core/stream/stream_acceptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/ring_queue.h"
#include "core/base/stranger_log.h"
#include "core/base/wait_for.h"
#include "core/session/greeting/reception.h"

namespace verbcast {
namespace {

/// How many of the last dismissed senders are remembered.
constexpr std::size_t kMaxDismissed = 1024;

}  // namespace

class StreamAcceptor::Impl {
  public:
    explicit Impl(const StreamAcceptorOptions& options)
        : options_(options), reception_(options.url, TransportOptions{}, handshakeOptions(options)) {
        thread_ = std::jthread([this] { run(); });
    }
    ~Impl() { cancel_.notify(); }

    std::shared_ptr<IncomingStream> accept(std::chrono::nanoseconds timeout, const Event& cancel) {
        std::shared_ptr<IncomingStream> stream;
        static_cast<void>(waitFor(
            arrived_,
            [&] {
                const std::lock_guard lock(mutex_);
                if (failure_) {
                    std::rethrow_exception(failure_);
                }
                stream = fresh_.empty() ? nullptr : fresh_.pop();
                return stream != nullptr;
            },
            Deadline::in(timeout), &cancel));
        return stream;
    }
    const std::vector<std::string>& addresses() const { return reception_.addresses(); }
    void dismiss(std::uint64_t instance) {
        const std::lock_guard lock(mutex_);
        dismissed_.push_back(instance);
        if (dismissed_.size() > kMaxDismissed) {
            dismissed_.pop_front();
        }
    }

  private:
    static HandshakeOptions handshakeOptions(const StreamAcceptorOptions& options) {
        HandshakeOptions handshake;
        if (options.stream.device) {
            handshake.device = [device = options.stream.device] { return device->sharingId(); };
        }
        handshake.role = Role::Receiver;
        handshake.name = options.name;
        handshake.slots = options.stream.slots;
        handshake.trust = options.trust;
        return handshake;
    }

    void run() {
        try {
            const auto objection = [this](const Hello& hello, const PeerTrust& trust) {
                return objectionTo(hello, trust.keyName);
            };
            while (!cancel_.isSet()) {
                if (auto guest = reception_.next(objection)) {
                    try {
                        admit(std::move(*guest));
                    } catch (const std::exception& error) {
                        // Out of descriptors or threads: the sender may try again.
                        warnOfStranger(LogCategory::Stream, "not served", "",
                                       "a sender could not be served: {}", error.what());
                    }
                }
                waitReadable({reception_.waitDescriptor(), cancel_.descriptor()}, reception_.nextLook());
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        arrived_.notify();
    }

    /// The streams that somebody still holds.
    std::vector<std::shared_ptr<IncomingStream>> held() {
        std::vector<std::shared_ptr<IncomingStream>> streams;
        std::erase_if(known_, [&](const std::weak_ptr<IncomingStream>& known) {
            auto stream = known.lock();
            const bool gone = !stream;
            if (!gone) {
                streams.push_back(std::move(stream));
            }
            return gone;
        });
        return streams;
    }

    /// The stream that this sender continues: its own, or a lost one of the same key and name; else, if all
    /// places are taken, one that has ended. Null: it begins a new one.
    std::shared_ptr<IncomingStream> streamOf(const Hello& hello, const std::string& keyName,
                                             const std::vector<std::shared_ptr<IncomingStream>>& streams) {
        const auto find = [&](const auto& fits) {
            const auto found = std::ranges::find_if(streams, fits);
            return found == streams.end() ? nullptr : *found;
        };
        const auto waits = [](const auto& s) { return !s->over() && !s->connected(); };
        auto same = find([&](const auto& s) { return s->instance() == hello.instance; });
        if (!same) {
            same = find([&](const auto& s) {
                const ReceiverStatus status = s->status();
                return waits(s) && status.trust.keyName == keyName && status.peerName == hello.name.value;
            });
        }
        if (!same && streams.size() >= options_.maxStreams) {
            same = find([&](const auto& s) { return waits(s) && s->status().state == StreamState::Ended; });
        }
        return same;
    }

    bool dismissed(std::uint64_t instance) {
        const std::lock_guard lock(mutex_);
        return std::ranges::find(dismissed_, instance) != dismissed_.end();
    }

    std::optional<Refuse> objectionTo(const Hello& hello, const std::string& keyName) {
        if (dismissed(hello.instance)) {
            return Refuse{RefuseCode::Busy, "this viewer has closed the stream; restart its sender"};
        }
        const auto streams = held();
        if (const auto stream = streamOf(hello, keyName, streams)) {
            return stream->over() ? std::optional(Refuse{RefuseCode::Busy, "its stream has ended here"})
                   : stream->connected()
                       ? std::optional(Refuse{RefuseCode::Busy, "this sender is connected already"})
                       : std::nullopt;
        }
        if (streams.size() >= options_.maxStreams) {
            return Refuse{
                RefuseCode::Busy,
                fmt::format("this viewer already shows as many streams as it may: {} (its --streams)",
                            options_.maxStreams)};
        }
        return std::nullopt;
    }

    void admit(Guest guest) {
        const auto stream = streamOf(guest.peer, guest.trust.keyName, held());
        if (stream && !stream->over()) {
            stream->attach(std::move(guest));
            return;
        }
        auto fresh = std::make_shared<IncomingStream>(
            options_.stream,
            [reconnect = options_.reconnect, outlivesEnd = options_.outlivesEnd, sent = false](
                const LinkEnd& end, const std::exception_ptr& failure, bool hadFrames) mutable {
                sent |= hadFrames;
                const bool ended = end.kind == LinkEnd::Kind::Orderly && !outlivesEnd;
                return failure != nullptr || ended || !sent || !reconnect;
            });
        fresh->attach(std::move(guest));
        known_.push_back(fresh);
        const std::lock_guard lock(mutex_);
        fresh_.push(std::move(fresh));
        arrived_.notify();
    }

    const StreamAcceptorOptions options_;
    Event cancel_;
    ArmedEvent arrived_;
    Reception reception_;
    std::vector<std::weak_ptr<IncomingStream>> known_;  // for the thread only
    std::mutex mutex_;                                  // guards the members below
    std::deque<std::uint64_t> dismissed_;               // instances, newest last
    RingQueue<std::shared_ptr<IncomingStream>> fresh_;  // shared with their future owners
    std::exception_ptr failure_;
    std::jthread thread_;  // last: it uses everything above
};

StreamAcceptor::StreamAcceptor(const StreamAcceptorOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
StreamAcceptor::~StreamAcceptor() = default;

std::shared_ptr<IncomingStream> StreamAcceptor::accept(std::chrono::nanoseconds timeout,
                                                       const Event& cancel) {
    return impl_->accept(timeout, cancel);
}
std::vector<std::string> StreamAcceptor::listenAddresses() const {
    return impl_->addresses();
}
void StreamAcceptor::dismiss(std::uint64_t instance) {
    impl_->dismiss(instance);
}

}  // namespace verbcast
