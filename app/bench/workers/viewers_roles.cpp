// The processes of bench viewers: one that sends to all, and one per group of viewers. Frames are numbered as
// in bench frames.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <future>

#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/frame_job.h"
#include "app/bench/workers/frame_pattern.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/base/os/early_wake.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr double kWarmUpSeconds = 1;  // by then slow viewers have been identified
// Benchmarks load processors on purpose; a peer waiting for its turn is not lost.
constexpr std::chrono::milliseconds kPeerTimeout{10'000};

std::uint64_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0;
    file >> total >> resident;
    return file ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

class ViewersSendRun {
  public:
    explicit ViewersSendRun(const ViewersJob& job)
        : job_(job),
          format_(job.frame.format()),
          pool_(touchedRing(format_.payloadBytes, job.frame.slots)),
          sender_(senderOptions()) {
        format_.frameRate = *job.frame.fps;
    }

    ViewersSenderResult run() {
        waitForAll();
        sendAll();
        result_.sender.cpu = cpuUseNow() - cpuBefore_;
        // Include the last frame's period.
        result_.seconds = static_cast<double>(nowNs() - begunAt_) * 1e-9 + 1 / job_.frame.fps->value();
        result_.memoryBytes = residentBytes();
        result_.departures = sender_.takeDepartures().size();
        // Stalled viewers never take the end of the stream; those that take every frame have it long before.
        static_cast<void>(sender_.finish("all frames are sent", 2s, interruptEvent()));
        return result_;
    }

  private:
    SenderOptions senderOptions() {
        SenderOptions options;
        options.url = parseUrl(job_.frame.address);
        options.slots = job_.frame.slots;
        options.maxReceivers = job_.viewers;
        options.peerTimeout = kPeerTimeout;
        options.joined = &audience_;
        return options;
    }

    void waitForAll() {
        const Deadline deadline = Deadline::in(kFramePatience);
        while (sender_.receiverCount() < job_.viewers && !interruptEvent().isSet()) {
            if (deadline.passed()) {
                throw Error(ErrorKind::Network,
                            fmt::format("only {} of {} viewers have come to {}", sender_.receiverCount(),
                                        job_.viewers, job_.frame.address));
            }
            audience_.arm();
            if (sender_.receiverCount() < job_.viewers) {
                waitReadable({audience_.descriptor(), interruptEvent().descriptor()}, deadline);
            }
            audience_.disarm();
        }
    }

    /// Frame k is due at the start plus k periods, whatever happened to those before it.
    void sendAll() {
        wakeExactly();
        const double period = 1e9 / job_.frame.fps->value();
        const auto warmUp = static_cast<std::uint64_t>(kWarmUpSeconds * 1e9 / period) + 1;
        const auto count = static_cast<std::uint64_t>(job_.frame.seconds * 1e9 / period) + 1;
        const TimestampNs start = nowNs();
        for (std::uint64_t index = 0; index < warmUp + count; ++index) {
            const auto due = start + static_cast<TimestampNs>(static_cast<double>(index) * period);
            if (!sender_.waitUntilDue(due, interruptEvent())) {
                return;
            }
            if (index == warmUp) {
                static_cast<void>(sender_.takeDepartures());
                cpuBefore_ = cpuUseNow();
                begunAt_ = nowNs();
            }
            const std::uint64_t number = index < warmUp ? 0 : index - warmUp + 1;
            result_.sender.offered = number;
            if (auto lease = pool_->tryAcquire(); lease && !send(std::move(*lease), number)) {
                return;
            }
        }
    }

    /// Returns false if there is no receiver any more, or on interrupt.
    bool send(FrameLease&& lease, std::uint64_t number) {
        FrameInfo info;
        info.inputSequence = number;
        info.capturedAt = nowNs();
        if (job_.frame.verify == Verify::Full) {
            info.pts =
                static_cast<std::int64_t>(writeFrame({lease.data(), format_.payloadBytes}, written_++));
        }
        return sender_.submit(std::move(lease), format_, info, interruptEvent()) == Status::Ok;
    }

    const ViewersJob job_;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    ArmedEvent audience_;  // before sender_, which wakes it
    Broadcast sender_;
    ViewersSenderResult result_;
    CpuUse cpuBefore_;
    TimestampNs begunAt_ = nowNs();
    std::uint64_t written_ = 0;
};

/// One viewer of a group; each has its own thread.
class MeasuredViewer {
  public:
    explicit MeasuredViewer(const ViewersJob& job)
        : job_(job), payloadBytes_(job.frame.format().payloadBytes), receiver_(receiverOptions()) {}

    ReceiverResult run() {
        job_.takesFps < 0 ? takeAll() : job_.takesFps == 0 ? takeOneAndHold() : takeSome();
        return std::move(result_);
    }

  private:
    ReceiverOptions receiverOptions() const {
        ReceiverOptions options;
        options.url = parseUrl(job_.frame.address);
        options.slots = job_.frame.slots;
        options.endWithStream = true;
        options.peerTimeout = kPeerTimeout;
        return options;
    }

    void takeAll() {
        ReceivedFrame frame;
        Deadline patience = Deadline::in(kFramePatience);
        while (!interruptEvent().isSet()) {
            const Status status = receiver_.receive(frame, 100ms);
            if (status == Status::Ok) {
                patience = Deadline::in(kFramePatience);
                count(frame);
                frame.lease.reset();
            } else if (status != Status::TimedOut) {
                return;
            } else if (patience.passed()) {
                throw Error(ErrorKind::Network, fmt::format("no frame came from {} for {} s",
                                                            job_.frame.address, kFramePatience.count()));
            }
        }
    }

    void takeOneAndHold() {
        ReceivedFrame frame;
        while (receiver_.receive(frame, 100ms) == Status::TimedOut && !interruptEvent().isSet()) {
        }
        count(frame);
        waitReadable({interruptEvent().descriptor()}, Deadline::never());
    }

    void takeSome() {
        const std::chrono::nanoseconds period(static_cast<std::int64_t>(1e9 / job_.takesFps));
        ReceivedFrame frame;
        while (!interruptEvent().isSet()) {
            const Status status = receiver_.receiveNewest(frame, 100ms);
            if (status == Status::Ok) {
                count(frame);
                waitReadable({interruptEvent().descriptor()}, period);  // holding the frame
            } else if (status != Status::TimedOut) {
                return;
            }
        }
    }

    void count(const ReceivedFrame& frame) {
        const TimestampNs now = nowNs();
        if (!frame.lease || frame.info.inputSequence == 0) {
            begunAt_ = now;
            return;
        }
        ++result_.frames;
        result_.lastNumber = frame.info.inputSequence;
        result_.latency.record(now - frame.submittedAt);
        result_.seconds = static_cast<double>(now - begunAt_) * 1e-9;
        const bool right =
            frame.info.payloadBytes == payloadBytes_ &&
            (job_.frame.verify != Verify::Full ||
             frameIsIntact({frame.lease.data(), payloadBytes_}, static_cast<std::uint64_t>(frame.info.pts)));
        // Slots of a viewer that was sent away are overwritten; confirm() says so.
        result_.corrupt += !right && receiver_.confirm(frame) ? 1 : 0;
    }

    const ViewersJob job_;
    const std::uint64_t payloadBytes_;
    FrameReceiver receiver_;
    ReceiverResult result_;
    TimestampNs begunAt_ = nowNs();
};

}  // namespace

nlohmann::json viewersSendRole(const nlohmann::json& json, const WorkerEmit& emit) {
    ViewersSendRun run(json.get<ViewersJob>());
    emit("listening");
    return run.run();
}

nlohmann::json viewersReceiveRole(const nlohmann::json& json, const WorkerEmit&) {
    const auto job = json.get<ViewersJob>();
    std::vector<std::future<ReceiverResult>> viewers;
    for (std::uint32_t i = 0; i < job.viewers; ++i) {
        viewers.push_back(std::async(std::launch::async, [&job] { return MeasuredViewer(job).run(); }));
    }
    nlohmann::json results = nlohmann::json::array();
    for (auto& viewer : viewers) {
        results.push_back(viewer.get());
    }
    return results;
}

}  // namespace verbcast
