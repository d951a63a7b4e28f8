#include "app/window/sound/window_sound.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kMeterPeriod{40};

}  // namespace

WindowSound::WindowSound(ViewerController& controller, VideoSurface& video)
    : controller_(controller),
      video_(video),
      volume_(controller.options().volume),
      muted_(controller.options().muted) {
    connect(&meterTimer_, &QTimer::timeout, this, &WindowSound::measure);
}

/// Pictures that are compared do not wait: their partners may have no sound.
void WindowSound::follow() {
    const Layout& layout = video_.pictureLayout();
    const bool compares =
        controller_.streams() > 1 && !video_.solo() &&
        (layout.isStereo() || layout.way == LayoutWay::Difference || layout.way == LayoutWay::Wipe);
    const StreamFeed* const sounding = &this->sounding();
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        StreamFeed& feed = controller_.feed(stream);
        feed.controlSound({.volume = volume_,
                           .muted = muted_,
                           .audible = &feed == sounding,
                           .paused = video_.paused(),
                           .holds = !compares});
    }
}

void WindowSound::toggleMute() {
    muted_ = !muted_;
    follow();
    Q_EMIT news(muted_ ? tr("Sound off: M turns it on")
                       : tr("Sound on, volume %1 %").arg(std::lround(volume_)));
}

void WindowSound::changeVolume(double by) {
    volume_ = std::clamp(volume_ + by, 0.0, 100.0);
    muted_ = muted_ && by < 0;
    follow();
    const auto percent = std::lround(volume_);
    Q_EMIT news(muted_ ? tr("Volume %1 %, sound off: M turns it on").arg(percent)
                       : tr("Volume %1 %").arg(percent));
}

void WindowSound::togglePin() {
    pinned_ = pinned() ? nullptr : &focused();
    follow();
    Q_EMIT news(pinned_ ? tr("This stream sounds, whichever has the focus")
                        : tr("The stream in focus sounds"));
}

void WindowSound::toggleMeters() {
    if (metersVisible()) {
        meterTimer_.stop();
        video_.setMeters({}, 0);
    } else {
        measured_ = nullptr;
        meterTimer_.start(kMeterPeriod);
    }
}

void WindowSound::measure() {
    StreamFeed& feed = sounding();
    if (std::exchange(measured_, &feed) != &feed) {
        meters_ = {};
    }
    meters_.add(feed.takeSoundPeaks(), nowNs());
    std::size_t pane = 0;
    while (pane < controller_.streams() && &controller_.feed(pane) != &feed) {
        ++pane;
    }
    video_.setMeters(meters_.render(video_.height() * 9 / 10, video_.devicePixelRatio()), pane);
}

}  // namespace verbcast
