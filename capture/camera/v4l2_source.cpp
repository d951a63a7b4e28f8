#include "capture/camera/v4l2_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "capture/camera/camera_list.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kSilence = 5'000'000'000;
// After a pause this long, the pictures still queued in the camera are stale.
constexpr TimestampNs kStale = 1'000'000'000;
// inotify reports new nodes, but not that a program has closed one or that an existing one became usable.
constexpr auto kTryAgain = 500ms;

}  // namespace

V4l2Source::V4l2Source(const SourceOptions& options, std::string_view path)
    : options_(options),
      path_(path.empty() ? firstCamera() : std::string(path)),
      wish_{options.width, options.height, options.frameRate, options.pixelFormat},
      allocator_(std::max(1U, options.slots)) {
    const Event never;
    open(options.cancel != nullptr ? *options.cancel : never);
}

std::string V4l2Source::describe() const {
    return fmt::format("camera {} ({})", path_, card_);
}

void V4l2Source::open(const Event& cancel) {
    stream_ = std::make_unique<CameraStream>(path_, wish_,
                                             CameraStream::Slots{.count = std::max(1U, options_.slots),
                                                                 .pool = pool_,
                                                                 .allocator = &allocator_,
                                                                 .decoderThreads = options_.decoderThreads,
                                                                 .memory = options_.cameraMemory});
    card_ = stream_->card();
    pool_ = stream_->pool();
    format_ = stream_->format() ? *stream_->format() : firstFormat(cancel);
    for (const std::string& note : stream_->notes()) {
        addNote(note);
    }
    if (!stream_->format() && wish_.pixelFormat.value_or(format_.pixelFormat) != format_.pixelFormat) {
        addNote(fmt::format("the camera's {} is decoded to {}, not {}", fourCcText(stream_->fourCc()),
                            pixelFormatName(format_.pixelFormat), pixelFormatName(*wish_.pixelFormat)));
    }
    wish_ = {format_.width, format_.height, {}, format_.pixelFormat, stream_->fourCc()};  // the same again
    if (format_.frameRate.numerator > 0) {
        wish_.rate = format_.frameRate;
    }
    stream_->countFromNext();
    framesOfStream_ = 0;
}

/// Takes the format from a picture and drops it: it would be stale by the first capture().
VideoFormat V4l2Source::firstFormat(const Event& cancel) {
    CapturedFrame frame;
    FilledBuffer filled;
    SourceCounters uncounted;  // cameras often start with a partial picture
    const Status status = stream_->next(frame, filled, std::chrono::nanoseconds(kSilence), cancel, uncounted);
    if (status == Status::Closed) {
        throw stream_->device().problem();
    }
    if (status != Status::Ok) {
        throw Error(ErrorKind::Device,
                    fmt::format("the camera {} delivers no pictures that can be decoded ({} were broken)",
                                path_, uncounted.framesLost),
                    "look at its cable and its other modes: verbcast devices lists them");
    }
    lastReturned_ = nowNs();
    return frame.format;
}

void V4l2Source::addNote(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) {
        notes_.push_back(note);
    }
}

Status V4l2Source::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    if (stream_ && lastReturned_ != 0 && nowNs() - lastReturned_ > kStale) {
        stream_->dropBacklog();
    }
    if (!stream_) {
        if (const Status status = awaitReturn(cancel); status != Status::Ok) {
            return status;
        }
    }
    if (!waitingSince_) {
        waitingSince_ = nowNs();
    }
    FilledBuffer filled;
    const Status status = stream_->next(frame, filled, kLongestCapture, cancel, counters_);
    switch (status) {
        case Status::Ok:
            complete(filled, frame);
            return status;
        case Status::Closed:
            lose();
            return Status::TimedOut;
        case Status::TimedOut:
            noteSilence();
            return status;
        default:
            return status;
    }
}

void V4l2Source::noteSilence() {
    if (silenceNoted_ || nowNs() - *waitingSince_ < kSilence) {
        return;
    }
    silenceNoted_ = true;
    notes_.push_back(
        stream_->format()
            ? fmt::format("the camera {} delivers no pictures: check that it has a signal", path_)
            : fmt::format("the camera {} delivers no pictures that can be decoded", path_));
}

void V4l2Source::lose() {
    const V4l2Device& device = stream_->device();
    if (counters_.frames == 0 && !device.isGone()) {
        throw device.problem();  // it never worked, so waiting will not help
    }
    failedAtOnce_ = framesOfStream_ == 0;
    if (lostAt_ == 0) {
        lostAt_ = nowNs();
        notes_.push_back(fmt::format("{}; waiting for it to come back", device.problem().what()));
        watch_ = std::make_unique<DeviceWatch>(path_);
    }
    stream_.reset();
    waitingSince_.reset();
}

Status V4l2Source::awaitReturn(const Event& cancel) {
    for (const Deadline deadline = Deadline::in(kLongestCapture); !deadline.passed();) {
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
        if (!failedAtOnce_ && reopen(cancel)) {
            return Status::Ok;
        }
        failedAtOnce_ = false;
        std::error_code ignored;
        const bool isThere = std::filesystem::exists(path_, ignored);
        if (watch_->wait(isThere ? kTryAgain : kLongestCapture, cancel) == Status::Cancelled) {
            return Status::Cancelled;
        }
    }
    return Status::TimedOut;
}

bool V4l2Source::reopen(const Event& cancel) {
    try {
        open(cancel);
        return true;
    } catch (const Error& error) {
        stream_.reset();
        if (error.kind() != ErrorKind::Device) {
            throw;
        }
        return false;  // not there yet, not ready, or used by another program
    }
}

void V4l2Source::complete(const FilledBuffer& filled, CapturedFrame& frame) {
    const TimestampNs now = nowNs();
    const TimestampNs taken = filled.takenAt.value_or(now);
    if (!firstTaken_) {
        firstTaken_ = options_.ptsZero != 0 ? options_.ptsZero : taken;
    }
    format_ = frame.format;
    frame.capturedAt =
        std::min(taken, now);  // some drivers stamp frames with the end of the exposure that they predict
    frame.pts = (taken - *firstTaken_) / 1000;
    counters_.framesDamaged += (frame.flags & kFrameDamaged) != 0 ? 1 : 0;
    ++counters_.frames;
    ++framesOfStream_;
    lastReturned_ = now;
    waitingSince_.reset();
    silenceNoted_ = false;
    if (lostAt_ != 0) {
        notes_.push_back(fmt::format("the camera {} is back after {:.1f} s: {}", path_,
                                     static_cast<double>(now - lostAt_) * 1e-9, verbcast::describe(format_)));
        lostAt_ = 0;
        watch_.reset();
    }
}

}  // namespace verbcast
