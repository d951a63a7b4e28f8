#include "app/view/recording/stream_file.h"

#include <fmt/format.h>

#include <utility>

namespace verbcast {
namespace {

/// Of sound without a picture, until none is waited for: less than a file keeps for its first one.
constexpr double kSoundAlone = 2;

}  // namespace

StreamFile::StreamFile(const VideoFile& file, const Event& cancel, bool soundMayBeAlone,
                       std::chrono::nanoseconds patience)
    : sink_(openSink(file, cancel)),
      holdsPictures_(nameOf(file.container).holdsPictures),
      soundMayBeAlone_(soundMayBeAlone),
      patience_(patience) {}

void StreamFile::expectSound(bool expected) {
    const std::lock_guard lock(mutex_);
    expected_ = expected && takes_;
}

/// Call with mutex_ held. Waits for the sound of a picture's time.
void StreamFile::await(std::unique_lock<std::mutex>& lock, double time, const std::stop_token& crowded) {
    const auto sounds = [&] { return !expected_ || (format_ && soundUntil_ >= time); };
    expected_ = changed_.wait_for(lock, begun_ ? crowded : std::stop_token(), patience_, sounds) && expected_;
    pictureAt_ = time;
}

Status StreamFile::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload,
                         const std::stop_token& crowded) {
    std::unique_lock lock(mutex_);
    await(lock, static_cast<double>(info.pts) * format.timeBase.value(), crowded);
    if (!holdsPictures_) {
        if (soundAlone_ >= kSoundAlone && !std::exchange(begun_, true)) {
            notes_.emplace_back("the file is without pictures, which began after the sound");
        }
        return writable();
    }
    begun_ = true;
    const Status status = writable();
    return status == Status::Ok ? sink_->write(format, info, payload) : status;
}

/// Call with mutex_ held. Throws what the last sound met.
Status StreamFile::writable() const {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    return status_;
}

/// Call with mutex_ held. A file that is being written already, or cannot hold sound, takes none.
void StreamFile::begin(const SoundFormat& format) {
    if (begun_) {
        notes_.emplace_back("the file is without sound, which began after the pictures");
        takes_ = false;
        return;
    }
    try {
        sink_->addSound(format);
        format_ = format;
    } catch (const Error& error) {
        notes_.push_back(fmt::format("the file is without sound: {}", error.what()));
        takes_ = false;
    }
}

void StreamFile::write(const ArrivedSound& sound) {
    const std::lock_guard lock(mutex_);
    if (takes_ && !format_) {
        begin(sound.format);
    } else if (takes_ && !sameSound(sound.format, *format_)) {
        notes_.push_back(fmt::format("the file ends its sound of {} where {} follows", describe(*format_),
                                     describe(sound.format)));
        takes_ = false;
    }
    if (takes_ && status_ == Status::Ok && !failure_) {
        put(sound);
    }
    expected_ = takes_ && (expected_ || soundUntil_ >= pictureAt_);
    changed_.notify_all();
}

/// Call with mutex_ held.
void StreamFile::put(const ArrivedSound& sound) {
    const std::uint32_t samples = *sound.format.samplesOf(sound.planar.size());
    try {
        status_ = sink_->writeSound(sound.format, sound.frame.info.pts, sound.planar);
        if (holdsPictures_ && soundMayBeAlone_ && !begun_ && status_ == Status::Ok) {
            countAlone(sound.format.secondsOf(samples));
        }
    } catch (...) {
        failure_ = std::current_exception();
    }
    soundUntil_ = sound.format.secondsOf(sound.frame.info.pts) + sound.format.secondsOf(samples);
}

/// Call with mutex_ held.
void StreamFile::countAlone(double seconds) {
    soundAlone_ += seconds;
    if (soundAlone_ >= kSoundAlone) {
        holdsPictures_ = false;
        status_ = sink_->leaveOutPictures();
    }
}

Status StreamFile::status() const {
    const std::lock_guard lock(mutex_);
    return writable();
}

void StreamFile::endSound() {
    const std::lock_guard lock(mutex_);
    expected_ = takes_ = false;
    changed_.notify_all();
}

Status StreamFile::finish() {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        complete();
    }
    const Status status = writable();
    return status == Status::Ok ? sink_->finish() : status;
}

void StreamFile::finishAfterFailure() noexcept {
    const std::lock_guard lock(mutex_);
    complete();
}

/// Call with mutex_ held.
void StreamFile::complete() noexcept {
    try {
        static_cast<void>(sink_->finish());
    } catch (const std::exception&) {  // the first failure is the one that is told
    }
}

std::vector<std::string> StreamFile::takeNotes() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> fresh = std::exchange(notes_, {});
    for (; sinkNotes_ < sink_->notes().size(); ++sinkNotes_) {
        fresh.push_back(sink_->notes()[sinkNotes_]);
    }
    return fresh;
}

std::uint64_t StreamFile::bytesWritten() const {
    const std::lock_guard lock(mutex_);
    return sink_->bytesWritten();
}

}  // namespace verbcast
