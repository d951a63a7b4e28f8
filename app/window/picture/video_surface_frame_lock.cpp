// A surface that shows its pictures together with other displays: draws ahead and swaps when they are due.
#include <QOpenGLFunctions>
#include <utility>

#include "app/window/picture/video_surface.h"
#include "core/base/os/early_wake.h"

namespace verbcast {

void VideoSurface::setFrameLock(FrameLockStream* frameLock) {
    frameLock_ = frameLock;
    for (Swapped& swapped : swapped_) {
        swapped.frameLock.reset();
    }
    if (frameLockNews_) {
        frameLockNews_->setEnabled(false);
        frameLockNews_.release()->deleteLater();  // its own signal may have led here
    }
    if (frameLock != nullptr) {
        wakeExactly();
        frameLockNews_ = std::make_unique<QSocketNotifier>(frameLock->descriptor(), QSocketNotifier::Read);
        connect(frameLockNews_.get(), &QSocketNotifier::activated, this, [this] { keepFrameLock(); });
    }
}

bool VideoSurface::isFrameLocked() const {
    return frameLock_ != nullptr && (frameLock_->on() || frameLock_->anyWaiting());
}

/// What is drawn ahead is seen next, so other changes are drawn into it rather than shown early.
void VideoSurface::repaintFrameLocked() {
    if (frameLock_->idle()) {
        paint();
    } else {
        makeCurrent();
        paintAhead();
    }
    followFrameLock();
}

void VideoSurface::keepFrameLock() {
    if (broken_) {
        passFrameLock();
        return;
    }
    try {
        isExposed() ? followFrameLock() : passFrameLock();
    } catch (...) {
        broken_ = true;
        Q_EMIT failed(std::current_exception());
    }
}

/// Handles at most one frame: the descriptor stays readable while there is more to do, and between frames the
/// window handles its other events, however slow it is.
void VideoSurface::followFrameLock() {
    if (auto frame = frameLock_->next()) {
        makeCurrent();
        takeFrames();  // the mailbox's frames came earlier
        // Without a mailbox the stream was removed or cannot be shown.
        if (paused_ || !panes_[0]->hasMailbox()) {
            panes_[0]->miss(frame->info);
        } else if (showIn(0, std::move(*frame)) && panes_.size() > 1) {
            arrange();
        }
        paintAhead();
        frameLock_->drawn();
    }
    const auto due = frameLock_->dueSoon();
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
void VideoSurface::passFrameLock() {
    frameLock_->showUnseen([this](const ReceivedFrame& frame) { panes_[0]->miss(frame.info); });
}

}  // namespace verbcast
