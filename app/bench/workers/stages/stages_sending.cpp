#include "app/bench/workers/stages/stages_sending.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "app/bench/workers/device_ends.h"
#include "app/host/interrupt.h"
#include "app/host/pacer.h"
#include "core/base/error.h"
#include "core/base/os/early_wake.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/stream/broadcast.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

SenderOptions senderOptions(const StagesJob& job) {
    SenderOptions options;
    options.url = parseUrl(job.address);
    options.listen = false;
    options.policy = job.fps ? Policy::Latest : Policy::Lossless;
    options.slots = job.slots;
    options.poll = job.poll;
    options.allowInput = job.input;
    options.reconnect = false;
    options.peerTimeout = 10s;  // with all processors loaded a heartbeat may be late
    return options;
}

class StagesSending {
  public:
    StagesSending(const StagesJob& job, const StagesSource& what, const WorkerEmit& emit)
        : job_(job),
          what_(what),
          sender_(senderOptions(job)),
          pacer_(job.fps ? Pacing::Rate : Pacing::Max, job.fps.value_or(Rational{1, 1})) {
        if (sender_.waitForReceiver(30s, interruptEvent()) == Status::TimedOut) {
            throw Error(ErrorKind::Network, "the stages' receiver does not answer on " + job.address);
        }
        emit({{"sending", what_.source.describe()}});
    }

    nlohmann::json run() {
        lastEnd_ = Moment::now();
        while (sendOne()) {
        }
        nlohmann::json stages = nlohmann::json::array();
        const auto add = [&](const char* name, const StageMeter& meter) {
            stages.push_back(StageRun::Stage{name, meter.percentiles()});
        };
        if (what_.render != nullptr) {
            add("draw scene", what_.render->draw());
            add("read scene", what_.render->readBack());
        } else {
            add(what_.source.isLive() ? "draw pattern" : "decode", capture_);
        }
        if (!job_.fps) {
            add("wait for room", room_);
        }
        if (bytesToDevice_ > 0) {
            add("to GPU", toDevice_);
        }
        nlohmann::json result{
            {"source", what_.source.describe()}, {"notes", what_.source.notes()}, {"stages", stages}};
        if (what_.render != nullptr) {
            result["costs"] = costs();
        }
        const StreamStats stats = sender_.stats();
        const double submitted = std::max(1.0, static_cast<double>(submittedBytes_));
        result["copies"] = {{"processor", copiesPerFrame(stats.bytesCopied, stats)},
                            {"gpu", static_cast<double>(drawnInDevice_) / static_cast<double>(index_)},
                            {"pcie", copiesPerFrame(stats.bytesFromDevice, stats) +
                                         static_cast<double>(bytesToDevice_) / submitted}};
        return result;
    }

  private:
    /// Returns false if the receiver has enough, or on Ctrl-C.
    bool sendOne() {
        // Wait before capturing, even for files: a frame's life begins when it is due, as with a camera.
        if (!sender_.waitUntilDue(pacer_.due(index_, 0, {1, 1}, nowNs()), interruptEvent()) ||
            interruptEvent().isSet()) {
            return false;
        }
        takeInput();
        CapturedFrame frame;
        if (what_.source.capture(frame, interruptEvent()) != Status::Ok) {
            return false;
        }
        const Moment complete = Moment::now();
        Moment room = complete;
        const bool moves = job_.deviceMemory && !isInDevice(frame.lease);
        if (moves && !moveToDevice(frame, room)) {
            return false;
        }
        FrameInfo info;
        info.pts = frame.pts;
        info.flags = frame.flags;
        info.capturedAt = frame.capturedAt;
        info.inputSequence = what_.target != nullptr ? frame.inputSequence : inputSerial_;
        submittedBytes_ += frame.format.payloadBytes;
        if (sender_.submit(std::move(frame.lease), frame.format, info, interruptEvent()) != Status::Ok) {
            return false;
        }
        const Moment submitted = Moment::now();
        record({.at = frame.capturedAt}, complete, moves ? room : submitted, submitted);
        drawnInDevice_ += job_.deviceMemory && !moves ? 1 : 0;
        ++index_;
        return true;
    }

    /// `room`: when there was room for the frame.
    void record(const Moment& captured, const Moment& complete, const Moment& room, const Moment& submitted) {
        capture_.record(captured, complete);
        room_.record(complete, room);
        whole_.record(lastEnd_, submitted);
        lastEnd_ = submitted;
        if (what_.render != nullptr) {
            what_.render->complete(complete);
        }
    }

    /// Replaces the source's slot by one of the GPU's ring that holds the frame. Returns false on Ctrl-C.
    bool moveToDevice(CapturedFrame& frame, Moment& room) {
        const std::uint64_t bytes = frame.format.payloadBytes;
        if (!ring_ || ring_->slotBytes() < bytes) {
            ring_.emplace(makeGpuRing(chosenGpu(), bytes, job_.slots));
        }
        if (const auto& memory = frame.lease.pool()->memory(); memory != pinnedMemory_) {
            pinned_ = pinnedOrNot(ring_->device(), memory);
            pinnedMemory_ = memory;
        }
        std::optional<DeviceLease> slot;
        while (!slot && !interruptEvent().isSet()) {
            slot = ring_->acquire(100ms, &interruptEvent());
        }
        if (!slot) {
            return false;
        }
        room = Moment::now();
        slot->write({frame.lease.data(), bytes});
        bytesToDevice_ += bytes;
        toDevice_.record(room, Moment::now());
        frame.lease = std::move(*slot).release();
        return true;
    }

    void takeInput() {
        if (!job_.input) {
            return;
        }
        input_.clear();
        sender_.takeInput(input_);
        inputSerial_ = input_.empty() ? inputSerial_ : input_.back().serial;
        if (what_.target != nullptr) {
            what_.target->apply(input_);
        }
    }

    /// CPU time not spent on drawing and reading back is spent on handing over.
    nlohmann::json costs() const {
        const double readBack = what_.render->readBack().cpuUsPerFrame();
        return {
            {"read_back", what_.render->readBack().cost()},
            {"hand_off_cpu_us", whole_.cpuUsPerFrame() - what_.render->draw().cpuUsPerFrame() - readBack}};
    }

    const StagesJob& job_;
    const StagesSource what_;
    Broadcast sender_;
    Pacer pacer_;
    std::optional<DevicePool> ring_;              // if job.deviceMemory
    std::shared_ptr<const Memory> pinnedMemory_;  // the source's; shared like all memory
    std::unique_ptr<PinnedMemory> pinned_;        // null: not pinned, so copies are slower
    std::uint64_t bytesToDevice_ = 0, submittedBytes_ = 0;
    std::uint64_t drawnInDevice_ = 0;  // frames that their source made there
    StageMeter capture_{kFirstStageFrames}, room_{kFirstStageFrames}, toDevice_{kFirstStageFrames},
        whole_{kFirstStageFrames};
    Moment lastEnd_;
    std::vector<ViewerInput> input_;  // kept to reuse its memory
    std::uint64_t inputSerial_ = 0, index_ = 0;
};

}  // namespace

std::uint32_t sourceSlots(const StagesJob& job) {
    return job.slots + (job.fps ? 4 : 0);
}

nlohmann::json sendStages(const StagesJob& job, const StagesSource& source, const WorkerEmit& emit) {
    wakeExactly();
    return StagesSending(job, source, emit).run();
}

}  // namespace verbcast
