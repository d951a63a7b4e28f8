// A surface whose pictures are shown at the same time as those of other displays: drawn ahead, and swapped
// when they are due.
#include <QOpenGLFunctions>
#include <utility>

#include "app/window/picture/video_surface.h"

namespace verbcast {

void VideoSurface::setTogether(TogetherStream* together) {
    together_ = together;
    togetherNews_.reset();
    if (together != nullptr) {
        wakeExactly();
        togetherNews_ = std::make_unique<QSocketNotifier>(together->descriptor(), QSocketNotifier::Read);
        connect(togetherNews_.get(), &QSocketNotifier::activated, this, [this] { keepTogether(); });
    }
}

bool VideoSurface::showsTogether() const {
    return together_ != nullptr && (together_->on() || together_->anyWaiting());
}

/// What is drawn ahead is what is seen next: whatever else has changed is drawn into it, and not shown early.
void VideoSurface::repaintTogether() {
    if (together_->idle()) {
        paint();
    } else {
        makeCurrent();
        paintAhead();
    }
    followTogether();
}

void VideoSurface::keepTogether() {
    if (broken_) {
        passTogether();
        return;
    }
    try {
        isExposed() ? followTogether() : passTogether();
    } catch (...) {
        broken_ = true;
        Q_EMIT failed(std::current_exception());
    }
}

void VideoSurface::followTogether() {
    for (;;) {
        if (auto frame = together_->next()) {
            makeCurrent();
            if (!paused_ && showIn(0, std::move(*frame)) && panes_.size() > 1) {
                arrange();
            }
            takeFrames();
            paintAhead();
            together_->drawn();
        }
        const auto due = together_->due();
        if (!due || *due - nowNs() > TogetherStream::kEarly) {
            return;
        }
        sleepExactly(*due);
        makeCurrent();
        const TimestampNs begun = nowNs();
        paintedAt_ = begun;
        context_->swapBuffers(this);
        const SwapTimes::Shown shown = swapTimes_.after(*context_, begun);
        together_->shown(shown.at, shown.by);
        reportShown();
    }
}

void VideoSurface::paintAhead() {
    paintPictures(curtain_ ? curtain_->opacity(nowNs()) : 0);
    paintOverImages();
    context_->functions()->glFinish();
}

/// Nobody sees the window: the others must not wait for it.
void VideoSurface::passTogether() {
    for (;;) {
        if (together_->next()) {
            together_->drawn();
        }
        const auto due = together_->due();
        if (!due || *due - nowNs() > TogetherStream::kEarly) {
            return;
        }
        sleepExactly(*due);
        together_->shown(nowNs(), ShownBy::Timer);
    }
}

}  // namespace verbcast
