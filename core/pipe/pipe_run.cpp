#include "core/pipe/pipe_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"
#include "core/base/os/owned_thread.h"
#include "core/base/text/counted.h"
#include "core/session/greeting/session_acceptor.h"
#include "core/session/greeting/session_dialler.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// A failing link waits one second for the other's goodbye; its thread may be late.
constexpr std::chrono::nanoseconds kMaxGoodbye = 3s;

constexpr const char* kSameKind =
    "use the same version of verbcast pipe on both sides, one sending and one receiving, with the same key";

const char* otherEnd(Role ours) {
    return ours == Role::PipeSender ? "receiver" : "sender";
}

[[noreturn]] void throwRefused(SessionEnd end) {
    end.remedy = end.remedy.empty() ? kSameKind : end.remedy;
    std::rethrow_exception(end.error());
}

[[noreturn]] void throwPeerFailure(const PipeFailure& failure) {
    const std::string text = fmt::format("{} failed: {}", kOtherEnd, failure.text.value);
    if (failure.code >= static_cast<int>(ErrorKind::Internal) &&
        failure.code <= static_cast<int>(ErrorKind::Corrupt)) {
        throw Error(static_cast<ErrorKind>(failure.code), text);
    }
    throw PipeStopped(failure.code, text);
}

}  // namespace

/// Where a pipe listens: one caller at a time becomes its other end, all others are refused.
class PipeRun::Acceptor final : private AcceptorPolicy {
  public:
    /// `changed` is notified when a caller came in. Throws as SessionAcceptor does.
    Acceptor(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake,
             ArmedEvent& changed)
        : changed_(changed),
          acceptor_(url, transport, handshake),
          thread_([this] { acceptor_.run(*this, cancel_); }, [this] { changed_.notify(); }) {}
    ~Acceptor() override { cancel_.notify(); }

    const std::vector<std::string>& addresses() const { return acceptor_.addresses(); }
    /// The caller that came in, if any. Rethrows the error that ended listening. Once there was one, others
    /// are refused until reopen().
    std::optional<PeerConnection> take() {
        thread_.rethrowFailure();
        const std::lock_guard lock(mutex_);
        return std::exchange(peer_, std::nullopt);
    }
    /// The caller was not the pipe's other end after all: accepts another.
    void reopen() {
        const std::lock_guard lock(mutex_);
        taken_ = false;
    }

  private:
    std::optional<Refuse> objectionTo(const Hello& /*caller*/, const PeerTrust& /*trust*/) override {
        const std::lock_guard lock(mutex_);
        return taken_ ? std::optional(Refuse{RefuseCode::Busy, "this pipe already has its other end"})
                      : std::nullopt;
    }
    void admit(PeerConnection peer) override {
        const std::lock_guard lock(mutex_);
        peer_ = std::move(peer);
        taken_ = true;  // not earlier: an admitted caller may still be dropped
        changed_.notify();
    }

    ArmedEvent& changed_;
    SessionAcceptor acceptor_;
    Event cancel_;
    std::mutex mutex_;  // guards taken_ and peer_
    bool taken_ = false;
    std::optional<PeerConnection> peer_;
    OwnedThread thread_;  // last: it uses everything above
};

PipeRun::PipeRun(const PipeSettings& settings) : settings_(settings) {}

PipeRun::~PipeRun() {
    for (const auto& runner : runners_) {
        runner->link().stop("the pipe was abandoned");
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
    agreed_ = agreed;
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

void PipeRun::endFlow(const PipeEnd& last) {
    flowedUntil_ = nowNs();
    const std::lock_guard lock(statusMutex_);
    status_.checksum = agreed_.checksum ? std::optional(last.checksum) : std::nullopt;
}

/// Dials until a peer is the pipe's other end.
class PipeRun::Dialling final : public DiallerPolicy {
  public:
    Dialling(PipeRun& run, const MakeLink& makeLink, Deadline deadline)
        : run_(run), makeLink_(makeLink), deadline_(deadline) {}

    bool serve(PeerConnection peer) override {
        const auto left = run_.introduce(std::move(peer), makeLink_);
        if (!left) {
            return false;
        }
        if (left->end().failure || left->end().isPermanent() || deadline_.passed()) {
            run_.throwEnd(*left);
        }
        return again(left->end());
    }

    bool refused(const SessionEnd& end) override {
        run_.throwIfOver();
        if (end.isPermanent()) {
            throwRefused(end);
        }
        if (deadline_.passed()) {
            throw Error(ErrorKind::Network, end.reason, end.remedy.empty() ? kSameKind : end.remedy);
        }
        return again(end);
    }

  private:
    static bool again(const SessionEnd& end) {
        tellOfPeer(LogCategory::Pipe, "trying again", "", "{}; trying again", end.reason);
        return true;
    }

    PipeRun& run_;
    const MakeLink& makeLink_;
    const Deadline deadline_;
};

PipeLink& PipeRun::connectTo(const PipeAddress& address, Role role, const MakeLink& makeLink) {
    const TransportOptions transport{.sendsFrames = role == Role::PipeSender};
    const HandshakeOptions handshake{.role = role, .slots = settings_.depth, .trust = settings_.trust};
    const Deadline deadline = Deadline::in(settings_.patience);
    if (!address.listen) {
        setState("connecting to " + address.url.text());
        Dialling dialling(*this, makeLink, deadline);
        SessionDialler(address.url, transport, handshake).run(dialling, stop_, deadline);
        throwIfCancelled();
        return runners_.back()->link();
    }
    acceptors_.push_back(std::make_unique<Acceptor>(address.url, transport, handshake, progress_));
    Acceptor& acceptor = *acceptors_.back();
    {
        const std::lock_guard lock(statusMutex_);
        status_.addresses = acceptor.addresses();
    }
    setState(fmt::format("waiting for a {} on {}", otherEnd(role), fmt::join(acceptor.addresses(), ", ")));
    while (const auto left = introduce(nextCaller(acceptor, role, deadline), makeLink)) {
        // One that left again is nobody's fault: it may have been interrupted.
        const SessionEnd& end = left->end();
        const bool interrupted = end.kind == SessionEnd::Kind::Lost || end.kind == SessionEnd::Kind::Orderly;
        const std::string& peer = left->link().description().peer;
        tryLogPeer(LogCategory::Pipe, interrupted ? spdlog::level::info : spdlog::level::warn,
                   interrupted ? "caller left" : "caller dropped", hostOfAddress(peer), "{}: {}", peer,
                   end.reason);
        acceptor.reopen();
    }
    return runners_.back()->link();
}

PeerConnection PipeRun::nextCaller(Acceptor& acceptor, Role role, Deadline deadline) {
    std::optional<PeerConnection> peer;
    const Status status = verbcast::waitFor(
        progress_, [&] { return (peer = acceptor.take()).has_value() || anythingEnded(); }, deadline, &stop_);
    if (!peer) {
        throwIfOver();
    }
    if (status == Status::TimedOut) {
        throw Error(
            ErrorKind::Network,
            fmt::format("no {} connected to {} in time", otherEnd(role), acceptor.addresses().front()),
            "start the other side, or wait longer (--wait)");
    }
    return std::move(*peer);
}

/// Serves the peer. Returns null once it is one of the other ends; else the link that it ended. Who ends
/// before saying what it came for was not our other end; nor is one that stays silent.
std::unique_ptr<PipeRun::Runner> PipeRun::introduce(PeerConnection peer, const MakeLink& makeLink) {
    runners_.reserve(runners_.size() + 1);  // a started thread must not be lost to bad_alloc
    const std::string reason = peer.reason;
    auto runner = std::make_unique<Runner>(makeLink(std::move(peer), {.peerTimeout = settings_.peerTimeout}),
                                           [this](Runner& ended) {
                                               ended.conclude();
                                               progress_.notify();
                                           });
    PipeLink& link = runner->link();
    const auto said = [&] { return link.introduced() || runner->ended(); };
    try {
        if (!waitFor(said, -1, Deadline::in(settings_.peerTimeout))) {
            link.stop("it has not said what it came for");
            waitFor([&] { return runner->ended(); });
        }
    } catch (...) {
        link.stop("the pipe was abandoned");  // the runner waits for its end
        throw;
    }
    if (!link.introduced()) {
        return runner;
    }
    const std::lock_guard lock(statusMutex_);
    status_.transport = link.description().transport;
    status_.peer = link.peerName();
    status_.address = link.description().peer;
    status_.reason = reason;
    runners_.push_back(std::move(runner));
    return nullptr;
}

bool PipeRun::anythingEnded() const {
    return cancelled_ || std::ranges::any_of(runners_, [](const auto& runner) {
               return runner->ended() && !runner->link().complete();
           });
}

void PipeRun::throwIfCancelled() const {
    if (cancelled_) {
        throw PipeStopped(kInterruptedCode, "interrupted");
    }
}

void PipeRun::throwIfOver() const {
    throwIfCancelled();
    for (const auto& runner : runners_) {
        if (runner->ended() && !runner->link().complete()) {
            throwEnd(*runner);
        }
    }
}

void PipeRun::throwEnd(const Runner& runner) const {
    const SessionEnd& end = runner.end();
    if (end.failure) {
        std::rethrow_exception(end.failure);
    }
    if (const auto failure = runner.link().peerFailure()) {
        throwPeerFailure(*failure);
    }
    if (end.kind == SessionEnd::Kind::Refused || end.kind == SessionEnd::Kind::Broken) {
        throwRefused(end);
    }
    if (!runner.link().introduced()) {
        throw Error(ErrorKind::Network, end.reason);
    }
    throw Error(ErrorKind::Network, fmt::format("{} was lost after {}: {}", kOtherEnd,
                                                counted(bytes_.load(), "byte"), end.reason));
}

/// Tells everybody still connected. The first failure received wins, so that it passes a relay unchanged.
void PipeRun::abandon(const PipeFailure& own) noexcept {
    try {
        PipeFailure failure = own;
        for (const auto& runner : runners_) {
            failure = runner->link().peerFailure().value_or(failure);
        }
        for (const auto& runner : runners_) {
            if (!runner->ended()) {
                runner->link().fail(failure);
            }
        }
        static_cast<void>(waitForEnds(Deadline::in(kMaxGoodbye)));
    } catch (const std::exception& error) {
        log(LogCategory::Pipe).error("while giving up: {}", error.what());
    }
}

bool PipeRun::waitForEnds(Deadline deadline, const Event* cancel) {
    const auto allEnded = [this] {
        return std::ranges::all_of(runners_, [](const auto& runner) { return runner->ended(); });
    };
    return verbcast::waitFor(progress_, allEnded, deadline, cancel) == Status::Ok;
}

void PipeRun::waitForGoodbyes() {
    if (!waitForEnds(Deadline::in(settings_.peerTimeout + kMaxGoodbye), &stop_)) {
        throwIfCancelled();
    }
}

}  // namespace verbcast
