#include "app/bench/workers/frame_receive_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/bench/workers/frame_pattern.h"
#include "app/host/interrupt.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

ReceiverOptions receiverOptions(const FrameJob& job) {
    ReceiverOptions options;
    options.url = parseUrl(job.address);
    options.listen = true;
    options.reconnect = false;
    options.slots = job.slots;
    options.poll = job.poll;
    options.trust = job.trust();
    options.peerTimeout = 10s;
    options.device = job.deviceMemory ? gpuAllocator(chosenGpu()) : nullptr;
    return options;
}

}  // namespace

FrameReceiveRun::FrameReceiveRun(const FrameJob& job, const WorkerEmit& emit, StreamWindow* window)
    : job_(job),
      emit_(emit),
      window_(window),
      payloadBytes_(job.format().payloadBytes),
      receiver_(receiverOptions(job)) {
    if (job.deviceMemory) {
        seen_ = FramePool::create({.slotBytes = payloadBytes_, .slotCount = 1});
    }
    if (job.damage) {
        damage_.emplace(job.format(), *job.damage);
    }
}

ReceiverResult FrameReceiveRun::run() {
    ReceivedFrame frame;
    while (!interrupted_ && next(frame) == Status::Ok) {
        const TimestampNs arrivedAt = nowNs();
        if (frame.info.inputSequence == 0) {
            cpuBefore_ = cpuUseNow();
            begunAt_ = lastAt_ = arrivedAt;
            warmUp_ = damage_ ? receiver_.stats() : StreamStats{};
        } else {
            count(frame, arrivedAt);
        }
        if (!isRight(frame)) {
            ++result_.corrupt;
        }
        frame.lease.reset();
        tell(arrivedAt);
    }
    finish();
    return std::move(result_);
}

/// Returns Closed when the stream is over or on interrupt.
Status FrameReceiveRun::next(ReceivedFrame& frame) {
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(kFramePatience).count();
    for (;;) {
        const Status status = receiver_.receive(frame, 100ms);
        if (status != Status::TimedOut) {
            return status;
        }
        const TimestampNs now = nowNs();
        if (interruptEvent().isSet()) {
            return Status::Closed;
        }
        if (now > deadline) {
            throw Error(ErrorKind::Network,
                        fmt::format("no frame came on {} for {} s", job_.address, kFramePatience.count()));
        }
    }
}

void FrameReceiveRun::count(const ReceivedFrame& frame, TimestampNs arrivedAt) {
    if (window_ != nullptr) {
        window_->arrived(result_.frames == 0);
    }
    ++result_.frames;
    result_.latency.record(arrivedAt - frame.submittedAt);
    // Welford's running variance of the time between arrivals.
    const auto gap = static_cast<double>(arrivedAt - lastAt_) * 1e-3;
    const double before = gap - meanGap_;
    meanGap_ += before / static_cast<double>(result_.frames);
    gapSquares_ += before * (gap - meanGap_);
    lastAt_ = arrivedAt;
}

bool FrameReceiveRun::isRight(const ReceivedFrame& frame) {
    const FrameInfo& info = frame.info;
    const bool warmUp = info.inputSequence == 0 && result_.lastNumber == 0;
    const bool inOrder =
        info.sequence >= nextSequence_ && (warmUp || info.inputSequence > result_.lastNumber);
    nextSequence_ = info.sequence + 1;
    result_.lastNumber = info.inputSequence;
    if (job_.verify == Verify::None) {
        return true;
    }
    if (!inOrder || info.payloadBytes != payloadBytes_) {
        return false;
    }
    if (damage_ && job_.verify == Verify::Full) {
        return damage_->isRight(frame.lease.data(), static_cast<std::uint64_t>(info.pts));
    }
    if (job_.verify == Verify::Header) {
        return true;
    }
    if (seen_) {
        DeviceLease::of(frame.lease.share()).read({seen_->slotData(0), payloadBytes_});
    }
    const std::byte* const pixels = seen_ ? seen_->slotData(0) : frame.lease.data();
    return frameIsIntact({pixels, payloadBytes_}, static_cast<std::uint64_t>(info.pts));
}

void FrameReceiveRun::tell(TimestampNs now) {
    if (now - toldAt_ >= kWorkerProgressNs) {
        toldAt_ = now;
        emit_({{"frames", result_.frames}, {"seconds", static_cast<double>(now - begunAt_) * 1e-9}});
        interrupted_ = interruptEvent().isSet();
    }
}

void FrameReceiveRun::finish() {
    if (window_ != nullptr) {
        window_->ended();
    }
    const StreamStats stats = receiver_.stats();
    result_.copiesPerFrame = copiesPerFrame(stats.bytesCopied, stats);
    result_.cipherGigabytesPerSecond = stats.cipher.gigabytesPerSecond();
    result_.pcieCopiesPerFrame = copiesPerFrame(stats.bytesToDevice, stats);
    if (result_.frames > 0) {
        // Relative to frames that arrived since: at the end of warm-up, some had already arrived.
        const std::uint64_t came = stats.framesTransferred - warmUp_.framesTransferred;
        result_.bytesMovedPerFrame = static_cast<double>(stats.bytesMoved - warmUp_.bytesMoved) /
                                     static_cast<double>(std::max<std::uint64_t>(came, 1));
        result_.cpu = cpuUseNow() - cpuBefore_;
        result_.seconds = static_cast<double>(lastAt_ - begunAt_) * 1e-9;
        result_.jitterUs = std::sqrt(gapSquares_ / static_cast<double>(result_.frames));
    }
}

}  // namespace verbcast
