// A surface that shows its pictures together with other displays: draws ahead and swaps when they are due.
#include <QOpenGLFunctions>
#include <utility>

#include "app/window/picture/video_surface.h"

namespace verbcast {

void VideoSurface::setTogether(TogetherStream* together) {
    together_ = together;
    for (Swapped& swapped : swapped_) {
        swapped.together.reset();
    }
    if (togetherNews_) {
        togetherNews_->setEnabled(false);
        togetherNews_.release()->deleteLater();  // its own signal may have led here
    }
    if (together != nullptr) {
        wakeExactly();
        togetherNews_ = std::make_unique<QSocketNotifier>(together->descriptor(), QSocketNotifier::Read);
        connect(togetherNews_.get(), &QSocketNotifier::activated, this, [this] { keepTogether(); });
    }
}

bool VideoSurface::showsTogether() const {
    return together_ != nullptr && (together_->on() || together_->anyWaiting());
}

/// What is drawn ahead is seen next, so other changes are drawn into it rather than shown early.
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

/// Handles at most one frame: the descriptor stays readable while there is more to do, and between frames the
/// window handles its other events, however slow it is.
void VideoSurface::followTogether() {
    if (auto frame = together_->next()) {
        makeCurrent();
        takeFrames();  // the mailbox's frames came earlier
        // Without a mailbox the stream was removed or cannot be shown.
        if (paused_ || !panes_[0]->hasMailbox()) {
            panes_[0]->miss(frame->info);
        } else if (showIn(0, std::move(*frame)) && panes_.size() > 1) {
            arrange();
        }
        paintAhead();
        together_->drawn();
    }
    const auto due = together_->dueSoon();
    if (!due) {
        return;
    }
    sleepExactly(*due);
    makeCurrent();
    paintedAt_ = nowNs();
    swap(true);
}

void VideoSurface::paintAhead() {
    paintPictures(curtain_ ? curtain_->opacity(nowNs()) : 0);
    paintOverImages();
    context_->functions()->glFinish();
}

/// Nobody sees the window: other displays must not wait for it.
void VideoSurface::passTogether() {
    if (const auto frame = together_->next()) {
        panes_[0]->miss(frame->info);
        together_->drawn();
    }
    if (const auto due = together_->dueSoon()) {
        sleepExactly(*due);
        together_->shown(nowNs(), ShownBy::Timer);
    }
}

}  // namespace verbcast
