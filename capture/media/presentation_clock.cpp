#include "capture/media/presentation_clock.h"

#include <algorithm>

#include "capture/convert/format_mapping.h"

namespace verbcast {
PresentationClock::PresentationClock(AVRational streamBase, std::int64_t start, Rational frameRate,
                                     bool constantRate)
    : streamBase_(streamBase), start_(start), timeBase_{streamBase.num, streamBase.den} {
    if (frameRate.numerator > 0) {
        const Rational time{frameRate.denominator, frameRate.numerator};
        timeBase_ = constantRate ? time : timeBase_;
        usual_ = std::max<std::int64_t>(1, av_rescale_q(1, toAv(time), toAv(timeBase_)));
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
    nextPts_ = pts + (duration > 0 ? duration : usual_);
    return pts;
}

}  // namespace verbcast
