#include "app/kms/kms_screen.h"

#include <fmt/format.h>

#include <utility>

#include "app/view/words/upload_names.h"

namespace verbcast {

KmsScreen::KmsScreen(const ViewOptions& options, const StreamPeer& peer, KmsScreens& screens,
                     std::size_t index)
    : screens_(screens),
      index_(index),
      stream_(options, peer, screens.state(index).connector + ": "),
      picture_(options) {}

void KmsScreen::begin() {
    const KmsScreenState& state = screens_.state(index_);
    stream_.words().say(state.connected ? fmt::format("kiosk ({}, {}); SIGTERM ends it", state.mode.text(),
                                                      state.atomic ? "atomic commits" : "legacy page flips")
                                        : "kiosk; no display is plugged in: waiting for one");
    stream_.open();
}

std::vector<int> KmsScreen::descriptors() {
    std::vector<int> all{stream_.descriptor()};
    if (stream_.frameLock() != nullptr) {
        all.push_back(stream_.frameLock()->descriptor());
    }
    return all;
}

void KmsScreen::hear(const KmsNews& news) {
    const KmsScreenState& state = screens_.state(index_);
    switch (news.what) {
        case KmsNews::What::Shown:
            onShown(news);
            break;
        case KmsNews::What::Plugged:
            stream_.words().say("a display is there: " + state.mode.text());
            stale_ = true;
            break;
        case KmsNews::What::Unplugged:
            stream_.words().say("the display was unplugged: waiting for it");
            ++stats_.unplugged;
            lastFrameAt_.reset();
            break;
        case KmsNews::What::Away:
            stream_.words().say("another console is shown: the display is given up until this one is back");
            lastFrameAt_.reset();
            break;
        case KmsNews::What::Note:
            stream_.words().say(news.text);
            break;
    }
}

void KmsScreen::onShown(const KmsNews& news) {
    ++stats_.flips;
    stats_.shownBy = news.byDisplay ? nameOf(ShownBy::Display) : nameOf(ShownBy::Swap);
    if (std::exchange(awaited_, false)) {
        stream_.frameLock()->shown(news.at, news.byDisplay ? ShownBy::Display : ShownBy::Swap);
    }
    const auto frame = std::exchange(drawn_, std::nullopt);
    if (!frame) {
        return;
    }
    if (lastFrameAt_) {
        interval_.record(news.at - *lastFrameAt_);
    }
    lastFrameAt_ = news.at;
    wait_.record(news.at - finishedAt_);
    stream_.shown(*frame);
}

bool KmsScreen::isFrameLocked() {
    FrameLockStream* frameLock = stream_.frameLock();
    return frameLock != nullptr && (frameLock->on() || frameLock->anyWaiting());
}

void KmsScreen::serve() {
    stream_.follow();
    const TimestampNs now = nowNs();
    if (stream_.isNew()) {
        picture_.anotherStream();
    }
    if (!stream_.streams()) {
        picture_.moveCurtain(false, now);
    }
    if (drawnAhead_ || isFrameLocked()) {
        screens_.state(index_).connected ? showFrameLocked() : passFrameLock();
    }
    if (!drawnAhead_) {
        showNewest();
    }
}

/// Paints and shows the newest frame, if any, or the next step of a fade.
void KmsScreen::showNewest() {
    if (!screens_.ready(index_)) {
        return;
    }
    const TimestampNs now = nowNs();
    const bool moves = picture_.moving(now);
    auto frame = stream_.nextFrame();
    if (frame) {
        screens_.draw(index_);
        if (picture_.take(*frame, [this](const ReceivedFrame& taken) { return stream_.confirm(taken); })) {
            picture_.moveCurtain(stream_.streams(), now);
            drawn_ = std::move(frame);
            stale_ = true;
        }
    }
    if (stale_ || moves) {
        paint();
        finishedAt_ = nowNs();
        screens_.show(index_);
        stale_ = picture_.moving(nowNs());
    }
}

void KmsScreen::paint() {
    const DisplayMode& mode = screens_.state(index_).mode;
    screens_.draw(index_);
    picture_.draw(static_cast<int>(mode.width), static_cast<int>(mode.height), nowNs());
}

void KmsScreen::showFrameLocked() {
    FrameLockStream& frameLock = *stream_.frameLock();
    if (!screens_.ready(index_)) {
        return;
    }
    if (auto frame = frameLock.next()) {
        screens_.draw(index_);
        if (picture_.take(*frame, [this](const ReceivedFrame& taken) { return stream_.confirm(taken); })) {
            picture_.moveCurtain(stream_.streams(), nowNs());
            drawn_ = std::move(frame);
        }
        paint();
        screens_.finishDrawing();
        frameLock.drawn();
    }
    drawnAhead_ = !frameLock.idle();  // a sender that has gone withdraws its orders
    if (const auto due = frameLock.dueSoon(); due && drawnAhead_) {
        sleepExactly(*due);
        if (stale_) {
            paint();  // for another mode than it was drawn for
        }
        finishedAt_ = nowNs();
        drawnAhead_ = false;
        awaited_ = true;
        stale_ = false;
        screens_.show(index_);
    }
}

/// Nobody sees the screen: other displays must not wait for it.
void KmsScreen::passFrameLock() {
    if (stream_.frameLock()->showUnseen([this](const ReceivedFrame& frame) { picture_.miss(frame.info); })) {
        drawnAhead_ = awaited_ = false;
        drawn_.reset();
    }
}

bool KmsScreen::over() {
    return stream_.ended() && (!screens_.state(index_).connected || (!stale_ && !drawn_));
}

StreamStats KmsScreen::stats() const {
    StreamStats stats = stream_.stats();
    const KmsScreenState& state = screens_.state(index_);
    ScreenStats& screen = stats.screen.emplace(stats_);
    screen.connector = state.connector;
    screen.connected = state.connected;
    screen.width = state.mode.width;
    screen.height = state.mode.height;
    screen.refreshHz = state.mode.milliHertz / 1000.0;
    screen.pageFlips = state.atomic ? "atomic" : "legacy";
    screen.interval = interval_.percentiles();
    screen.wait = wait_.percentiles();
    stats.upload = uploadStats(picture_.uploadReport());
    return stats;
}

}  // namespace verbcast
