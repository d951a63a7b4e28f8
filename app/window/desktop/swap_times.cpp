#include "app/window/desktop/swap_times.h"

#include <QGuiApplication>
#include <QOpenGLContext>
#include <QWindow>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "app/window/desktop/wayland_surface.h"
#include "app/window/desktop/xcb_properties.h"
#include "core/base/error.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

// OML_sync_control counts microseconds of an unnamed clock: all drivers use CLOCK_MONOTONIC.
constexpr TimestampNs kPerUst = 1000;
constexpr TimestampNs kBelievable = 200'000'000;
// With more unanswered swaps than this, as of a hidden window, the oldest is given up.
constexpr std::size_t kMaxAsked = 64;
// A compositor that has shown none of this many pictures never answers (wlroots 0.15 without a monitor).
constexpr std::size_t kMaxUnanswered = 30;

bool isBelievable(TimestampNs at, TimestampNs begun) {
    return at > begun - kBelievable && at < nowNs() + kBelievable;
}

template <typename Function>
Function functionNamed(QOpenGLContext& context, const char* name) {
    return reinterpret_cast<Function>(context.getProcAddress(name));
}

bool hasWord(const char* words, const std::string& wanted) {
    std::istringstream list(words == nullptr ? "" : words);
    for (std::string word; list >> word;) {
        if (word == wanted) {
            return true;
        }
    }
    return false;
}

/// Requests are served in order: once this one is answered, the picture has been drawn.
void waitForServer() {
    if (xcb_connection_t* connection = xConnection()) {
        const XcbReply<xcb_get_input_focus_reply_t> reply(
            xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nullptr));
    }
}

}  // namespace

std::optional<SwapTimes::Oml> SwapTimes::findOml(QOpenGLContext& context) {
#if QT_CONFIG(xcb_glx_plugin)
    if (context.nativeInterface<QNativeInterface::QGLXContext>() == nullptr) {
        return std::nullopt;
    }
    const Oml oml{.display = functionNamed<Oml::CurrentDisplay>(context, "glXGetCurrentDisplay"),
                  .drawable = functionNamed<Oml::CurrentDrawable>(context, "glXGetCurrentDrawable"),
                  .wait = functionNamed<Oml::WaitForSbc>(context, "glXWaitForSbcOML")};
    using Extensions = const char* (*)(void*, int);
    const auto extensions = functionNamed<Extensions>(context, "glXQueryExtensionsString");
    if (oml.display == nullptr || oml.drawable == nullptr || oml.wait == nullptr || extensions == nullptr ||
        !hasWord(extensions(oml.display(), 0), "GLX_OML_sync_control")) {
        return std::nullopt;
    }
    return oml;
#else
    static_cast<void>(context);
    return std::nullopt;
#endif
}

SwapTimes::Shown SwapTimes::after(QOpenGLContext& context, TimestampNs begun) {
    if (!looked_) {
        looked_ = true;
        oml_ = findOml(context);
    }
    std::int64_t ust = 0, msc = 0, sbc = 0;
    if (oml_ && oml_->wait(oml_->display(), oml_->drawable(), 0, &ust, &msc, &sbc) != 0) {
        const TimestampNs at = ust * kPerUst;
        if (isBelievable(at, begun)) {
            return {at, ShownBy::Display};
        }
        oml_.reset();  // it uses another clock
    }
    waitForServer();
    return {nowNs(), ShownBy::Swap};
}

void SwapTimes::findWayland() {
    lookedForWayland_ = true;
    onWayland_ = QGuiApplication::platformName().startsWith("wayland");
    if (!onWayland_) {
        return;
    }
    stats_.shownBy = nameOf(ShownBy::Swap);
    try {
        wayland_ = makeWaylandPresentation(applicationsWaylandDisplay());
        stats_.shownBy = nameOf(ShownBy::Display);
    } catch (const Error& error) {
        stats_.reason = error.what();
        log(LogCategory::Window).info("the display does not tell when it shows pictures: {}", stats_.reason);
    }
}

std::optional<std::uint64_t> SwapTimes::before(QWindow& window) {
    if (!lookedForWayland_) {
        findWayland();
    }
    if (!silent_ && asked_.size() >= kMaxUnanswered && stats_.picturesShown == 0 && window.isExposed()) {
        silent_ = true;
        stats_.reason = "the compositor does not answer wp_presentation.feedback";
        stats_.shownBy = nameOf(ShownBy::Swap);
        log(LogCategory::Window).info("the display does not tell when it shows pictures: {}", stats_.reason);
    }
    wl_surface* surface = wayland_ && !silent_ ? waylandSurfaceOf(window) : nullptr;
    if (surface == nullptr) {
        return std::nullopt;
    }
    asked_.push_back({.swap = wayland_->ask(surface), .begun = nowNs()});
    return asked_.back().swap;
}

std::vector<SwapTimes::News> SwapTimes::news() {
    for (const WaylandPresentation::News& told : wayland_->news()) {
        for (Asked& asked : asked_) {
            if (asked.swap == told.commit) {
                asked.told = told;
            }
        }
    }
    std::vector<News> all;
    while (!asked_.empty() && (asked_.front().told || silent_ || asked_.size() > kMaxAsked)) {
        all.push_back(concluded(asked_.front()));
        asked_.pop_front();
    }
    return all;
}

SwapTimes::News SwapTimes::concluded(const Asked& asked) {
    if (!asked.told && silent_) {
        return {.swap = asked.swap, .shown = Shown{asked.begun, ShownBy::Swap}};
    }
    if (!asked.told || !asked.told->shownAt) {
        ++stats_.picturesNotShown;
        return {.swap = asked.swap, .shown = std::nullopt};
    }
    ++stats_.picturesShown;
    const TimestampNs at = *asked.told->shownAt;
    if (!isBelievable(at, asked.begun)) {
        stats_.reason = "the compositor's times are of another clock than it says";
        stats_.shownBy = nameOf(ShownBy::Swap);
        return {.swap = asked.swap, .shown = Shown{asked.begun, ShownBy::Swap}};
    }
    if (lastAt_) {
        interval_.record(at - *lastAt_);
    }
    lastAt_ = at;
    wait_.record(at - asked.begun);
    stats_.refreshHz =
        asked.told->refresh > 0 ? 1e9 / static_cast<double>(asked.told->refresh) : stats_.refreshHz;
    return {.swap = asked.swap, .shown = Shown{at, ShownBy::Display}};
}

std::optional<WindowStats> SwapTimes::stats() const {
    if (!onWayland_) {
        return std::nullopt;
    }
    WindowStats stats = stats_;
    stats.interval = interval_.percentiles();
    stats.wait = wait_.percentiles();
    return stats;
}

}  // namespace verbcast
