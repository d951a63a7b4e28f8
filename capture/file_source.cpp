#include "capture/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

/// Lets reads be cancelled for the length of one call.
class CancelScope {
  public:
    CancelScope(MediaInput& input, const Event& cancel) : input_(input) { input_.setCancel(&cancel); }
    ~CancelScope() { input_.setCancel(nullptr); }
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;

  private:
    MediaInput& input_;
};

InPlaceRule inPlaceRule(const SourceOptions& options) {
    return {.pixelFormat = options.pixelFormat, .width = options.width, .height = options.height};
}

MediaInput openInput(const SourceOptions& options, std::optional<PipedMedia> piped) {
    if (piped) {
        return MediaInput(std::move(*piped), options.cancel);
    }
    return MediaInput(options.source, options.cancel);
}

}  // namespace

FileSource::FileSource(const SourceOptions& options, std::optional<PipedMedia> piped)
    : options_(options),
      allocator_(std::max<std::uint32_t>(1, options.slots)),
      input_(openInput(options, std::move(piped))),
      decoder_(input_, options.decoderThreads, allocator_, inPlaceRule(options)),
      picture_(newFrame()),
      delivery_(options, allocator_),
      clock_(input_.stream().time_base, input_.startTime(), input_.frameRate()) {
    traits_ = {.frameRate = input_.frameRate(),
               .timeBase = clock_.timeBase(),
               .pixelAspect = {1, 1},
               .rotation = input_.rotation()};
    if (!input_.rotationIsExact()) {
        addNote(fmt::format("{} asks for a mirrored or tilted picture, which is not carried", input_.path()));
    }
    const Event never;
    CapturedFrame frame;
    if (produce(frame, options_.cancel != nullptr ? *options_.cancel : never) != Status::Ok) {
        throw Error(ErrorKind::Input, nothingDecoded(),
                    "see what FFmpeg makes of it: ffplay " + input_.path());
    }
    format_ = frame.format;
    first_ = std::move(frame);
}

std::string FileSource::nothingDecoded() const {
    std::string text = input_.path() + " holds video, but no picture of it could be decoded";
    if (counters_.packetsUndecodable > 0) {
        text += fmt::format(" ({} damaged packets)", counters_.packetsUndecodable);
    }
    return text;
}

std::string FileSource::describe() const {
    return fmt::format("{}{} ({})", input_.isPiped() ? "" : "file ", input_.path(), decoder_.codecName());
}

std::optional<std::uint64_t> FileSource::expectedFrames() const {
    return options_.loop ? std::nullopt : input_.pictureCount();
}

Status FileSource::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    if (first_) {
        frame = std::move(*first_);
        first_.reset();
    } else if (const Status status = produce(frame, cancel); status != Status::Ok) {
        return status;
    }
    format_ = frame.format;
    ++counters_.frames;
    return Status::Ok;
}

Status FileSource::produce(CapturedFrame& frame, const Event& cancel) {
    if (finished_) {
        return Status::Closed;
    }
    if (const Status room = allocator_.waitForConsumers(cancel); room != Status::Ok) {
        return room;
    }
    const CancelScope scope(input_, cancel);
    const TimestampNs began = nowNs();
    if (const Status decoded = decode(); decoded != Status::Ok) {
        return decoded;
    }
    const bool concealed = allocator_.takeDamage(*picture_);
    traits_.pixelAspect = input_.pixelAspect(*picture_);
    const Status delivered = delivery_.deliver(*picture_, traits_, cancel, frame, counters_);
    if (delivery_.note()) {
        addNote(*delivery_.note());
    }
    frame.pts = clock_.ptsOf(*picture_);
    frame.capturedAt = began;
    frame.flags = 0;
    if (concealed || (picture_->flags & AV_FRAME_FLAG_CORRUPT) != 0 || picture_->decode_error_flags != 0) {
        frame.flags = kFrameDamaged;
        ++counters_.framesDamaged;
    }
    if (picture_->best_effort_timestamp != AV_NOPTS_VALUE) {
        lastEnd_ = std::max(lastEnd_, picture_->best_effort_timestamp + picture_->pkt_duration);
    }
    av_frame_unref(picture_.get());
    return delivered;
}

Status FileSource::decode() {
    for (;;) {
        const Status status = decoder_.next(input_, *picture_, counters_);
        if (status == Status::Ok) {
            ++picturesInLap_;
            return status;
        }
        if (status != Status::Closed) {
            return status;
        }
        if (picturesInLap_ == 0 || !options_.loop) {
            finish();
            return Status::Closed;
        }
        picturesInLap_ = 0;
        input_.rewind();
        decoder_.restart();
        clock_.startLap();
    }
}

void FileSource::finish() {
    finished_ = true;
    if (decoder_.readProblem()) {
        addNote(fmt::format("reading {} stopped before its end: {}", input_.path(), *decoder_.readProblem()));
        return;
    }
    // Some containers (Matroska) end without an error where they were cut; their header knows better.
    const auto end = input_.announcedEnd();
    const AVRational base = input_.stream().time_base;
    const double missing = end ? static_cast<double>(*end - lastEnd_) * base.num / base.den : 0;
    const double tolerance = 0.25 + (traits_.frameRate.numerator > 0 ? 2 / traits_.frameRate.value() : 0);
    if (missing > tolerance) {
        ++counters_.packetsUndecodable;
        addNote(fmt::format("{} ends {:.2f} s before the end that it announces", input_.path(), missing));
    }
}

void FileSource::addNote(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) {
        notes_.push_back(note);
    }
}

}  // namespace verbcast
