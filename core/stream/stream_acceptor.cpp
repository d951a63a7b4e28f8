#include "core/stream/stream_acceptor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/os/event.h"

namespace verbcast {
namespace {

/// How many of the last dismissed senders are remembered.
constexpr std::size_t kMaxDismissed = 1024;

}  // namespace

StreamAcceptor::StreamAcceptor(const StreamAcceptorOptions& options)
    : options_(options),
      acceptor_(options.url, TransportOptions{},
                {.role = Role::Receiver,
                 .name = options.name,
                 .slots = options.stream.slots,
                 .device = options.stream.device,
                 .trust = options.trust}),
      thread_([this] { acceptor_.run(*this, cancel_); }, [this] { arrived_.notify(); }) {}

std::shared_ptr<IncomingStream> StreamAcceptor::accept(std::chrono::nanoseconds timeout,
                                                       const Event& cancel) {
    std::shared_ptr<IncomingStream> stream;
    static_cast<void>(waitFor(
        arrived_,
        [&] {
            thread_.rethrowFailure();
            const std::lock_guard lock(mutex_);
            stream = fresh_.empty() ? nullptr : fresh_.pop();
            return stream != nullptr;
        },
        Deadline::in(timeout), &cancel));
    return stream;
}

void StreamAcceptor::dismiss(std::uint64_t instance) {
    const std::lock_guard lock(mutex_);
    dismissed_.push_back(instance);
    if (dismissed_.size() > kMaxDismissed) {
        dismissed_.pop_front();
    }
}

bool StreamAcceptor::dismissed(std::uint64_t instance) {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(dismissed_, instance) != dismissed_.end();
}

/// The streams that somebody still holds.
StreamAcceptor::Streams StreamAcceptor::held() {
    Streams streams;
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
std::shared_ptr<IncomingStream> StreamAcceptor::streamOf(const Hello& hello, const std::string& keyName,
                                                         const Streams& streams) const {
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

std::optional<Refuse> StreamAcceptor::objectionTo(const Hello& hello, const PeerTrust& trust) {
    if (dismissed(hello.instance)) {
        return Refuse{RefuseCode::Busy, "this viewer has closed the stream; restart its sender"};
    }
    const auto streams = held();
    if (const auto stream = streamOf(hello, trust.keyName, streams)) {
        return stream->over() ? std::optional(Refuse{RefuseCode::Busy, "its stream has ended here"})
               : stream->connected()
                   ? std::optional(Refuse{RefuseCode::Busy, "this sender is connected already"})
                   : std::nullopt;
    }
    if (streams.size() >= options_.maxStreams) {
        return Refuse{RefuseCode::Busy,
                      fmt::format("this viewer already shows as many streams as it may: {} (its --streams)",
                                  options_.maxStreams)};
    }
    return std::nullopt;
}

void StreamAcceptor::admit(PeerConnection peer) {
    const auto stream = streamOf(peer.hello, peer.trust.keyName, held());
    if (stream && !stream->over()) {
        stream->attach(std::move(peer));
        return;
    }
    auto fresh = std::make_shared<IncomingStream>(
        options_.stream, [reconnect = options_.reconnect, outlivesEnd = options_.outlivesEnd, sent = false](
                             const SessionEnd& end, bool hadFrames) mutable {
            sent |= hadFrames;
            const bool ended = end.kind == SessionEnd::Kind::Orderly && !outlivesEnd;
            return end.failure != nullptr || ended || !sent || !reconnect;
        });
    fresh->attach(std::move(peer));
    known_.push_back(fresh);
    const std::lock_guard lock(mutex_);
    fresh_.push(std::move(fresh));
    arrived_.notify();
}

}  // namespace verbcast
