// Hooks for how an EGL program shows pictures and looks up the functions for that.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "app/preload/hooks/hooks.h"
#include "app/preload/process_capture.h"

// Copied from EGL's headers, which would declare the functions that are defined here.
namespace {

using EglDisplay = void*;
using EglSurface = void*;
using EglConfig = void*;
using EglInt = std::int32_t;
using EglBoolean = unsigned;
using NativeWindow = unsigned long;
constexpr EglInt kEglHeight = 0x3056, kEglWidth = 0x3057, kEglRead = 0x305A;

using verbcast::Api;
using verbcast::RealFunction;

constinit RealFunction<EglBoolean(EglDisplay, EglSurface)> realEglSwap(Api::Egl, "eglSwapBuffers");
using SwapWithDamage = RealFunction<EglBoolean(EglDisplay, EglSurface, EglInt*, EglInt)>;
constinit SwapWithDamage realSwapKhr(Api::Egl, "eglSwapBuffersWithDamageKHR");
constinit SwapWithDamage realSwapExt(Api::Egl, "eglSwapBuffersWithDamageEXT");
constinit RealFunction<void*()> realEglCurrentContext(Api::Egl, "eglGetCurrentContext");
constinit RealFunction<EglSurface(EglInt)> realEglCurrentSurface(Api::Egl, "eglGetCurrentSurface");
constinit RealFunction<EglBoolean(EglDisplay, EglSurface, EglInt, EglInt*)> realQuerySurface(
    Api::Egl, "eglQuerySurface");
constinit RealFunction<EglSurface(EglDisplay, EglConfig, NativeWindow, const EglInt*)>
    realCreateWindowSurface(Api::Egl, "eglCreateWindowSurface");
constinit RealFunction<EglSurface(EglDisplay, EglConfig, void*, const std::intptr_t*)>
    realCreatePlatformSurface(Api::Egl, "eglCreatePlatformWindowSurface");
constinit RealFunction<EglSurface(EglDisplay, EglConfig, void*, const EglInt*)> realCreatePlatformSurfaceExt(
    Api::Egl, "eglCreatePlatformWindowSurfaceEXT");
constinit RealFunction<EglBoolean(EglDisplay, void*)> realEglDestroyContext(Api::Egl, "eglDestroyContext");
constinit RealFunction<EglBoolean(EglDisplay, EglSurface)> realEglDestroySurface(Api::Egl,
                                                                                 "eglDestroySurface");
constinit RealFunction<EglBoolean(EglDisplay)> realTerminate(Api::Egl, "eglTerminate");
constinit RealFunction<verbcast::Function(const char*)> realEglGetProcAddress(Api::Egl, "eglGetProcAddress");

class EglTarget final : public verbcast::SwapTarget {
  public:
    EglTarget(EglDisplay display, EglSurface surface, std::span<const EglInt> damage = {})
        : display_(display), surface_(surface), damage_(damage) {}
    const void* context() const override { return realEglCurrentContext(); }
    std::uint64_t surface() const override { return reinterpret_cast<std::uintptr_t>(surface_); }
    std::pair<std::uint32_t, std::uint32_t> size() const override {
        EglInt width = 0, height = 0;
        if (realQuerySurface(display_, surface_, kEglWidth, &width) == 0 ||
            realQuerySurface(display_, surface_, kEglHeight, &height) == 0) {
            return {};
        }
        return {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
    }
    std::uint32_t window() const override {
        return verbcast::ProcessCapture::own().windows().find(surface()).value_or(0);
    }
    bool isRead() const override { return realEglCurrentSurface(kEglRead) == surface_; }
    bool mayPresentImages() const override { return false; }
    /// Without rectangles, the program does not say what changed.
    verbcast::PictureChanges changes() const override {
        using verbcast::FrameRect;
        if (damage_.empty()) {
            return verbcast::PictureChanges::all();
        }
        verbcast::PictureChanges changes = verbcast::PictureChanges::none();
        for (std::size_t i = 0; i + kRectangleInts <= damage_.size(); i += kRectangleInts) {
            const auto inside = [](std::int64_t value) {
                return static_cast<std::uint16_t>(std::clamp<std::int64_t>(value, 0, UINT16_MAX));
            };
            const std::int64_t x = damage_[i], y = damage_[i + 1];
            FrameRect rect{inside(x), inside(y), 0, 0};
            rect.width = static_cast<std::uint16_t>(inside(x + damage_[i + 2]) - rect.x);
            rect.height = static_cast<std::uint16_t>(inside(y + damage_[i + 3]) - rect.y);
            if (damage_[i + 2] > 0 && damage_[i + 3] > 0) {
                changes.add(rect);
            }
        }
        return changes;
    }

    static constexpr std::size_t kRectangleInts = 4;  // x, y, width, height, from the lower left corner

  private:
    EglDisplay display_;
    EglSurface surface_;
    std::span<const EglInt> damage_;
};

EglBoolean swapWithDamage(const SwapWithDamage& real, EglDisplay display, EglSurface surface,
                          EglInt* rectangles, EglInt count) {
    const std::size_t told = rectangles != nullptr && count > 0 ? static_cast<std::size_t>(count) : 0;
    const std::span<const EglInt> damage(rectangles, told * EglTarget::kRectangleInts);
    return !real ? 0 : verbcast::capturing(EglTarget(display, surface, damage), [&] {
        return real(display, surface, rectangles, count);
    });
}

void rememberWindow(EglDisplay display, EglSurface surface, std::uint64_t window) {
    verbcast::ProcessCapture::own().windows().add(reinterpret_cast<std::uintptr_t>(surface), window, display);
}

/// `native` points at the number of an X window, a Window or an xcb_window_t. In other window systems it
/// points at something that is no window of the X server.
void rememberPlatformWindow(EglDisplay display, EglSurface surface, const void* native) {
    if (surface != nullptr) {
        std::uint32_t window = 0;
        std::memcpy(&window, native, sizeof window);
        rememberWindow(display, surface, window);
    }
}

}  // namespace

VERBCAST_HOOK EglBoolean eglSwapBuffers(EglDisplay display, EglSurface surface) {
    return !realEglSwap ? 0 : verbcast::capturing(EglTarget(display, surface), [&] {
        return realEglSwap(display, surface);
    });
}
VERBCAST_HOOK EglBoolean eglSwapBuffersWithDamageKHR(EglDisplay display, EglSurface surface,
                                                     EglInt* rectangles, EglInt count) {
    return swapWithDamage(realSwapKhr, display, surface, rectangles, count);
}
VERBCAST_HOOK EglBoolean eglSwapBuffersWithDamageEXT(EglDisplay display, EglSurface surface,
                                                     EglInt* rectangles, EglInt count) {
    return swapWithDamage(realSwapExt, display, surface, rectangles, count);
}

// Only these calls tell which window a surface belongs to.
VERBCAST_HOOK EglSurface eglCreateWindowSurface(EglDisplay display, EglConfig config, NativeWindow window,
                                                const EglInt* attributes) {
    const EglSurface made = realCreateWindowSurface(display, config, window, attributes);
    rememberWindow(display, made, window);
    return made;
}
VERBCAST_HOOK EglSurface eglCreatePlatformWindowSurface(EglDisplay display, EglConfig config, void* native,
                                                        const std::intptr_t* attributes) {
    const EglSurface made = realCreatePlatformSurface(display, config, native, attributes);
    rememberPlatformWindow(display, made, native);
    return made;
}
VERBCAST_HOOK EglSurface eglCreatePlatformWindowSurfaceEXT(EglDisplay display, EglConfig config, void* native,
                                                           const EglInt* attributes) {
    const EglSurface made = realCreatePlatformSurfaceExt(display, config, native, attributes);
    rememberPlatformWindow(display, made, native);
    return made;
}
VERBCAST_HOOK EglBoolean eglDestroyContext(EglDisplay display, void* context) {
    verbcast::contextDestroyed(context);
    return realEglDestroyContext(display, context);
}
VERBCAST_HOOK EglBoolean eglDestroySurface(EglDisplay display, EglSurface surface) {
    verbcast::closed(reinterpret_cast<std::uintptr_t>(surface));
    return realEglDestroySurface(display, surface);
}

/// Ends everything of the display that the program has not destroyed.
VERBCAST_HOOK EglBoolean eglTerminate(EglDisplay display) {
    verbcast::displayEnded(display);
    return realTerminate(display);
}

VERBCAST_HOOK verbcast::Function eglGetProcAddress(const char* name) {
    return verbcast::hookedAnswer(name, realEglGetProcAddress(name));
}

namespace verbcast {

std::span<const Hook> eglHooks() {
    static const Hook hooks[] = {
        {Api::Egl, "eglSwapBuffers", reinterpret_cast<Function>(&eglSwapBuffers)},
        {Api::Egl, "eglSwapBuffersWithDamageKHR", reinterpret_cast<Function>(&eglSwapBuffersWithDamageKHR)},
        {Api::Egl, "eglSwapBuffersWithDamageEXT", reinterpret_cast<Function>(&eglSwapBuffersWithDamageEXT)},
        {Api::Egl, "eglCreateWindowSurface", reinterpret_cast<Function>(&eglCreateWindowSurface)},
        {Api::Egl, "eglCreatePlatformWindowSurface",
         reinterpret_cast<Function>(&eglCreatePlatformWindowSurface)},
        {Api::Egl, "eglCreatePlatformWindowSurfaceEXT",
         reinterpret_cast<Function>(&eglCreatePlatformWindowSurfaceEXT)},
        {Api::Egl, "eglDestroyContext", reinterpret_cast<Function>(&eglDestroyContext)},
        {Api::Egl, "eglDestroySurface", reinterpret_cast<Function>(&eglDestroySurface)},
        {Api::Egl, "eglTerminate", reinterpret_cast<Function>(&eglTerminate)},
        {Api::Egl, "eglGetProcAddress", reinterpret_cast<Function>(&eglGetProcAddress)},
    };
    return hooks;
}

}  // namespace verbcast
