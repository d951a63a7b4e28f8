// Hooks for how a GLX program shows pictures and looks up the functions for that.
#include <cstdint>
#include <utility>

#include "app/preload/hooks/hooks.h"
#include "app/preload/process_capture.h"

// Copied from the headers of X11 and GLX, which would declare the functions that are defined here.
namespace {

using XDisplay = void;
using XWindow = unsigned long;
using GlxDrawable = unsigned long;
constexpr int kGlxWidth = 0x801D, kGlxHeight = 0x801E;

using verbcast::Api;
using verbcast::RealFunction;

constinit RealFunction<void(XDisplay*, GlxDrawable)> realSwap(Api::Glx, "glXSwapBuffers");
constinit RealFunction<void*()> realCurrentContext(Api::Glx, "glXGetCurrentContext");
constinit RealFunction<GlxDrawable()> realCurrentRead(Api::Glx, "glXGetCurrentReadDrawable");
constinit RealFunction<int(XDisplay*, GlxDrawable, int, unsigned*)> realQueryDrawable(Api::Glx,
                                                                                      "glXQueryDrawable");
constinit RealFunction<GlxDrawable(XDisplay*, void*, XWindow, const int*)> realCreateWindow(
    Api::Glx, "glXCreateWindow");
constinit RealFunction<void(XDisplay*, void*)> realDestroyContext(Api::Glx, "glXDestroyContext");
constinit RealFunction<void(XDisplay*, GlxDrawable)> realDestroyWindow(Api::Glx, "glXDestroyWindow");
constinit RealFunction<verbcast::Function(const unsigned char*)> realGetProcAddress(Api::Glx,
                                                                                    "glXGetProcAddress");
constinit RealFunction<verbcast::Function(const unsigned char*)> realGetProcAddressArb(
    Api::Glx, "glXGetProcAddressARB");

class GlxTarget final : public verbcast::SwapTarget {
  public:
    GlxTarget(XDisplay* display, GlxDrawable drawable) : display_(display), drawable_(drawable) {}
    const void* context() const override { return realCurrentContext(); }
    std::uint64_t surface() const override { return drawable_; }
    std::pair<std::uint32_t, std::uint32_t> size() const override {
        std::pair<std::uint32_t, std::uint32_t> size{};
        realQueryDrawable(display_, drawable_, kGlxWidth, &size.first);
        realQueryDrawable(display_, drawable_, kGlxHeight, &size.second);
        return size;
    }
    /// If the program made no GLXWindow, the drawable is the window.
    std::uint32_t window() const override { return windowOf(drawable_); }
    bool isRead() const override { return !realCurrentRead || windowOf(realCurrentRead()) == window(); }
    bool mayPresentImages() const override { return true; }

  private:
    static std::uint32_t windowOf(GlxDrawable drawable) {
        const auto window = verbcast::ProcessCapture::own().windows().find(drawable);
        return window.value_or(verbcast::WindowTable::xWindow(drawable));
    }

    XDisplay* display_;
    GlxDrawable drawable_;
};

}  // namespace

VERBCAST_HOOK void glXSwapBuffers(XDisplay* display, GlxDrawable drawable) {
    if (realSwap) {
        verbcast::capturing(GlxTarget(display, drawable), [&] { realSwap(display, drawable); });
    }
}

// Only this call tells which window a surface belongs to.
VERBCAST_HOOK GlxDrawable glXCreateWindow(XDisplay* display, void* config, XWindow window,
                                          const int* attributes) {
    const GlxDrawable made = realCreateWindow(display, config, window, attributes);
    verbcast::ProcessCapture::own().windows().add(made, window);
    return made;
}
VERBCAST_HOOK void glXDestroyContext(XDisplay* display, void* context) {
    verbcast::contextDestroyed(context);
    realDestroyContext(display, context);
}
VERBCAST_HOOK void glXDestroyWindow(XDisplay* display, GlxDrawable window) {
    verbcast::closed(window);
    realDestroyWindow(display, window);
}

VERBCAST_HOOK verbcast::Function glXGetProcAddress(const unsigned char* name) {
    return verbcast::hookedAnswer(reinterpret_cast<const char*>(name), realGetProcAddress(name));
}
VERBCAST_HOOK verbcast::Function glXGetProcAddressARB(const unsigned char* name) {
    return verbcast::hookedAnswer(reinterpret_cast<const char*>(name), realGetProcAddressArb(name));
}

namespace verbcast {

std::span<const Hook> glxHooks() {
    static const Hook hooks[] = {
        {Api::Glx, "glXSwapBuffers", reinterpret_cast<Function>(&glXSwapBuffers)},
        {Api::Glx, "glXCreateWindow", reinterpret_cast<Function>(&glXCreateWindow)},
        {Api::Glx, "glXDestroyContext", reinterpret_cast<Function>(&glXDestroyContext)},
        {Api::Glx, "glXDestroyWindow", reinterpret_cast<Function>(&glXDestroyWindow)},
        {Api::Glx, "glXGetProcAddress", reinterpret_cast<Function>(&glXGetProcAddress)},
        {Api::Glx, "glXGetProcAddressARB", reinterpret_cast<Function>(&glXGetProcAddressARB)},
    };
    return hooks;
}

}  // namespace verbcast
