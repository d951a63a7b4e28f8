#include "app/window/desktop/swap_times.h"

#include <xcb/xcb.h>

#include <QGuiApplication>
#include <QOpenGLContext>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

namespace verbcast {
namespace {

// OML_sync_control counts microseconds of a clock that it does not name: all drivers take CLOCK_MONOTONIC.
constexpr TimestampNs kPerUst = 1000;
constexpr TimestampNs kBelievable = 200'000'000;

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

/// Requests are served in order: once this one is answered, the picture has been put.
void waitForServer() {
#if QT_CONFIG(xcb)
    const auto* x11 = qGuiApp->nativeInterface<QNativeInterface::QX11Application>();
    if (x11 == nullptr) {
        return;
    }
    xcb_connection_t* connection = x11->connection();
    const std::unique_ptr<xcb_get_input_focus_reply_t, decltype(&std::free)> reply(
        xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nullptr), &std::free);
#endif
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
        if (at > begun - kBelievable && at < nowNs() + kBelievable) {
            return {at, ShownBy::Display};
        }
        oml_.reset();  // of another clock
    }
    waitForServer();
    return {nowNs(), ShownBy::Swap};
}

}  // namespace verbcast
