#include "core/stream/stream_acceptor.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/ring_queue.h"
#include "core/base/stranger_log.h"
#include "core/base/wait_for.h"
#include "core/session/greeting/reception.h"

namespace verbcast {

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

  private:
    static HandshakeOptions handshakeOptions(const StreamAcceptorOptions& options) {
        HandshakeOptions handshake;
        handshake.role = Role::Receiver;
        handshake.name = options.name;
        handshake.slots = options.stream.slots;
        handshake.trust = options.trust;
        return handshake;
    }

    void run() {
        try {
            const auto objection = [this](const Hello& hello) { return objectionTo(hello); };
            while (!cancel_.isSet()) {
                while (auto guest = reception_.next(objection)) {
                    try {
                        admit(std::move(*guest));
                    } catch (const std::exception& error) {
                        // Short of descriptors or threads: the sender may try again.
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

    /// Those that somebody still holds.
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

    /// What that sender has sent before, or one in whose place it is: of the same name, and lost. Null: it
    /// begins a new one.
    static std::shared_ptr<IncomingStream> streamOf(
        const Hello& hello, const std::vector<std::shared_ptr<IncomingStream>>& streams) {
        auto same =
            std::ranges::find_if(streams, [&](const auto& s) { return s->instance() == hello.instance; });
        if (same == streams.end()) {
            same = std::ranges::find_if(streams, [&](const auto& s) {
                return !s->over() && !s->connected() && s->status().peerName == hello.name.value;
            });
        }
        return same == streams.end() ? nullptr : *same;
    }

    std::optional<Refuse> objectionTo(const Hello& hello) {
        const auto streams = held();
        if (const auto stream = streamOf(hello, streams)) {
            return stream->over() ? std::optional(Refuse{RefuseCode::Busy, "its stream has ended here"})
                   : stream->connected()
                       ? std::optional(Refuse{RefuseCode::Busy, "this sender is connected already"})
                       : std::nullopt;
        }
        if (streams.size() >= options_.maxStreams) {
            return Refuse{RefuseCode::Busy, "this viewer shows as many streams as it may"};
        }
        return std::nullopt;
    }

    void admit(Guest guest) {
        if (const auto stream = streamOf(guest.peer, held()); stream && !stream->over()) {
            stream->attach(std::move(guest));
            return;
        }
        auto stream = std::make_shared<IncomingStream>(
            options_.stream,
            [reconnect = options_.reconnect, sent = false](
                const LinkEnd& end, const std::exception_ptr& failure, bool hadFrames) mutable {
                sent |= hadFrames;
                return failure != nullptr || end.kind == LinkEnd::Kind::Orderly || !sent || !reconnect;
            });
        stream->attach(std::move(guest));
        known_.push_back(stream);
        const std::lock_guard lock(mutex_);
        fresh_.push(std::move(stream));
        arrived_.notify();
    }

    const StreamAcceptorOptions options_;
    Event cancel_;
    ArmedEvent arrived_;
    Reception reception_;
    std::vector<std::weak_ptr<IncomingStream>> known_;  // the thread's
    std::mutex mutex_;                                  // guards what follows
    RingQueue<std::shared_ptr<IncomingStream>> fresh_;  // shared with their owners to be
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

}  // namespace verbcast
