#include "app/commands/send/source_sound.h"

#include <cmath>
#include <utility>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

/// Time stamps of pictures are rounded; a jump is more than that.
constexpr double kJump = 0.005;
constexpr double kBack = 0.5;        // seconds by which the clock of a file goes back, at least
constexpr double kLongestApart = 1;  // seconds between sound and pictures that do so

double inSeconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

SourceSound::SourceSound(std::unique_ptr<SoundSource> source, const SoundPart& part)
    : source_(std::move(source)), live_(source_->isLive()), part_(part) {
    if (!live_ && part.start.count() > 0) {
        source_->seek(part.start);
    }
    notes_.keep(source_->notes());
}

SourceSound::~SourceSound() {
    stop_.notify();
}

/// A picture and the sound of its time are captured together, whatever the picture's time stamps count, and
/// by which clock.
void SourceSound::tieLive(const PlaceOfPicture& picture) {
    const std::lock_guard lock(mutex_);
    tie_.add(inSeconds(std::chrono::nanoseconds(picture.capturedAt - part_.zero)), picture.media);
}

std::int64_t SourceSound::tiedPtsOf(const CapturedSound& block) {
    const SoundFormat& format = source_->format();
    const double at = format.secondsOf(block.at);
    const std::lock_guard lock(mutex_);
    slewed_.follow(tie_.tied() ? tie_.localOf(at) - at : 0, format.rate,
                   static_cast<std::int64_t>(block.samples.size()) / format.channels);
    return block.at + slewed_.samples();
}

Status SourceSound::readWith(const PlaceOfPicture& picture, const Take& take) {
    if (live_) {
        tieLive(picture);
        return Status::Ok;
    }
    const double position = picture.position ? inSeconds(*picture.position) : picture.media;
    const double offset = picture.media - position;
    const bool first = !std::exchange(anchored_, true);
    if (first || (std::abs(offset - offset_) > kJump && source_->canRewind())) {
        offset_ = offset;
        if (!first) {
            source_->seek(picture.position.value_or(std::chrono::nanoseconds(0)));
            waiting_ = over_ = early_ = false;
            end_ = kNever;
        }
    }
    until_ = position + kSoundAhead;
    return readUntil(until_, take);
}

void SourceSound::readMeanwhile(const Take& take) {
    if (!live_ && anchored_) {
        static_cast<void>(readUntil(until_, take));
    }
}

/// Up to where sound is to be given, of which pictures need what is before `position`. Where it goes back
/// before they do, it waits for them; where they do so first, what is left from before is given at once.
double SourceSound::placeUntil(double position) {
    if (early_ && (position < end_ - kBack || position > end_ + kLongestApart)) {
        early_ = false;
        end_ = kNever;
    }
    if (position >= end_ - kBack) {
        rest_.reset();
    } else if (!rest_) {
        rest_ = end_ + kLongestApart;
    }
    return early_ ? kNever : rest_.value_or(position);
}

/// Returns false if there is none now.
bool SourceSound::readBlock() {
    const Status status = source_->read(block_);
    notes_.keep(source_->notes());
    waiting_ = status == Status::Ok;
    over_ = !waiting_ && status != Status::TimedOut;
    if (waiting_ && source_->format().secondsOf(block_.at) < end_ - kBack) {
        early_ = !rest_;
        end_ = early_ ? end_ : kNever;
        rest_.reset();
    }
    return waiting_;
}

Status SourceSound::readUntil(double position, const Take& take) {
    while (!over_) {
        if (!waiting_ && !readBlock()) {
            break;
        }
        const SoundFormat& format = source_->format();
        const double at = format.secondsOf(block_.at);
        if (at > placeUntil(position)) {
            break;
        }
        if (part_.length && at >= inSeconds(part_.start + *part_.length)) {
            over_ = true;
            break;
        }
        const Status status = take(block_, format, block_.at + std::llround(offset_ * format.rate));
        if (status == Status::Busy) {
            break;
        }
        if (status != Status::Ok) {
            return status;
        }
        waiting_ = false;
        end_ = at + format.secondsOf(static_cast<std::int64_t>(block_.samples.size()) / format.channels);
    }
    return Status::Ok;
}

std::optional<double> SourceSound::moreDue() const {
    return !live_ && anchored_ && !over_ && waiting_
               ? std::optional(source_->format().secondsOf(block_.at) + offset_ - kSoundAhead)
               : std::nullopt;
}

Status SourceSound::readMore(double media, const Take& take) {
    until_ = media + kSoundAhead + kSoundStep - offset_;
    return readUntil(until_, take);
}

void SourceSound::start(Take take) {
    if (live_) {
        thread_.emplace([this, taken = std::move(take)] { readLive(taken); }, [] {});
    }
}

void SourceSound::readLive(const Take& take) {
    try {
        while (!stop_.isSet()) {
            const Status status = source_->read(block_);
            notes_.keep(source_->notes());
            if (status == Status::TimedOut) {
                waitReadable({source_->waitDescriptor(), stop_.descriptor()}, Deadline::never());
            } else if (status != Status::Ok ||
                       take(block_, source_->format(), tiedPtsOf(block_)) == Status::Closed) {
                return;
            }
        }
    } catch (const Error& error) {
        log(LogCategory::Stream).error("no more sound: {}", error.what());
    }
}

}  // namespace verbcast
