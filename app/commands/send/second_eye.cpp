#include "app/commands/send/second_eye.h"

#include <utility>

namespace verbcast {

Status SecondEye::sendWith(const FrameInfo& left, Rational timeBase, Broadcast& sender, const Event& cancel) {
    CapturedFrame frame;
    frame.format = source_->format();
    Status status = Status::TimedOut;
    while (status == Status::TimedOut) {
        status = source_->capture(frame, cancel);
    }
    if (status != Status::Ok) {
        return status;
    }
    frame.format.timeBase = timeBase;
    FrameInfo info;
    info.track = kTrack;
    info.pts = left.pts;
    info.flags = frame.flags;
    info.capturedAt = frame.capturedAt;
    info.inputSequence = left.inputSequence;
    return sender.submit(std::move(frame.lease), frame.format, info, cancel);
}

}  // namespace verbcast
