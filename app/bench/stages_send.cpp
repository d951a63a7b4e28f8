// bench stages, the process at the source: decodes or draws, and sends.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <memory>

#include "app/bench/bench_roles.h"
#include "app/bench/stages_job.h"
#include "app/interrupt.h"
#include "app/pacer.h"
#include "capture/frame_source.h"
#include "core/base/error.h"
#include "core/session/frame_sender.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// The first frames touch every slot of the pool for the first time.
constexpr std::uint64_t kFirstFrames = 24;

/// Times of what happens once for each frame; those of the first frames count only when no others came.
class StageTimes {
  public:
    void record(std::int64_t nanoseconds) { (count_++ < kFirstFrames ? first_ : later_).record(nanoseconds); }
    Percentiles percentiles() const { return (later_.count() > 0 ? later_ : first_).percentiles(); }

  private:
    std::uint64_t count_ = 0;
    LatencyHistogram first_, later_;
};

SourceOptions sourceOptions(const StagesJob& job) {
    SourceOptions options;
    options.source = job.source;
    options.pixelFormat = job.pixelFormat;
    if (job.size) {
        options.width = job.size->width;
        options.height = job.size->height;
    }
    options.frameRate = job.fps;
    options.loop = true;
    // At a fixed rate a frame must never wait for a slot, or the moment of its capture would move and hide
    // the wait: two more than are queued and in flight.
    options.slots = job.slots + (job.fps ? 4 : 0);
    return options;
}

SenderOptions senderOptions(const StagesJob& job) {
    SenderOptions options;
    options.url = parseUrl(job.address);
    options.listen = false;
    options.policy = job.fps ? Policy::Latest : Policy::Lossless;
    options.slots = job.slots;
    options.poll = job.poll;
    options.reconnect = false;
    options.peerTimeout = 10s;  // with all processors loaded a heartbeat may be late
    return options;
}

class StagesSending {
  public:
    StagesSending(const StagesJob& job, const WorkerEmit& emit)
        : job_(job),
          source_(openSource(sourceOptions(job))),
          pacer_(job.fps ? Pacing::Rate : Pacing::Max, job.fps.value_or(Rational{1, 1})) {
        sender_ = std::make_unique<FrameSender>(senderOptions(job));
        if (sender_->waitForReceiver(30s, interruptEvent()) == Status::TimedOut) {
            throw Error(ErrorKind::Network, "the stages' receiver does not answer on " + job.address);
        }
        emit({{"sending", source_->describe()}});
    }

    nlohmann::json run() {
        while (sendOne()) {
        }
        nlohmann::json stages = nlohmann::json::array();
        stages.push_back(
            stageToJson({source_->isLive() ? "draw pattern" : "decode", capture_.percentiles()}));
        if (!job_.fps) {
            stages.push_back(stageToJson({"wait for room", room_.percentiles()}));
        }
        return {{"source", source_->describe()}, {"notes", source_->notes()}, {"stages", stages}};
    }

  private:
    /// False: the receiver has what it wanted, or it is Ctrl-C.
    bool sendOne() {
        // Paced before the capture, also for files: a frame's life begins at its moment, as a camera's does.
        if (!sender_->waitUntilDue(pacer_.due(index_, 0, {1, 1}, nowNs()), interruptEvent()) ||
            interruptEvent().isSet()) {
            return false;
        }
        CapturedFrame frame;
        if (source_->capture(frame, interruptEvent()) != Status::Ok) {
            return false;
        }
        const TimestampNs complete = nowNs();
        FrameInfo info;
        info.pts = frame.pts;
        info.flags = frame.flags;
        info.capturedAt = frame.capturedAt;
        if (sender_->submit(std::move(frame.lease), frame.format, info, interruptEvent()) != Status::Ok) {
            return false;
        }
        capture_.record(complete - frame.capturedAt);
        room_.record(nowNs() - complete);
        ++index_;
        return true;
    }

    const StagesJob& job_;
    std::unique_ptr<FrameSource> source_;
    std::unique_ptr<FrameSender> sender_;
    Pacer pacer_;
    StageTimes capture_, room_;
    std::uint64_t index_ = 0;
};

}  // namespace

nlohmann::json stagesSendRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const StagesJob job = stagesJobFromJson(json);
    if (job.pin.size() == 2) {
        keepOnProcessor(job.pin[0]);
    }
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // wake within a microsecond of a frame's moment
    return StagesSending(job, emit).run();
}

}  // namespace verbcast
