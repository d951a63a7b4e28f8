#include "capture/media/presentation_clock.h"

#include <algorithm>

namespace verbcast {
namespace {

AVRational toAv(Rational value) {
    return {value.numerator, value.denominator};
}

}  // namespace

PresentationClock::PresentationClock(AVRational streamBase, std::int64_t start, Rational frameRate)
    : streamBase_(streamBase), start_(start), timeBase_{streamBase.num, streamBase.den} {
    if (frameRate.numerator > 0) {
        timeBase_ = {frameRate.denominator, frameRate.numerator};
    }
}

std::int64_t PresentationClock::ptsOf(const AVFrame& picture) {
    std::int64_t pts = nextPts_;
    if (picture.best_effort_timestamp != AV_NOPTS_VALUE) {
        pts = av_rescale_q(picture.best_effort_timestamp - start_, streamBase_, toAv(timeBase_));
        if (lapOffset_ > 0) {
            if (!lapStart_) {
                lapStart_ = pts;
            }
            pts += lapOffset_ - *lapStart_;
        }
    }
    const std::int64_t duration = av_rescale_q(picture.pkt_duration, streamBase_, toAv(timeBase_));
    nextPts_ = pts + std::max<std::int64_t>(1, duration);
    return pts;
}

}  // namespace verbcast
