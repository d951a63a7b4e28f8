// bench rpc: session messages used as calls. The parent runs all callers in one thread; a worker echoes each
// request. A call lasts from when its caller makes it, including any wait for room in the transport, until
// the reply is handled; then the caller makes the next one.
#include "app/bench/modes/bench_modes.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <optional>

#include "app/bench/modes/channel_driver.h"
#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/bench_transports.h"
#include "core/base/os/clock.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kMinCalls = 100;

/// The start of a request and its reply.
struct CallId {
    std::uint32_t caller;
    std::uint32_t number;
};

/// All callers of one connection. measure() sets their number; step() is done when the calls are measured and
/// none is in flight.
class RpcClient final : public ChannelEnd {
  public:
    RpcClient(const Connection& connection, std::uint32_t payloadBytes)
        : ChannelEnd(connection), request_(std::max<std::size_t>(payloadBytes, sizeof(CallId))) {}

    void measure(std::uint32_t callers, const RateWindow::Length& length) {
        window_.emplace(length, callers);
        latency_.clear();
        calls_.assign(callers, {});
        const TimestampNs now = nowNs();
        for (std::uint32_t caller = 0; caller < callers; ++caller) {
            call(caller, now);
        }
    }

    RpcPoint point() const {
        return {.transport = channel().description().transport,
                .callers = static_cast<std::uint32_t>(calls_.size()),
                .payloadBytes = static_cast<std::uint32_t>(request_.size()),
                .callsPerSecond = window_->perSecond(),
                .latency = latency_.percentiles()};
    }
    bool measuredAnything() const { return window_ && window_->perSecond() > 0; }

    bool step() override {
        while (!waiting_.empty() && send(waiting_.front())) {
            waiting_.pop_front();
        }
        return window_->complete() && underWay_ == 0;
    }

    void onMessage(std::span<const std::byte> reply) override {
        CallId id{};
        if (reply.size() == request_.size()) {
            std::memcpy(&id, reply.data(), sizeof id);
        }
        if (reply.size() != request_.size() || id.caller >= calls_.size() || !calls_[id.caller].underWay ||
            calls_[id.caller].number != id.number) {
            throw Error(ErrorKind::Peer, fmt::format("a reply of {} bytes to call {} of caller {}, which is "
                                                     "not under way",
                                                     reply.size(), id.number, id.caller));
        }
        const TimestampNs now = nowNs();
        Call& done = calls_[id.caller];
        if (window_->count(now)) {
            latency_.record(now - done.madeAt);
        }
        done.underWay = false;
        --underWay_;
        if (!window_->complete()) {
            call(id.caller, now);
        }
    }

  private:
    struct Call {
        TimestampNs madeAt = 0;
        std::uint32_t number = 0;
        bool underWay = false;
    };

    void call(std::uint32_t caller, TimestampNs now) {
        Call& made = calls_[caller];
        made = {now, nextNumber_++, true};
        ++underWay_;
        const CallId id{caller, made.number};
        if (!waiting_.empty() || !send(id)) {
            waiting_.push_back(id);
        }
    }

    /// Returns false if the transport has no room now.
    bool send(const CallId& id) {
        std::memcpy(request_.data(), &id, sizeof id);
        return channel().send(request_) != Status::Busy;
    }

    std::vector<std::byte> request_;
    std::vector<Call> calls_;     ///< by caller
    std::deque<CallId> waiting_;  ///< waiting for room in the transport; at most one per caller
    std::uint32_t nextNumber_ = 0;
    std::uint32_t underWay_ = 0;
    std::optional<RateWindow> window_;
    LatencyHistogram latency_;
};

/// Echoes each request, in order.
class RpcServer final : public ChannelEnd {
  public:
    RpcServer(const Connection& connection, std::uint64_t& calls) : ChannelEnd(connection), calls_(calls) {}

    bool step() override {
        while (!late_.empty() && channel().send(late_.front()) != Status::Busy) {
            late_.pop_front();
        }
        return false;  // the parent ends it
    }

    void onMessage(std::span<const std::byte> request) override {
        ++calls_;
        if (!late_.empty() || channel().send(request) == Status::Busy) {
            late_.emplace_back(request.begin(), request.end());
        }
    }

  private:
    std::uint64_t& calls_;
    std::deque<std::vector<std::byte>> late_;  ///< refused as Busy; at most one per caller
};

/// Measures all numbers of callers over one connection. Returns false if interrupted.
bool measureTransport(const std::string& scheme, const RpcRange& range, const BenchOptions& options,
                      BenchReport& report, const std::function<void(std::uint32_t)>& announce) {
    WorkerLink link(options, scheme, "rpc-serve", nlohmann::json::object(), {});
    if (!link.connected()) {
        return false;
    }
    RpcClient client(link.connection(), range.payloadBytes);
    for (const std::uint32_t callers : range.callers) {
        announce(callers);
        client.measure(callers, pointLength(options, kMinCalls, callers));
        const bool finished = link.run(client);
        if (client.measuredAnything()) {
            report.rpc.push_back(client.point());
        }
        if (!finished) {
            return false;
        }
    }
    link.finish();
    return true;
}

void addNotes(const std::vector<std::string>& transports, BenchReport& report) {
    report.notes.emplace_back(
        "rpc: one thread at either end and one connection; a call's time begins when it is made, also when "
        "the transport has no room for it yet");
    for (const std::string& scheme : transports) {
        if (const std::uint32_t credits = findTransport(scheme)->messageCredits; credits != 0) {
            report.notes.push_back(fmt::format(
                "{} holds {} messages each way: further callers wait for its credits at the sender", scheme,
                credits));
        }
    }
}

}  // namespace

RpcRange standardRpcRange() {
    RpcRange range;
    for (std::uint32_t callers = 1; callers <= 256; callers *= 2) {
        range.callers.push_back(callers);
    }
    return range;
}

void rpcRange(const RpcRange& range, const BenchOptions& options, BenchReport& report,
              BenchProgress& progress) {
    const std::vector<std::string> transports = usableTransports(options, report);
    if (!transports.empty()) {
        addNotes(transports, report);
    }
    std::size_t done = 0;
    driveOver(transports, options, report, [&](const std::string& scheme) {
        const auto announce = [&](std::uint32_t callers) {
            const std::string last =
                report.rpc.empty() ? ""
                                   : fmt::format(" (last: {:.0f} calls/s)", report.rpc.back().callsPerSecond);
            progress.step(++done, range.callers.size() * transports.size(),
                          fmt::format("{} calls, {} in flight{}", scheme, callers, last));
        };
        return measureTransport(scheme, range, options, report, announce);
    });
}

void benchRpc(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    rpcRange(standardRpcRange(), options, report, progress);
}

nlohmann::json rpcServeRole(const nlohmann::json& job, const WorkerEmit& emit) {
    std::uint64_t calls = 0;
    serveWorker(job, emit, [&](const Connection& connection) -> std::unique_ptr<ChannelEnd> {
        return std::make_unique<RpcServer>(connection, calls);
    });
    return {{"calls", calls}};
}

}  // namespace verbcast
