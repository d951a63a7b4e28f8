#include "capture/media/raw_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "capture/media/input/pipe_reader.h"
#include "core/base/os/pipe_buffer.h"

namespace verbcast {
namespace {

VideoFormat describedFormat(const SourceOptions& options, const std::string& name) {
    if (!options.width || !options.height || !options.pixelFormat) {
        throw Error(ErrorKind::Usage, fmt::format("raw frames on {} need --size and --format", name),
                    "for example: ffmpeg -i FILE -f rawvideo -pix_fmt yuv420p - | "
                    "verbcast send - --size 1920x1080 --format yuv420p --fps 60");
    }
    VideoFormat format = tightFormat(*options.width, *options.height, *options.pixelFormat);
    format.frameRate = options.frameRate.value_or(Rational{60, 1});
    if (format.frameRate.numerator <= 0 || format.frameRate.denominator <= 0) {
        throw Error(ErrorKind::Usage, fmt::format("raw frames on {} need a frame rate above 0", name));
    }
    format.timeBase = {format.frameRate.denominator, format.frameRate.numerator};
    if (format.pixelFormat == PixelFormat::gray) {
        format.colour.fullRange = true;
    }
    return format;
}

}  // namespace

RawSource::RawSource(const SourceOptions& options, int descriptor, std::string name,
                     std::vector<std::uint8_t> head)
    : descriptor_(descriptor),
      name_(std::move(name)),
      format_(describedFormat(options, name_)),
      head_(std::move(head)) {
    pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = std::max(1U, options.slots)});
    growPipeBuffer(descriptor_);
}

std::optional<std::uint64_t> RawSource::expectedFrames() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(status.st_size) / format_.payloadBytes;
}

Status RawSource::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    if (!ended_ && !slot_) {
        if (const Status status = pool_->acquire(slot_, cancel); status != Status::Ok) {
            return status;
        }
        filled_ = 0;
        began_ = nowNs();
    }
    if (const Status status = ended_ ? Status::Closed : fill(cancel); status != Status::Ok) {
        return status == Status::Closed ? end() : status;
    }
    frame.lease = std::move(slot_);
    frame.format = format_;
    frame.capturedAt = began_;
    frame.pts = static_cast<std::int64_t>(counters_.frames++);
    frame.duration = 1;
    frame.flags = 0;
    return Status::Ok;
}

Status RawSource::end() {
    if (!ended_ && filled_ > 0) {
        ++counters_.framesDamaged;
        notes_.push_back(fmt::format("{} ended in the middle of frame {}: {} of {} bytes", name_,
                                     counters_.frames, filled_, format_.payloadBytes));
    }
    ended_ = true;
    slot_.reset();
    return Status::Closed;
}

Status RawSource::fill(const Event& cancel) {
    const std::size_t fromHead =
        std::min<std::size_t>(head_.size() - headUsed_, format_.payloadBytes - filled_);
    std::copy_n(head_.data() + headUsed_, fromHead, reinterpret_cast<std::uint8_t*>(slot_.data()) + filled_);
    headUsed_ += fromHead;
    filled_ += fromHead;
    while (filled_ < format_.payloadBytes) {
        const ssize_t got =
            readWhenReady(descriptor_, slot_.data() + filled_, format_.payloadBytes - filled_, &cancel);
        if (got == 0 || (got < 0 && errno == ECANCELED)) {
            return got == 0 ? Status::Closed : Status::Cancelled;
        }
        if (got < 0) {
            throwErrno(ErrorKind::Input, "read", name_, errno);
        }
        filled_ += static_cast<std::uint64_t>(got);
    }
    return Status::Ok;
}

}  // namespace verbcast
