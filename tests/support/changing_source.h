// A source of noise whose frames say what has changed in them.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/core/session/core_support.h"
#include "tests/support/changes_mirror.h"

namespace verbcast::testing {

/// Draws noise into random rectangles of its picture and reports them, or reports the whole picture as
/// changed. A frame's pts is its number.
class ChangingSource {
  public:
    explicit ChangingSource(const VideoFormat& format, std::uint32_t slots = 8)
        : format_(format),
          pool_(FramePool::create({.slotBytes = format.payloadBytes, .slotCount = slots})),
          picture_(format.payloadBytes) {
        draw(wholePicture(format_));
    }
    virtual ~ChangingSource() = default;

    /// Switches to another picture; frame numbers continue.
    void change(const VideoFormat& format) {
        format_ = format;
        pool_ = anotherPool();
        picture_.assign(format.payloadBytes, std::byte{});
        draw(wholePicture(format_));
        another_ = true;
    }
    /// The frames that follow lie in this pool; others may still be held.
    void lieIn(const std::shared_ptr<FramePool>& pool) { pool_ = pool; }
    std::shared_ptr<FramePool> anotherPool() const {
        return FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = pool_->slotCount()});
    }
    /// Returns false if no receiver connected or no slot became free.
    bool send(Broadcast& sender) { return send(sender, drawSome()); }
    bool send(Broadcast& sender, const PictureChanges& changes) {
        auto lease = pool_->acquire(kLimit, &never_);
        if (!lease) {
            return false;
        }
        std::memcpy(lease->data(), picture_.data(), picture_.size());
        FrameInfo info;
        info.pts = ++last_;
        changes.tellIn(info);
        note(format_, picture_);
        Status status = Status::Busy;
        while ((status = sender.submit(std::move(*lease), format_, info, never_)) == Status::Busy) {
            if (sender.waitForReceiver(kLimit, never_) != Status::Ok) {
                return false;
            }
        }
        return status == Status::Ok;
    }
    PictureChanges drawSome() {
        if (std::exchange(another_, false)) {
            return PictureChanges::all();
        }
        PictureChanges changes = PictureChanges::none();
        const std::uint32_t count = random_() % 4;
        for (std::uint32_t i = 0; i < count; ++i) {
            changes.add(draw(randomRect(format_, random_, 4)));
        }
        if (random_() % 16 == 0) {
            draw(wholePicture(format_));
            return PictureChanges::all();
        }
        return changes;
    }
    FrameRect draw(const FrameRect& rect) {
        eachRow(format_, rect, [this](std::uint64_t at, std::uint64_t bytes) {
            for (std::uint64_t i = 0; i < bytes; ++i) {
                picture_[at + i] = static_cast<std::byte>(random_());
            }
        });
        return rect;
    }
    std::int64_t lastPts() const { return last_; }
    std::uint32_t dice(std::uint32_t sides) { return random_() % sides; }

  private:
    /// The picture of the next frame.
    virtual void note(const VideoFormat& format, const std::vector<std::byte>& picture) = 0;

    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    std::vector<std::byte> picture_;
    std::int64_t last_ = -1;
    std::mt19937 random_{11};
    bool another_ = false;
    Event never_;
};

/// Slow viewers do not stall a lossless sender in these tests.
inline SenderOptions patientSender(const TransportUnderTest& transport, Policy policy) {
    SenderOptions options = senderOptions(transport, policy);
    options.stallTimeout = kLimit;
    return options;
}

}  // namespace verbcast::testing
