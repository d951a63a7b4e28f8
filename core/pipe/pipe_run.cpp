#include "core/pipe/pipe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/counted.h"
#include "core/base/log.h"
#include "core/base/stranger_log.h"
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

[[noreturn]] void throwPeerFailure(const PipeFailure& failure) {
    const std::string text = fmt::format("{} failed: {}", kOtherEnd, failure.text.value);
    if (failure.code >= static_cast<int>(ErrorKind::Internal) &&
        failure.code <= static_cast<int>(ErrorKind::Corrupt)) {
        throw Error(static_cast<ErrorKind>(failure.code), text);
    }
    throw PipeStopped(failure.code, text);
}

}  // namespace

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

HandshakeOptions PipeRun::handshakeOptions(Role role) const {
    HandshakeOptions options;
    options.role = role;
    options.slots = settings_.depth;
    options.trust = settings_.trust;
    return options;
}

void PipeRun::connect(const PipeAddress& address, Role role, const MakeLink& makeLink) {
    const TransportOptions transport{.sendsFrames = role == Role::PipeSender};
    PipeDoor* door = nullptr;
    std::unique_ptr<Connector> connector;
    if (address.listen) {
        doors_.push_back(
            std::make_unique<PipeDoor>(address.url, transport, handshakeOptions(role), progress_));
        door = doors_.back().get();
        const std::lock_guard lock(statusMutex_);
        status_.addresses = door->addresses();
    } else {
        connector = std::make_unique<Connector>(address.url, transport, handshakeOptions(role));
    }
    setState(door != nullptr
                 ? fmt::format("waiting for a {} on {}", otherEnd(role), fmt::join(door->addresses(), ", "))
                 : "connecting to " + address.url.text());
    const Deadline deadline = Deadline::in(settings_.patience);
    for (;;) {
        runners_.reserve(runners_.size() + 1);  // a started thread must not be lost to bad_alloc
        Guest guest = meet(address, role, door, connector.get(), deadline);
        const std::string reason = guest.reason;
        std::unique_ptr<Runner> runner = serve(std::move(guest), makeLink);
        PipeLink& link = runner->link();
        // A caller that ends before saying what it came for was not our other end; nor is one that stays
        // silent.
        const auto said = [&] { return link.introduced() || runner->ended(); };
        if (!waitFor(said, -1, Deadline::in(settings_.peerTimeout))) {
            link.stop("it has not said what it came for");
            waitFor([&] { return runner->ended(); });
        }
        if (link.introduced()) {
            const std::lock_guard lock(statusMutex_);
            status_.transport = link.description().transport;
            status_.peer = link.peerName();
            status_.address = link.description().peer;
            status_.reason = reason;
            runners_.push_back(std::move(runner));
            return;
        }
        dropCaller(std::move(runner), door, deadline);
    }
}

Guest PipeRun::meet(const PipeAddress& address, Role role, PipeDoor* door, Connector* connector,
                    Deadline deadline) {
    while (door == nullptr) {
        auto met = connector->meet(stop_, deadline);
        if (auto* guest = std::get_if<Guest>(&met)) {
            return std::move(*guest);
        }
        throwIfOver();
        const LinkEnd& end = std::get<LinkEnd>(met);
        if (end.permanent || deadline.passed()) {
            throw Error(end.permanent ? ErrorKind::Peer : ErrorKind::Network, end.reason,
                        end.remedy.empty() ? kSameKind : end.remedy);
        }
        tellOfStranger(LogCategory::Pipe, "trying again", "", "{}; trying again", end.reason);
    }
    std::optional<Guest> guest;
    const Status status = verbcast::waitFor(
        progress_, [&] { return (guest = door->take()).has_value() || anythingEnded(); }, deadline, &stop_);
    if (!guest) {
        throwIfOver();
    }
    if (status == Status::TimedOut) {
        throw Error(ErrorKind::Network,
                    fmt::format("no {} connected to {} in time", otherEnd(role),
                                door->addresses().empty() ? address.url.text() : door->addresses().front()),
                    "start the other side, or wait longer (--wait)");
    }
    return std::move(*guest);
}

std::unique_ptr<PipeRun::Runner> PipeRun::serve(Guest guest, const MakeLink& makeLink) {
    return std::make_unique<Runner>(makeLink(std::move(guest), {.peerTimeout = settings_.peerTimeout}),
                                    [this](Runner& runner) {
                                        runner.conclude();
                                        progress_.notify();
                                    });
}

/// A listening end keeps listening.
void PipeRun::dropCaller(std::unique_ptr<Runner> runner, PipeDoor* door, Deadline deadline) {
    const LinkEnd& end = runner->end();
    if (door != nullptr) {
        // A caller that left again is nobody's fault: it may have been interrupted.
        const bool left = end.kind == LinkEnd::Kind::Lost || end.kind == LinkEnd::Kind::Orderly;
        const std::string& peer = runner->link().description().peer;
        tryLogStranger(LogCategory::Pipe, left ? spdlog::level::info : spdlog::level::warn,
                       left ? "caller left" : "caller dropped", hostOfAddress(peer), "{}: {}", peer,
                       end.reason);
        door->reopen();
        return;
    }
    if (runner->failure() || end.permanent || deadline.passed()) {
        throwEnd(*runner);
    }
    tellOfStranger(LogCategory::Pipe, "trying again", "", "{}; trying again", end.reason);
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
    if (runner.failure()) {
        std::rethrow_exception(runner.failure());
    }
    if (const auto failure = runner.link().peerFailure()) {
        throwPeerFailure(*failure);
    }
    const LinkEnd& end = runner.end();
    switch (end.kind) {
        case LinkEnd::Kind::Refused:
        case LinkEnd::Kind::Broken:
            throw Error(
                end.permanent || end.kind == LinkEnd::Kind::Broken ? ErrorKind::Peer : ErrorKind::Network,
                end.reason, end.remedy.empty() ? kSameKind : end.remedy);
        default:
            break;
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

bool PipeRun::waitForEnds(Deadline deadline) {
    const auto allEnded = [this] {
        return std::ranges::all_of(runners_, [](const auto& runner) { return runner->ended(); });
    };
    return verbcast::waitFor(progress_, allEnded, deadline) == Status::Ok;
}

void PipeRun::waitForGoodbyes() {
    static_cast<void>(waitForEnds(Deadline::in(settings_.peerTimeout + kMaxGoodbye)));
}

}  // namespace verbcast
