#include "capture/media/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "capture/convert/format_mapping.h"
#include "capture/convert/hdr_metadata.h"
#include "capture/media/reopened_sound.h"
#include "capture/sound/file_sound.h"
#include "core/memory/device_pool.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr double kGuessedRate = 25;
constexpr std::chrono::microseconds kFirstMargin = 1s;

std::chrono::microseconds microseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time);
}

/// Makes reads cancellable during one call.
class CancelScope {
  public:
    CancelScope(MediaInput& input, const Event& cancel) : input_(input) { input_.setCancel(&cancel); }
    ~CancelScope() { input_.setCancel(nullptr); }
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;

  private:
    MediaInput& input_;
};

bool isInterlaced(const AVFrame& picture) {
#ifdef AV_FRAME_FLAG_INTERLACED
    return (picture.flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return picture.interlaced_frame != 0;
#endif
}

bool isTopFirst(const AVFrame& picture) {
#ifdef AV_FRAME_FLAG_TOP_FIELD_FIRST
    return (picture.flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    return picture.top_field_first != 0;
#endif
}

}  // namespace

FileSource::FileSource(const SourceOptions& options, std::optional<PipedMedia> piped)
    : options_(options),
      allocator_(std::max<std::uint32_t>(1, options.slots)),
      input_(options.source, options.cancel, {options.inputFormat, options.videoTrack, options.soundTrack},
             std::move(piped)),
      decoder_(
          input_,
          {.decoder = options.decoder,
           .threads = options.decoderThreads,
           .use = options.memory == PictureMemory::Host ? PicturesFor::MainMemory : PicturesFor::GpuCopies},
          allocator_, {options.pixelFormat, options.width, options.height}),
      picture_(newFrame()),
      delivery_(options, allocator_),
      clock_(input_.stream().time_base, input_.timeAt(microseconds(options.start)), input_.frameRate(),
             input_.hasConstantRate()) {
    const Event never;
    const Event& cancel = options.cancel != nullptr ? *options.cancel : never;
    traits_ = {.frameRate = input_.frameRate(),
               .timeBase = clock_.timeBase(),
               .pixelAspect = {1, 1},
               .fieldOrder = fieldOrderFrom(input_.stream().codecpar->field_order),
               .hdr = hdrOf(input_.stream()).value_or(HdrMetadata{})};
    take(orientationOf(input_.stream()));
    if (!input_.tracksNote().empty()) {
        addNote(input_.tracksNote());
    }
    if (options.start.count() > 0) {
        from_ = input_.timeAt(microseconds(options.start));
        place_ = microseconds(options.start);
        const CancelScope scope(input_, cancel);
        arriving_ = input_.seek(place_);  // input that cannot seek is read from its beginning
    }
    nextTime_ = arriving_ ? AV_NOPTS_VALUE : input_.startTime();
    CapturedFrame frame;
    if (produce(frame, cancel) != Status::Ok) {
        throw Error(ErrorKind::Input, nothingDecoded(),
                    "see what FFmpeg makes of it: ffplay " + input_.path());
    }
    format_ = frame.format;
    first_ = std::move(frame);
    passed_ = newFrame();
    tellMemory();
}

/// Where NVIDIA's decoder leaves its pictures, if nobody has said where.
void FileSource::tellMemory() {
    if (decoder_.decoding().decoder != nameOf(Decoder::Cuda)) {
        return;
    }
    if (!options_.whyHost.empty()) {
        addNote("pictures are brought from the GPU to main memory: " + options_.whyHost);
    } else if (options_.memory == PictureMemory::Auto && isInDevice(first_->lease)) {
        addNote("pictures stay in the memory of " + first_->lease.pool()->memory()->device()->deviceName());
    }
}

std::string FileSource::nothingDecoded() const {
    if (options_.start.count() > 0 && counters_.packetsUndecodable == 0) {
        const auto length = duration();
        return fmt::format(
            "{} has no picture at {} s or later{}", input_.path(),
            std::chrono::duration<double>(options_.start).count(),
            length ? fmt::format(": it lasts {:.2f} s", std::chrono::duration<double>(*length).count()) : "");
    }
    std::string text = input_.path() + " holds video, but no picture of it could be decoded";
    if (counters_.packetsUndecodable > 0) {
        text += fmt::format(" ({} damaged packets)", counters_.packetsUndecodable);
    }
    return text;
}

std::string FileSource::describe() const {
    const std::string& decoder = decoder_.decoding().decoder;
    return fmt::format("{}{} ({}{})", input_.isPiped() ? "" : "file ", input_.path(), decoder_.codecName(),
                       decoder == nameOf(Decoder::Software) ? "" : " by " + decoder);
}

std::unique_ptr<SoundSource> FileSource::sound(const SoundOptions& options) {
    if (input_.hasSound() && !input_.isReadOnce()) {
        return openFileSound(options_.source == "-" ? "/dev/stdin" : options_.source, options_.inputFormat,
                             options, options_.cancel);
    }
    auto input = input_.takeSound();
    return input ? std::make_unique<FileSound>(std::move(input), options) : nullptr;
}

std::optional<std::uint64_t> FileSource::expectedFrames() const {
    const bool whole = options_.start.count() == 0 && !options_.length;
    return options_.loop || !whole ? std::nullopt : input_.pictureCount();
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
    if (const Status there = goToSought(); there != Status::Ok) {
        return there;
    }
    const TimestampNs began = nowNs();
    if (const Status decoded = decode(); decoded != Status::Ok) {
        return decoded;
    }
    if (isInterlaced(*picture_) && !std::exchange(saidInterlaced_, true)) {
        addNote(fmt::format(
            "{} is interlaced, and is sent as it is, both fields in one picture; for moving "
            "pictures without combs, convert it: ffmpeg -i {} -vf bwdif -c:v ffv1 progressive.mkv",
            input_.path(), input_.path()));
    }
    if (isInterlaced(*picture_) && input_.stream().codecpar->field_order == AV_FIELD_UNKNOWN) {
        traits_.fieldOrder = isTopFirst(*picture_) ? FieldOrder::TopFirst : FieldOrder::BottomFirst;
    }
    const bool damaged = allocator_.takeDamage(*picture_);
    traits_.pixelAspect = input_.pixelAspect(*picture_);
    traits_.hdr = hdrOf(*picture_).value_or(traits_.hdr);
    const Status delivered = delivery_.deliver(*picture_, traits_, cancel, frame, counters_);
    if (const auto news = decoder_.takeNews()) {
        addNote(*news);
    }
    if (delivery_.note()) {
        addNote(*delivery_.note());
    }
    if (!delivery_.broughtBecause().empty()) {
        addNote("pictures are brought from the GPU to main memory: " + delivery_.broughtBecause());
    }
    frame.pts = clock_.ptsOf(*picture_);
    frame.duration = clock_.end() - frame.pts;
    if (const auto length = input_.duration()) {  // what a broken file says of one picture is no more
        const double seconds = std::chrono::duration<double>(*length).count();
        frame.duration = std::min(
            frame.duration, static_cast<std::int64_t>(std::ceil(seconds / frame.format.timeBase.value())));
    }
    frame.capturedAt = began;
    frame.flags = damaged ? kFrameDamaged : 0U;
    counters_.framesDamaged += damaged ? 1 : 0;
    if (picture_->pts != AV_NOPTS_VALUE) {
        lastTime_ = picture_->pts;
    }
    av_frame_unref(picture_.get());
    return delivered;
}

void FileSource::turn() {
    const AVCodecDescriptor* codec = avcodec_descriptor_get(input_.stream().codecpar->codec_id);
    const bool each = codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
    if (const auto own = orientationOf(*picture_)) {
        take(*own);
    } else if (each) {
        take(orientationOf(input_.stream()));
    }
}

void FileSource::take(const Orientation& orientation) {
    traits_.rotation = orientation.rotation;
    if (!orientation.exact) {
        addNote(
            fmt::format("{} asks for a mirrored or tilted picture, which is not supported", input_.path()));
    }
}

// Like ffmpeg's -ss and -t before -i: pictures from the start on, and less than the length after the first.
bool FileSource::isEarly() const {
    return from_ != INT64_MIN && (picture_->pts == AV_NOPTS_VALUE || picture_->pts < from_);
}

bool FileSource::isLate() const {
    return end_ && picture_->pts != AV_NOPTS_VALUE && picture_->pts >= *end_;
}

// Raw streams have no time stamps: each picture follows the one before.
void FileSource::stamp() {
    const AVRational base = input_.stream().time_base;
    const Rational rate = traits_.frameRate;
    const std::int64_t usual =
        rate.numerator > 0 ? av_rescale_q(1, AVRational{rate.denominator, rate.numerator}, base) : 1;
    const bool timed = picture_->best_effort_timestamp != AV_NOPTS_VALUE && input_.hasTimes();
    picture_->pts = timed ? picture_->best_effort_timestamp : nextTime_;
    if (picture_->pts != AV_NOPTS_VALUE) {
        lastEnd_ = std::max(lastEnd_, picture_->pts + picture_->pkt_duration);
        nextTime_ = picture_->pts + std::max(usual, picture_->pkt_duration);
    }
}

void FileSource::passOver() {
    if (passed_) {
        forgetPassed();
        av_frame_move_ref(passed_.get(), picture_.get());
    } else {
        static_cast<void>(allocator_.takeDamage(*picture_));
        av_frame_unref(picture_.get());
    }
}

void FileSource::forgetPassed() {
    if (passed_ && passed_->buf[0] != nullptr) {
        static_cast<void>(allocator_.takeDamage(*passed_));
        av_frame_unref(passed_.get());
    }
}

Status FileSource::decode() {
    for (;;) {
        if (const Status status = findPicture(); status != Status::Ok) {
            return status;
        }
        const bool fromDevice = isSurface(*picture_);
        if (fromDevice && delivery_.takesSurface(*picture_)) {
            decoder_.leave(*picture_);
            keepFormatOf(*picture_);
            return Status::Ok;
        }
        if (decoder_.bring(*picture_)) {
            if (fromDevice) {
                keepFormatOf(*picture_);
            }
            return Status::Ok;
        }
        nextTime_ = picture_->pts;  // this picture is decoded again
        --picturesInLap_;
        av_frame_unref(picture_.get());
    }
}

// Recording viewers and pipes need one format to the end, even if the decoder changes.
void FileSource::keepFormatOf(const AVFrame& picture) {
    const auto format = directPixelFormat(pixelFormatOf(picture));
    if (format && !options_.pixelFormat) {
        decoder_.keepFormat(*format);
        delivery_.keepFormat(*format);
    }
}

Status FileSource::findPicture() {
    for (;;) {
        const Status status = decoder_.next(input_, *picture_, counters_);
        if (status == Status::Ok) {
            stamp();
            turn();
        }
        const bool answered = status == Status::Ok || status == Status::Closed;
        if (answered && std::exchange(arriving_, false) && isTooFar(status)) {
            av_frame_unref(picture_.get());
            approach(std::max(kFirstMargin, margin_ * 2));
            continue;
        }
        if (status == Status::Ok && isEarly()) {
            passOver();
            continue;
        }
        const bool late = status == Status::Ok && isLate();
        if (status == Status::Ok && !late) {
            forgetPassed();
            from_ = INT64_MIN;  // in recorded broadcasts the clock may start anew: that is not early
            if (options_.length && !end_ && picture_->pts != AV_NOPTS_VALUE) {
                end_ = picture_->pts + input_.timeAt(microseconds(*options_.length)) - input_.startTime();
            }
            ++picturesInLap_;
            return status;
        }
        if (status != Status::Ok && status != Status::Closed) {
            return status;
        }
        av_frame_unref(picture_.get());
        if (passed_ && passed_->buf[0] != nullptr) {  // sought beyond the end: the last picture is nearest
            av_frame_move_ref(picture_.get(), passed_.get());
            ++picturesInLap_;
            return Status::Ok;
        }
        if (picturesInLap_ == 0 || !options_.loop) {
            if (late) {
                finished_ = true;
            } else {
                finish();
            }
            return Status::Closed;
        }
        picturesInLap_ = 0;
        const auto start = microseconds(options_.start);
        sought_ = {.place = start, .from = start.count() > 0 ? input_.timeAt(start) : INT64_MIN};
        if (const Status there = goToSought(); there != Status::Ok) {
            return there;
        }
    }
}

Status FileSource::goToSought() {
    if (!sought_) {
        return Status::Ok;
    }
    try {
        if (sought_->back > 0) {
            countBack(*sought_);
        }
        from_ = sought_->from;
        place_ = sought_->place;
        clock_.startLap();
        approach({});
    } catch (const Error&) {
        if (!input_.isCancelled()) {
            throw;
        }
        return Status::Cancelled;
    }
    sought_.reset();
    return Status::Ok;
}

/// By the packets' times, since pictures need not be equally far apart; where there are none, by the rate.
void FileSource::countBack(Sought& sought) {
    const double rate = traits_.frameRate.numerator > 0 ? traits_.frameRate.value() : kGuessedRate;
    // Half a picture earlier, because times are rounded.
    const auto usual = std::chrono::microseconds(std::llround((sought.back + 0.5) / rate * 1e6));
    std::vector<std::int64_t> times;
    bool whole = !input_.hasTimes();
    for (auto margin = std::max(usual, kFirstMargin); !whole && times.size() < sought.back; margin *= 2) {
        whole = margin >= sought.place || !input_.seek(sought.place - margin);
        if (whole) {
            input_.rewind();
        }
        times = input_.timesBefore(sought.from);
    }
    const std::size_t back = std::exchange(sought.back, 0);
    sought.from = times.empty()         ? input_.timeAt(std::max(sought.place - usual, 0us))
                  : times.size() < back ? times.front()
                                        : times[times.size() - back];
    sought.from = std::max(sought.from, input_.timeAt(microseconds(options_.start)));
    sought.place = std::chrono::microseconds(
        av_rescale_q(sought.from - input_.startTime(), input_.stream().time_base, AVRational{1, 1'000'000}));
}

void FileSource::approach(std::chrono::microseconds margin) {
    margin_ = margin;
    forgetPassed();
    decoder_.restart();
    arriving_ = margin < place_ && input_.seek(place_ - margin);
    if (!arriving_) {
        input_.rewind();
    }
    nextTime_ = arriving_ ? AV_NOPTS_VALUE : input_.startTime();
}

// Some formats, such as MPEG transport streams, have no index: a seek lands somewhere near.
bool FileSource::isTooFar(Status status) const {
    return status == Status::Closed || (picture_->pts != AV_NOPTS_VALUE && picture_->pts > from_);
}

std::chrono::nanoseconds FileSource::position() const {
    const std::int64_t time = lastTime_ - input_.startTime();
    return std::chrono::nanoseconds(
        av_rescale_q(time, input_.stream().time_base, AVRational{1, 1'000'000'000}));
}

void FileSource::seek(std::chrono::nanoseconds time) {
    std::chrono::microseconds place = std::max(microseconds(time), microseconds(options_.start));
    std::int64_t from = input_.timeAt(place);
    if (end_ && from >= *end_) {
        from = *end_ - 1;
    }
    first_.reset();
    finished_ = false;
    sought_ = {.place = place, .from = from};
}

void FileSource::stepBack(std::uint32_t pictures) {
    if (!sought_) {  // else a seek before this one has said where it goes
        seek(position());
        sought_->from = lastTime_;
    }
    sought_->back += pictures;
}

void FileSource::finish() {
    finished_ = true;
    if (decoder_.readProblem()) {
        addNote(fmt::format("reading {} stopped before its end: {}", input_.path(), *decoder_.readProblem()));
        return;
    }
    const auto end = input_.announcedEnd();
    const AVRational base = input_.stream().time_base;
    const double missing = end ? static_cast<double>(*end - lastEnd_) * base.num / base.den : 0;
    const double tolerance = 0.25 + (traits_.frameRate.numerator > 0 ? 2 / traits_.frameRate.value() : 0);
    if (missing > tolerance) {
        addNote(fmt::format("{} ends {:.2f} s before the end that it announces", input_.path(), missing));
    }
}

void FileSource::addNote(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) {
        notes_.push_back(note);
    }
}

}  // namespace verbcast
