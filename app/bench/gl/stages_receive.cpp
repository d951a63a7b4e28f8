#include "app/bench/gl/stages_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "app/bench/workers/pinning.h"
#include "app/bench/workers/stages/stage_meter.h"
#include "app/bench/workers/stages/stages_job.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/base/os/early_wake.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/stream/frame_receiver.h"
#include "render/gl/gl_renderer.h"
#include "render/gl/offscreen_context.h"
#include "render/scenes/scene.h"
#include "render/stream_renderer.h"
#include "render/upload/upload_choice.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr float kBlack[3] = {0, 0, 0};
constexpr int kMaxWidth = 3840, kMaxHeight = 2160;
// Frames, after the upload path was chosen, in which slots and textures are touched for the first time; at
// low rates, half a second.
constexpr std::uint64_t kWarmUpFrames = 12;
constexpr std::int64_t kWarmUpNs = 500'000'000;

ReceiverOptions receiverOptions(const StagesJob& job) {
    ReceiverOptions options;
    options.url = parseUrl(job.address);
    options.listen = true;
    options.slots = job.slots;
    options.poll = job.poll;
    options.reconnect = false;
    options.endWithStream = true;
    options.device = job.deviceMemory ? gpuAllocator(chosenGpu()) : nullptr;
    options.peerTimeout = 10s;  // with all processors loaded a heartbeat may be late
    return options;
}

/// A target of the upright picture's size, scaled down to at most 3840x2160.
OffscreenTarget targetFor(OffscreenContext& context, const VideoFormat& format) {
    const DisplaySize size = displaySize(format);
    const double scale = std::min({1.0, kMaxWidth / size.width, kMaxHeight / size.height});
    return {context, std::max(1, static_cast<int>(std::lround(size.width * scale))),
            std::max(1, static_cast<int>(std::lround(size.height * scale)))};
}

/// Times at which one frame reaches each step in this process.
struct Moments {
    Moment taken, uploaded, drawn, readBack;
};

/// Times of each stage over the measured frames.
struct Stages {
    LatencyHistogram post, wire, handOff, queue, total;
    StageMeter upload, draw, readBack, whole;

    // Sender and receiver run on one host, so their clock is the same.
    void record(const ReceivedFrame& frame, const Moment& lastEnd, const Moments& at) {
        post.record(frame.info.postedAt - frame.info.submittedAt);
        wire.record(frame.arrivedAt - frame.info.postedAt);
        handOff.record(frame.arrivedAt - frame.info.submittedAt);
        queue.record(at.taken.at - frame.arrivedAt);
        upload.record(at.taken, at.uploaded);
        draw.record(at.uploaded, at.drawn);
        readBack.record(at.drawn, at.readBack);
        whole.record(lastEnd, at.readBack);
        total.record(at.readBack.at - frame.info.capturedAt);
    }

    /// CPU time not spent on uploading, drawing and reading back is spent on receiving frames.
    nlohmann::json costs() const {
        const double rest =
            whole.cpuUsPerFrame() - upload.cpuUsPerFrame() - draw.cpuUsPerFrame() - readBack.cpuUsPerFrame();
        return {{"upload", upload.cost()},
                {"hand_off", PartCost{.cpuUs = rest, .wallUs = handOff.percentiles().p50}}};
    }
};

/// Simulates a user's input over the picture: until it is destroyed, moves the pointer at random times, about
/// 60 times a second and independent of frames, on its own thread. `receiver`, which times the events, must
/// outlive this.
class InputSource {
  public:
    explicit InputSource(FrameReceiver& receiver) : receiver_(receiver), thread_([this] { run(); }) {}
    ~InputSource() { stop_.notify(); }
    InputSource(const InputSource&) = delete;
    InputSource& operator=(const InputSource&) = delete;

  private:
    void run() {
        wakeExactly();
        // Not a multiple of any frame rate: every phase of a frame's time is equally likely.
        std::uniform_int_distribution<TimestampNs> wait(4'000'000, 29'000'000);
        std::minstd_rand random(1);
        float x = 0;
        while (waitUntil(nowNs() + wait(random), stop_)) {
            x = x < 64 ? x + 1 : 0;
            receiver_.sendInput({.kind = InputKind::PointerMove, .x = x, .y = x});
        }
    }

    FrameReceiver& receiver_;
    Event stop_;
    std::jthread thread_;  // last: it uses the members above
};

class StagesReceiving {
  public:
    StagesReceiving(const StagesJob& job, const WorkerEmit& emit)
        : job_(job), emit_(emit), receiver_(receiverOptions(job)) {
        emit_({{"listening", true}});
    }

    nlohmann::json run() {
        while (!interruptEvent().isSet() && !complete()) {
            tellProgress();
            ReceivedFrame frame;
            // At a fixed rate it skips frames as the viewer does; otherwise it takes all.
            const Status status =
                job_.fps ? receiver_.receiveNewest(frame, 100ms) : receiver_.receive(frame, 100ms);
            if (status == Status::Ok) {
                take(frame);
            } else if (status != Status::TimedOut) {
                break;
            }
        }
        input_.reset();
        receiver_.cancel();
        return result();
    }

  private:
    void take(ReceivedFrame& frame) {
        if (frame.format != format_) {
            settle(frame);
        }
        const Moments at = show(frame);
        receiver_.frameShown(frame);
        const Moment lastEnd = std::exchange(lastEnd_, at.readBack);
        if (warmUp(frame, at)) {
            return;
        }
        stages_.record(frame, lastEnd, at);
        if (measured_ > 0) {
            dropped_ += frame.info.sequence - lastSequence_ - 1;
        } else {
            begin(at.readBack.at);
        }
        lastSequence_ = frame.info.sequence;
        lastAt_ = at.readBack.at;
        ++measured_;
    }

    void begin(TimestampNs now) {
        firstAt_ = now;
        if (job_.input) {
            input_ = std::make_unique<InputSource>(receiver_);
        }
    }

    Moments show(ReceivedFrame& frame) {
        Moments at;
        at.taken = Moment::now();
        upload(frame);
        finishGl();
        at.uploaded = Moment::now();
        frame.lease.reset();  // lets the sender reuse the slot while this picture is drawn
        target_->bind();
        renderer_.draw(fitPlacement(*format_, target_->width(), target_->height()), target_->width(),
                       target_->height(), kBlack);
        finishGl();
        at.drawn = at.readBack = Moment::now();
        if (job_.readBack) {
            target_->read();
            at.readBack = Moment::now();
        }
        return at;
    }

    /// For a new format: prepares textures, shaders and target, and chooses the faster upload path with this
    /// picture, so that none of this is measured.
    void settle(const ReceivedFrame& frame) {
        format_ = frame.format;
        target_ = targetFor(context_, *format_);
        do {
            upload(frame);
        } while (renderer_.uploadReport().path == UploadPath::Measure);
        settledAt_ = nowNs();
        shownSince_ = 0;
    }

    /// From a GPU's memory within the GPU, if OpenGL draws there, else by way of main memory.
    void upload(const ReceivedFrame& frame) {
        renderer_.take(*frame.format, frame.lease, PictureChanges::all(),
                       [&] { return receiver_.confirm(frame); });
    }

    bool warmUp(const ReceivedFrame& frame, const Moments& at) {
        ++shownSince_;
        return frame.capturedAt < settledAt_ ||
               (shownSince_ <= kWarmUpFrames && at.taken.at - settledAt_ < kWarmUpNs);
    }

    bool complete() const {
        if (measured_ == 0) {
            return false;
        }
        return job_.frames ? measured_ >= *job_.frames
                           : static_cast<double>(nowNs() - firstAt_) * 1e-9 >= job_.seconds;
    }

    void tellProgress() {
        const TimestampNs now = nowNs();
        if (now - toldAt_ >= kWorkerProgressNs) {
            toldAt_ = now;
            emit_({{"frames", measured_}});
        }
    }

    nlohmann::json result() {
        if (measured_ == 0) {
            throw Error(ErrorKind::Network,
                        fmt::format("no frame was measured: {}", receiver_.status().text));
        }
        const double seconds = static_cast<double>(lastAt_ - firstAt_) * 1e-9;
        nlohmann::json stages = nlohmann::json::array();
        const auto add = [&](const char* name, const auto& times) {
            stages.push_back(StageRun::Stage{name, times.percentiles()});
        };
        add("post", stages_.post);
        add("wire", stages_.wire);
        add("queue", stages_.queue);
        add("upload", stages_.upload);
        add("draw", stages_.draw);
        if (job_.readBack) {
            add("read back", stages_.readBack);
        }
        nlohmann::json input;  // null: no input was sent
        if (job_.input) {
            input = receiver_.stats().inputToPicture;
        }
        const UploadReport upload = renderer_.uploadReport();
        const auto shownShare = [&](std::uint64_t frames) {
            return static_cast<double>(frames) / static_cast<double>(upload.withinGpu + upload.uploaded);
        };
        const StreamStats stats = receiver_.stats();
        return {{"renderer", glRendererName()},
                {"frame_bytes", format_->payloadBytes},
                {"copies",
                 {{"processor", copiesPerFrame(stats.bytesCopied, stats)},
                  {"gpu", shownShare(upload.withinGpu)},
                  {"pcie", copiesPerFrame(stats.bytesToDevice, stats) +
                               (job_.deviceMemory ? shownShare(upload.uploaded) : 0)}}},
                {"draws_on_processors", rendersInSoftware()},
                {"upload_path", nameOf(renderer_.uploadReport().path)},
                {"width", format_->width},
                {"height", format_->height},
                {"pixel_format", pixelFormatName(format_->pixelFormat)},
                {"frames", measured_},
                {"frames_dropped", dropped_},
                {"fps", seconds > 0 ? static_cast<double>(measured_ - 1) / seconds : 0.0},
                {"stages", stages},
                {"total", stages_.total.percentiles()},
                {"costs", stages_.costs()},
                {"input_to_picture", input}};
    }

    const StagesJob& job_;
    const WorkerEmit& emit_;
    OffscreenContext context_;
    StreamRenderer renderer_;
    std::optional<OffscreenTarget> target_;
    FrameReceiver receiver_;
    std::shared_ptr<const VideoFormat> format_;  // shared with the frames: detects a change of format
    Stages stages_;
    Moment lastEnd_;
    TimestampNs settledAt_ = 0, firstAt_ = 0, lastAt_ = 0, toldAt_ = 0;
    std::uint64_t shownSince_ = 0, measured_ = 0, dropped_ = 0, lastSequence_ = 0;
    std::unique_ptr<InputSource> input_;  // last: it uses receiver_
};

}  // namespace

nlohmann::json stagesReceiveRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto job = json.get<StagesJob>();
    pinThread(receiverPin(job.pin));
    return StagesReceiving(job, emit).run();
}

}  // namespace verbcast
