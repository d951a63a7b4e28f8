#include "app/bench/gl/stages_roles.h"

#include <memory>

#include "app/bench/gl/upload_rate.h"
#include "app/bench/workers/pinning.h"
#include "app/bench/workers/stages/stages_sending.h"
#include "app/host/interrupt.h"
#include "capture/gl/gl_source.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

/// As `verbcast render`, but waits for drawing before reading back: otherwise that wait would count as
/// read-back.
GlSourceOptions sourceOptions(const StagesJob& job, RenderMeter& meter) {
    GlSourceOptions options;
    const std::string scene = sceneOf(job.source).value_or("");
    options.scene = scene.empty() ? options.scene : scene;
    options.width = job.size.value_or(kFrameSize).width;
    options.height = job.size.value_or(kFrameSize).height;
    options.frameRate = job.fps.value_or(Rational{0, 1});
    options.slots = sourceSlots(job);
    options.memory = job.deviceMemory ? PictureMemory::Device : PictureMemory::Host;
    options.drawing = [&meter] { meter.drawing(); };
    options.drawn = [&meter] { meter.drawn(); };
    return options;
}

/// Renders for as long as the job says and drops every frame.
class ReadingBack {
  public:
    ReadingBack(const StagesJob& job, const WorkerEmit& emit)
        : job_(job), emit_(emit), source_(sourceOptions(job, meter_)) {}

    nlohmann::json run() {
        while (!complete() && !interruptEvent().isSet()) {
            CapturedFrame frame;
            if (source_.capture(frame, interruptEvent()) != Status::Ok) {
                break;
            }
            meter_.complete(Moment::now());
            begunAt_ = ++frames_ == kFirstStageFrames ? nowNs() : begunAt_;
            tellProgress();
        }
        return {{"read_back", meter_.readBack().cost()}, {"pixel_format", source_.format().pixelFormat}};
    }

  private:
    bool complete() const {
        if (frames_ <= kFirstStageFrames) {
            return false;
        }
        return job_.frames ? frames_ >= *job_.frames + kFirstStageFrames
                           : static_cast<double>(nowNs() - begunAt_) * 1e-9 >= job_.seconds;
    }

    void tellProgress() {
        if (const TimestampNs now = nowNs(); now - toldAt_ >= kWorkerProgressNs) {
            toldAt_ = now;
            emit_({{"frames", frames_}});
        }
    }

    const StagesJob& job_;
    const WorkerEmit& emit_;
    RenderMeter meter_;
    GlSource source_;
    std::uint64_t frames_ = 0;
    TimestampNs begunAt_ = 0, toldAt_ = 0;
};

}  // namespace

nlohmann::json stagesRenderRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto job = json.get<StagesJob>();
    pinThread(senderPin(job.pin));
    RenderMeter meter;
    GlSource source(sourceOptions(job, meter));
    const std::unique_ptr<InputInjector> target = source.inputInjector();
    return sendStages(job, {.source = source, .target = target.get(), .render = &meter}, emit);
}

nlohmann::json stagesReadBackRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto job = json.get<StagesJob>();
    pinThread(senderPin(job.pin));
    return ReadingBack(job, emit).run();
}

nlohmann::json stagesUploadRole(const nlohmann::json& json, const WorkerEmit&) {
    const auto job = json.get<StagesJob>();
    pinThread(receiverPin(job.pin));
    const PictureSize size = job.size.value_or(kFrameSize);
    const UploadRate rate = measureUpload(
        tightFormat(size.width, size.height, job.pixelFormat.value_or(PixelFormat::rgba)), job.deviceMemory);
    return {{"upload", rate.cost}, {"path", rate.path}};
}

}  // namespace verbcast
