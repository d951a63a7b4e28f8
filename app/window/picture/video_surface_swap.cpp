// Exposes a surface, swaps its buffers, and learns when each swap was seen.
#include <QGuiApplication>
#include <utility>

#include "app/window/picture/video_surface.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

// How long to wait for the report on the last frame, when no later event brings it: a few refreshes of a slow
// display.
constexpr std::chrono::milliseconds kLastTold{100};

}  // namespace

void VideoSurface::showEvent(QShowEvent* /*event*/) {
    wasExposed_ = false;
    if (parent() != nullptr) {
        parent()->installEventFilter(this);  // has no effect if installed already
    }
}

void VideoSurface::exposeEvent(QExposeEvent* /*event*/) {
    wasExposed_ = wasExposed_ || isExposed();
    paintNow();
}

/// Qt on Wayland (6.4) sends the first expose event to the surrounding window only, unless this one's size
/// changes then. Later it also counts as unexposed while the compositor shows none of its pictures: that ends
/// by itself.
bool VideoSurface::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parent() && event->type() == QEvent::Expose && parent()->isExposed() && isVisible() &&
        !wasExposed_ && !isExposed() && QGuiApplication::platformName().startsWith("wayland")) {
        const QSize whole = size();
        resize(whole - QSize(0, 1));
        resize(whole);
    }
    return QWindow::eventFilter(watched, event);
}

std::vector<VideoSurface::Drawn> VideoSurface::takeDrawn() {
    std::vector<Drawn> frames;
    for (const std::size_t pane : order_) {
        if (auto frame = panes_[pane]->takeDrawn()) {
            frames.push_back({pane, std::move(*frame)});
            frameShownAt_ = nowNs();
        }
    }
    return frames;
}

/// `frameLocked`: the drawn frame is that stream's, and due. Asks the display only about swaps that show
/// frames.
void VideoSurface::swap(bool frameLocked) {
    std::vector<Drawn> frames = takeDrawn();
    std::optional<std::uint64_t> number;
    if (!frames.empty() || frameLocked) {
        number = swapTimes_.before(*this);
    }
    const TimestampNs begun = nowNs();
    context_->swapBuffers(this);
    if (number) {
        hearOfSwaps();
        Swapped& swapped = swapped_.emplace_back(Swapped{*number, std::move(frames), std::nullopt});
        if (frameLocked) {
            swapped.frameLock = frameLock_->swapped();
        }
        return;
    }
    if (!swapped_.empty()) {
        followSwaps();
    }
    if (frameLocked) {
        const SwapTimes::Shown shown = swapTimes_.after(*context_, begun);
        frameLock_->shown(shown.at, shown.by);
    }
    reportShown(std::move(frames), 0);
}

void VideoSurface::hearOfSwaps() {
    if (!swapNews_) {
        swapNews_ = std::make_unique<QSocketNotifier>(swapTimes_.descriptor(), QSocketNotifier::Read);
        connect(swapNews_.get(), &QSocketNotifier::activated, this, &VideoSurface::followSwaps);
    }
}

void VideoSurface::followSwaps() {
    for (const SwapTimes::News& news : swapTimes_.news()) {
        Swapped swapped = std::move(swapped_.front());  // the same number: both are in order
        swapped_.pop_front();
        if (!news.shown) {
            continue;
        }
        if (swapped.frameLock) {
            frameLock_->told(*swapped.frameLock, news.shown->at, news.shown->by);
        }
        reportShown(std::move(swapped.frames), news.shown->at);
    }
}

void VideoSurface::reportShown(std::vector<Drawn> frames, TimestampNs at) {
    for (Drawn& drawn : frames) {
        if (drawn.pane < panes_.size()) {  // a receiver of this signal may remove another frame's stream
            drawn.frame.shownAt = at;
            Q_EMIT frameShown(drawn.frame, drawn.pane);
        }
    }
}

/// Discards reports about what the pane's stream has shown until now.
void VideoSurface::forgetSwapped(std::size_t pane, bool removed) {
    for (Swapped& swapped : swapped_) {
        std::erase_if(swapped.frames, [pane](const Drawn& drawn) { return drawn.pane == pane; });
        for (Drawn& drawn : swapped.frames) {
            drawn.pane -= removed && drawn.pane > pane ? 1 : 0;
        }
    }
}

void VideoSurface::paintLast() {
    paintNow();
    const Deadline patience = Deadline::in(kLastTold);
    while (!swapped_.empty() && !patience.passed()) {
        waitReadable({swapTimes_.descriptor()}, patience.left());
        followSwaps();
    }
}

}  // namespace verbcast
