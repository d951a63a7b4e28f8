#include "core/pipe/pipe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/log.h"
#include "core/session/retry.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kForEver = std::numeric_limits<TimestampNs>::max();
// Somebody is there and has no place for us: not to be asked again at once.
constexpr std::chrono::nanoseconds kPoliteness = 500ms;
// A failing link waits a second for the other's goodbye; its thread may be late.
constexpr std::chrono::nanoseconds kLongestGoodbye = 3s;

constexpr const char* kSameKind =
    "use the same version of verbcast pipe on both sides, one sending and one receiving, with the same key";

TimestampNs deadlineFor(std::chrono::nanoseconds patience) {
    return patience == std::chrono::nanoseconds::max() ? kForEver : nowNs() + patience.count();
}

std::chrono::nanoseconds untilDeadline(TimestampNs deadline) {
    return deadline == kForEver ? std::chrono::nanoseconds::max()
                                : std::chrono::nanoseconds(std::max<TimestampNs>(deadline - nowNs(), 0));
}

const char* otherEnd(Role ours) {
    return ours == Role::PipeSender ? "receiver" : "sender";
}

[[noreturn]] void throwPeerFailure(const PipeFailure& failure) {
    const std::string text = fmt::format("{} failed: {}", kOtherEnd, failure.text);
    if (failure.code >= static_cast<int>(ErrorKind::Internal) &&
        failure.code <= static_cast<int>(ErrorKind::Corrupt)) {
        throw Error(static_cast<ErrorKind>(failure.code), text);
    }
    throw PipeStopped(failure.code, text);
}

}  // namespace

PipeRun::~PipeRun() {
    for (const auto& served : served_) {
        served->link->stop("the pipe was given up");
    }
}

void PipeRun::run() {
    try {
        transfer();
    } catch (const PipeStopped& stopped) {
        abandon({static_cast<std::uint8_t>(stopped.exitCode()), stopped.what()});
        throw;
    } catch (const Error& error) {
        abandon({static_cast<std::uint8_t>(error.exitCode()), error.what()});
        throw;
    } catch (const std::exception& error) {
        abandon({static_cast<std::uint8_t>(ErrorKind::Internal), error.what()});
        throw;
    }
}

void PipeRun::cancel() {
    cancelled_ = true;
    stop_.notify();
}

PipeStatus PipeRun::status() const {
    PipeStatus status;
    {
        const std::lock_guard lock(statusMutex_);
        status = status_;
    }
    status.bytes = bytes_;
    if (const TimestampNs since = flowingSince_; since != 0) {
        const TimestampNs until = flowedUntil_ != 0 ? flowedUntil_.load() : nowNs();
        status.seconds = static_cast<double>(until - since) * 1e-9;
    }
    return status;
}

void PipeRun::setState(const std::string& text) {
    {
        const std::lock_guard lock(statusMutex_);
        status_.text = text;
    }
    changed_.notify();
}

void PipeRun::beginFlow(const PipeAccept& agreed, std::optional<std::uint64_t> length,
                        const std::string& verb) {
    {
        const std::lock_guard lock(statusMutex_);
        status_.flowing = true;
        status_.start = agreed.start;
        status_.length = length;
        status_.blockBytes = agreed.blockBytes;
        status_.depth = agreed.depth;
    }
    flowingSince_ = nowNs();
    setState(verb);
}

void PipeRun::endFlow(std::optional<std::uint64_t> checksum) {
    flowedUntil_ = nowNs();
    const std::lock_guard lock(statusMutex_);
    status_.checksum = checksum;
}

void PipeRun::clearStop() {
    stop_.clear();
    if (cancelled_) {
        stop_.notify();
    }
}

void PipeRun::connect(const PipeAddress& address, Role role, const MakeLink& makeLink) {
    Acceptor* acceptor = nullptr;
    if (address.listen) {
        acceptors_.push_back(std::make_unique<Acceptor>(
            address.url, TransportOptions{.sendsFrames = role == Role::PipeSender}));
        acceptor = acceptors_.back().get();
        const std::lock_guard lock(statusMutex_);
        status_.addresses = acceptor->addresses();
    }
    setState(acceptor != nullptr ? fmt::format("waiting for a {} on {}", otherEnd(role),
                                               fmt::join(acceptor->addresses(), ", "))
                                 : "connecting to " + address.url.text());
    const TimestampNs deadline = deadlineFor(settings_.patience);
    meeting_ = true;
    for (;;) {
        Connection connection = meet(address, role, acceptor, deadline);
        const ChannelDescription description = connection.channel->description();
        Served& served = serve(std::move(connection.channel), acceptor, role, makeLink);
        waitFor([&] { return served.link->connected() || served.ended; });
        if (served.link->connected()) {
            const std::lock_guard lock(statusMutex_);
            status_.transport = description.transport;
            status_.peer = served.link->peerName();
            status_.address = description.peer;
            status_.reason = connection.reason;
            break;
        }
        dropCaller(acceptor, deadline);
    }
    meeting_ = false;
    clearStop();
}

Connection PipeRun::meet(const PipeAddress& address, Role role, Acceptor* acceptor, TimestampNs deadline) {
    const TransportOptions transport{.sendsFrames = role == Role::PipeSender};
    for (;;) {
        Connection connection =
            acceptor != nullptr ? acceptor->accept()
                                : connectWithRetry(address.url, transport, stop_, untilDeadline(deadline));
        if (connection.channel) {
            return connection;
        }
        throwIfOver();
        if (acceptor != nullptr && nowNs() >= deadline) {
            throw Error(
                ErrorKind::Network,
                fmt::format("no {} came to {} in time", otherEnd(role), acceptor->addresses().front()),
                "start the other side, or wait longer (--wait)");
        }
        clearStop();
        if (acceptor != nullptr) {
            waitReadable({acceptor->waitDescriptor(), stop_.descriptor()},
                         deadline == kForEver ? -1ns : untilDeadline(deadline));
        }
    }
}

PipeRun::Served& PipeRun::serve(std::unique_ptr<Channel> channel, Acceptor* acceptor, Role role,
                                const MakeLink& makeLink) {
    auto served = std::make_unique<Served>();
    LinkOptions options;
    options.role = role;
    options.name = hostName();
    options.slots = settings_.depth;
    options.peerTimeout = settings_.peerTimeout;
    options.key = settings_.key;
    options.side = acceptor != nullptr ? KeySide::Listening : KeySide::Connecting;
    if (acceptor != nullptr) {
        served->busy = std::make_unique<BusySignal>(*acceptor, "this pipe already has its other end");
        options.sideJob = served->busy.get();
    }
    served->link = makeLink(std::move(channel), options);
    Served& reference = *served;
    served_.push_back(std::move(served));
    reference.thread = std::jthread([this, &reference] {
        try {
            reference.end = reference.link->run();
        } catch (...) {
            reference.failure = std::current_exception();
        }
        reference.ended = true;
        progress_.notify();
        if (meeting_) {
            stop_.notify();
        }
    });
    return reference;
}

/// The last link ended without a greeting that fits. Whoever listens goes on doing so.
void PipeRun::dropCaller(Acceptor* acceptor, TimestampNs deadline) {
    const std::unique_ptr<Served> served = std::move(served_.back());
    served_.pop_back();
    served->thread.join();
    clearStop();
    if (acceptor != nullptr) {
        // One that has gone again is nobody's mistake: it was interrupted, say.
        const bool left = served->end.kind == LinkEnd::Kind::Lost;
        log().log(left ? spdlog::level::info : spdlog::level::warn, "{}: {}",
                  served->link->channelDescription().peer, served->end.reason);
        return;
    }
    if (served->failure || served->end.permanent || nowNs() >= deadline) {
        throwEnd(*served);
    }
    log().info("{}; trying again", served->end.reason);
    waitReadable({stop_.descriptor()}, std::min(kPoliteness, untilDeadline(deadline)));
}

bool PipeRun::anythingEnded() const {
    return cancelled_ || std::any_of(served_.begin(), served_.end(), [](const auto& served) {
               return served->ended && !served->link->complete();
           });
}

void PipeRun::throwIfCancelled() const {
    if (cancelled_) {
        throw PipeStopped(kInterruptedCode, "interrupted");
    }
}

void PipeRun::throwIfOver() const {
    throwIfCancelled();
    for (const auto& served : served_) {
        if (served->ended && !served->link->complete()) {
            throwEnd(*served);
        }
    }
}

void PipeRun::throwEnd(const Served& served) const {
    if (served.failure) {
        std::rethrow_exception(served.failure);
    }
    if (const auto failure = served.link->peerFailure()) {
        throwPeerFailure(*failure);
    }
    switch (served.end.kind) {
        case LinkEnd::Kind::Refused:
        case LinkEnd::Kind::Broken:
            throw Error(served.end.permanent || served.end.kind == LinkEnd::Kind::Broken ? ErrorKind::Peer
                                                                                         : ErrorKind::Network,
                        served.end.reason, kSameKind);
        default:
            break;
    }
    if (!served.link->connected()) {
        throw Error(ErrorKind::Network, served.end.reason);
    }
    throw Error(ErrorKind::Network,
                fmt::format("{} was lost after {} bytes: {}", kOtherEnd, bytes_.load(), served.end.reason));
}

/// Tells everybody who is still there. The first failure heard counts, so that it passes a relay unchanged.
void PipeRun::abandon(const PipeFailure& own) noexcept {
    try {
        PipeFailure failure = own;
        for (const auto& served : served_) {
            failure = served->link->peerFailure().value_or(failure);
        }
        for (const auto& served : served_) {
            if (!served->ended) {
                served->link->fail(failure);
            }
        }
        static_cast<void>(waitForEnds(kLongestGoodbye));
    } catch (const std::exception& error) {
        log().error("while giving up: {}", error.what());
    }
}

bool PipeRun::waitForEnds(std::chrono::nanoseconds limit) {
    const auto allEnded = [this] {
        return std::all_of(served_.begin(), served_.end(),
                           [](const auto& served) { return served->ended.load(); });
    };
    const TimestampNs deadline = deadlineFor(limit);
    while (!allEnded() && nowNs() < deadline) {
        progress_.arm();
        if (!allEnded()) {
            waitReadable({progress_.descriptor()}, untilDeadline(deadline));
        }
        progress_.disarm();
    }
    return allEnded();
}

void PipeRun::waitForGoodbyes() {
    static_cast<void>(waitForEnds(settings_.peerTimeout + kLongestGoodbye));
}

}  // namespace verbcast
