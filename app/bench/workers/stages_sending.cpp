#include "app/bench/workers/stages_sending.h"

#include <sys/prctl.h>

#include <memory>

#include "app/host/interrupt.h"
#include "app/host/pacer.h"
#include "core/base/error.h"
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
            stages.push_back(stageToJson({name, meter.percentiles()}));
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
        nlohmann::json result{
            {"source", what_.source.describe()}, {"notes", what_.source.notes()}, {"stages", stages}};
        if (what_.render != nullptr) {
            result["costs"] = costs();
        }
        return result;
    }

  private:
    /// False: the receiver has what it wanted, or it is Ctrl-C.
    bool sendOne() {
        // Paced before the capture, also for files: a frame's life begins at its moment, as a camera's does.
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
        FrameInfo info;
        info.pts = frame.pts;
        info.flags = frame.flags;
        info.capturedAt = frame.capturedAt;
        info.inputSequence = what_.target != nullptr ? frame.inputSequence : inputSerial_;
        if (sender_.submit(std::move(frame.lease), frame.format, info, interruptEvent()) != Status::Ok) {
            return false;
        }
        record({.at = frame.capturedAt}, complete, Moment::now());
        ++index_;
        return true;
    }

    void record(const Moment& captured, const Moment& complete, const Moment& submitted) {
        capture_.record(captured, complete);
        room_.record(complete, submitted);
        whole_.record(lastEnd_, submitted);
        lastEnd_ = submitted;
        if (what_.render != nullptr) {
            what_.render->complete(complete);
        }
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

    /// What this process does besides drawing and reading back is handing over.
    nlohmann::json costs() const {
        const double readBack = what_.render->readBack().cpuUsPerFrame();
        return {
            {"read_back", costToJson(what_.render->readBack().cost())},
            {"hand_off_cpu_us", whole_.cpuUsPerFrame() - what_.render->draw().cpuUsPerFrame() - readBack}};
    }

    const StagesJob& job_;
    const StagesSource what_;
    Broadcast sender_;
    Pacer pacer_;
    StageMeter capture_{kFirstStageFrames}, room_{kFirstStageFrames}, whole_{kFirstStageFrames};
    Moment lastEnd_;
    std::vector<ViewerInput> input_;  // kept for its memory
    std::uint64_t inputSerial_ = 0, index_ = 0;
};

}  // namespace

std::uint32_t sourceSlots(const StagesJob& job) {
    return job.slots + (job.fps ? 4 : 0);
}

nlohmann::json sendStages(const StagesJob& job, const StagesSource& source, const WorkerEmit& emit) {
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // wake within a microsecond of a frame's moment
    return StagesSending(job, source, emit).run();
}

}  // namespace verbcast
