// The processes of a run of frames: frames-send and frames-receive, or frames-receive-all for several
// streams.
//
// The sender marks the frames that count through FrameInfo::inputSequence: 0 during warm-up, then the frame's
// number from 1, with a gap for each that was due but could not be sent. FrameInfo::pts carries the payload's
// hash, or with --damage the picture's number. Neither field has another meaning in a benchmark.
#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/device_ends.h"
#include "app/bench/workers/frame_pattern.h"
#include "app/bench/workers/frame_receive_run.h"
#include "app/bench/workers/pinning.h"
#include "app/host/interrupt.h"
#include "core/base/os/early_wake.h"
#include "core/stream/broadcast.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// Number of warm-up frames: every slot is written, mapped and sent at least once, and caches and schedulers
/// settle. Fewer at a slow fixed rate, so that warm-up takes a fraction of a second.
std::uint64_t warmUpFrames(const FrameJob& job) {
    const std::uint64_t all = std::max<std::uint64_t>(16, std::uint64_t{2} * job.slots);
    return job.fps ? std::clamp<std::uint64_t>(static_cast<std::uint64_t>(job.fps->value() / 4), 2, all)
                   : all;
}

class FrameSendRun {
  public:
    explicit FrameSendRun(const FrameJob& job)
        : job_(job), format_(job.format()), sender_(senderOptions(job)) {
        if (job.deviceMemory) {
            device_.emplace(format_.payloadBytes, job.slots);
        } else {
            pool_ = touchedRing(format_.payloadBytes, job.slots);
        }
        if (job.fps) {
            format_.frameRate = *job.fps;
        }
        if (job.damage) {
            damage_.emplace(format_, *job.damage);
            holds_.resize(job.slots);
        }
    }

    SenderResult run() {
        if (const Status ready = sender_.waitForReceiver(kFramePatience, interruptEvent());
            ready != Status::Ok) {
            if (ready == Status::Cancelled) {
                return result_;
            }
            throw Error(ErrorKind::Network, "the benchmark's receiver does not answer on " + job_.address);
        }
        job_.fps ? sendAtRate() : sendAsFastAsPossible();
        static_cast<void>(sender_.finish("all frames are sent", kFramePatience, interruptEvent()));
        if (measuring_) {
            result_.cpu = cpuUseNow() - cpuBefore_;
        }
        const StreamStats stats = sender_.stats();
        result_.copiesPerFrame = copiesPerFrame(stats.bytesCopied, stats);
        result_.pcieCopiesPerFrame = copiesPerFrame(stats.bytesFromDevice, stats);
        result_.cipherGigabytesPerSecond = stats.cipher.gigabytesPerSecond();
        return result_;
    }

  private:
    static SenderOptions senderOptions(const FrameJob& job) {
        SenderOptions options;
        options.url = parseUrl(job.address);
        options.listen = false;
        options.reconnect = false;
        options.policy = job.fps ? Policy::Latest : Policy::Lossless;
        options.slots = job.slots;
        options.poll = job.poll;
        options.trust = job.trust();
        // Benchmarks load processors on purpose; a peer waiting for its turn is not lost.
        options.peerTimeout = 10s;
        return options;
    }

    void sendAsFastAsPossible() {
        const std::uint64_t warmUp = warmUpFrames(job_);
        for (std::uint64_t index = 0;; ++index) {
            if (index == warmUp) {
                beginMeasuring();
            }
            if (measuring_ && isOver(index - warmUp)) {
                return;
            }
            auto lease = acquire(kFramePatience);
            if (!lease || !send(std::move(*lease), measuring_ ? index - warmUp + 1 : 0)) {
                return;
            }
            result_.offered = measuring_ ? index - warmUp + 1 : 0;
        }
    }

    /// Open loop: frame k is due at the start plus k periods, whatever happened to the frames before it. It
    /// is not sent if no slot is free, or if it fell due while an earlier one was being written.
    void sendAtRate() {
        wakeExactly();
        const double period = 1e9 / job_.fps->value();
        const std::uint64_t warmUp = warmUpFrames(job_);
        const TimestampNs start = nowNs();
        std::uint64_t first = 0;  // index of the first measured frame
        for (std::uint64_t index = 0;; ++index) {
            index =
                std::max(index, static_cast<std::uint64_t>(static_cast<double>(nowNs() - start) / period));
            const auto due = start + static_cast<TimestampNs>(static_cast<double>(index) * period);
            if (!sender_.waitUntilDue(due, interruptEvent())) {
                return;
            }
            // Until the receiver has its ring, frames of this policy are dropped: count those sent.
            if (!measuring_ && sender_.stats().framesTransferred >= warmUp) {
                beginMeasuring();
                first = index;
            }
            if (measuring_ && isOver(index - first)) {
                result_.offered = job_.frames.value_or(result_.offered);  // the last ones skipped were due
                return;
            }
            const std::uint64_t number = measuring_ ? index - first + 1 : 0;
            result_.offered = number;
            auto lease = acquire(0s);
            if (lease && !send(std::move(*lease), number)) {
                return;
            }
        }
    }

    /// A free slot, on a GPU already filled; does not wait if the timeout is 0.
    std::optional<FrameLease> acquire(std::chrono::nanoseconds timeout) {
        if (!device_) {
            return timeout.count() > 0 ? pool_->acquire(timeout, &interruptEvent()) : pool_->tryAcquire();
        }
        auto lease = device_->acquire(timeout, &interruptEvent());
        if (!lease) {
            return std::nullopt;
        }
        if (job_.verify == Verify::Full) {
            filledHash_ = device_->fill(*lease, written_++);
        }
        return std::move(*lease).release();
    }

    void beginMeasuring() {
        measuring_ = true;
        cpuBefore_ = cpuUseNow();
        begunAt_ = nowNs();
    }

    bool isOver(std::uint64_t sent) {
        if (job_.frames) {
            return sent >= *job_.frames;
        }
        return static_cast<double>(nowNs() - begunAt_) * 1e-9 >= job_.seconds;
    }

    /// Returns false if there is no receiver any more, or on interrupt.
    bool send(FrameLease&& lease, std::uint64_t number) {
        FrameInfo info;
        info.inputSequence = number;
        info.capturedAt = nowNs();
        if (damage_) {
            sendPart(lease, info);
        } else if (device_) {
            info.pts = static_cast<std::int64_t>(filledHash_);
        } else if (job_.verify == Verify::Full) {
            const std::span frame(lease.data(), format_.payloadBytes);
            info.pts = static_cast<std::int64_t>(writeFrame(frame, written_++));
        }
        return sender_.submit(std::move(lease), format_, info, interruptEvent()) == Status::Ok;
    }

    /// Does not rewrite unchanged pixels.
    void sendPart(FrameLease& lease, FrameInfo& info) {
        const std::uint64_t frame = written_++;
        info.pts = static_cast<std::int64_t>(frame);
        if (job_.verify == Verify::Full) {
            damage_->draw(lease.data(), holds_[lease.slot()], frame);
            holds_[lease.slot()] = frame;
        }
        if (job_.tellsDamage) {
            damage_->changes(frame).tellIn(info);
        }
    }

    FrameJob job_;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;     // shared with the leases; null if FrameJob::deviceMemory
    std::optional<DeviceSource> device_;  // if FrameJob::deviceMemory
    std::uint64_t filledHash_ = 0;        // of the slot last returned by acquire()
    Broadcast sender_;
    SenderResult result_;
    CpuUse cpuBefore_;
    TimestampNs begunAt_ = 0;
    std::uint64_t written_ = 0;
    std::optional<DamagePattern> damage_;              // if FrameJob::damage
    std::vector<std::optional<std::uint64_t>> holds_;  // by slot: the frame it shows
    bool measuring_ = false;
};

/// Receives each stream on its own thread, as the viewer does.
nlohmann::json receiveAll(const std::vector<FrameJob>& jobs, const WorkerEmit& emit) {
    StreamWindow window(jobs.size());
    // One stream reports for all.
    const WorkerEmit forAll = [&](nlohmann::json progress) {
        progress["frames"] = progress.at("frames").get<std::uint64_t>() * jobs.size();
        emit(progress);
    };
    const WorkerEmit silent = [](const nlohmann::json&) {};
    std::vector<std::unique_ptr<FrameReceiveRun>> runs;
    runs.reserve(jobs.size());
    for (const FrameJob& job : jobs) {
        runs.push_back(std::make_unique<FrameReceiveRun>(job, runs.empty() ? forAll : silent, &window));
    }
    emit("listening");
    std::vector<std::future<ReceiverResult>> ends;
    ends.reserve(runs.size());
    for (const auto& run : runs) {
        ends.push_back(std::async(std::launch::async, [&run] { return run->run(); }));
    }
    nlohmann::json results = nlohmann::json::array();
    std::uint64_t frames = 0;
    for (auto& end : ends) {
        const ReceiverResult result = end.get();
        frames += result.frames;
        results.push_back(result);
    }
    return {{"streams", std::move(results)}, {"cpu", window.costOf(frames)}};
}

}  // namespace

nlohmann::json framesSendRole(const nlohmann::json& json, const WorkerEmit&) {
    const auto job = json.get<FrameJob>();
    pinThread(senderPin(job.pin));
    return FrameSendRun(job).run();
}

nlohmann::json framesReceiveAllRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto jobs = json.get<std::vector<FrameJob>>();
    pinThread(receiverPin(jobs.front().pin));
    return receiveAll(jobs, emit);
}

nlohmann::json framesReceiveRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto job = json.get<FrameJob>();
    pinThread(receiverPin(job.pin));
    FrameReceiveRun run(job, emit);
    emit("listening");
    return run.run();
}

}  // namespace verbcast
