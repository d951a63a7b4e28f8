// libverbcast-run: loaded into a program by `verbcast run` (LD_PRELOAD). Stands before the functions by which
// an OpenGL program shows its picture, and before those by which it finds them.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "capture/run/hooks.h"
#include "core/base/log.h"

namespace verbcast {
namespace {

// As the headers of X11, GLX and EGL have them; those would declare the functions that are defined here.
using Display = void;
using GlxDrawable = unsigned long;
using EglDisplay = void*;
using EglSurface = void*;
using EglInt = std::int32_t;
using XWindow = unsigned long;
using EglBoolean = unsigned;
using Function = void (*)();
constexpr int kGlxWidth = 0x801D, kGlxHeight = 0x801E;
constexpr EglInt kEglHeight = 0x3056, kEglWidth = 0x3057;

using Dlsym = void* (*)(void*, const char*);

/// The C library's own dlsym(): ours stands before it.
Dlsym realDlsym() {
    static const auto function = [] {
        for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
            if (void* found = ::dlvsym(RTLD_NEXT, "dlsym", version)) {
                return reinterpret_cast<Dlsym>(found);
            }
        }
        return static_cast<Dlsym>(nullptr);
    }();
    return function;
}

}  // namespace

thread_local SwapCapture* swapping = nullptr;

void* realFunction(const char* library, const char* name) {
    if (realDlsym() == nullptr) {
        return nullptr;
    }
    if (void* found = realDlsym()(RTLD_NEXT, name)) {
        return found;
    }
    void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    handle = handle != nullptr ? handle : ::dlopen(library, RTLD_LAZY);
    return handle != nullptr ? realDlsym()(handle, name) : nullptr;
}

namespace {

template <typename Signature>
Signature* glx(const char* name) {
    return reinterpret_cast<Signature*>(realFunction("libGL.so.1", name));
}
template <typename Signature>
Signature* egl(const char* name) {
    return reinterpret_cast<Signature*>(realFunction("libEGL.so.1", name));
}

/// Made at the first swap, never destroyed: the program's threads may swap until its last moment. Null
/// outside `verbcast run`, or when it cannot be made, which has been said then.
SwapCapture* capture() {
    static SwapCapture* const made = []() -> SwapCapture* {
        const char* settings = std::getenv(kRunSettingsVariable);
        if (settings == nullptr) {
            return nullptr;
        }
        try {
            logToStderr();
            return new SwapCapture(runSettingsFromJson(settings));
        } catch (const std::exception& error) {
            fmt::print(stderr, "verbcast: {}; the program runs on, and nothing is sent\n", error.what());
            return nullptr;
        }
    }();
    return made;
}

std::atomic<bool> anySwap = false;

/// The X windows of surfaces, by what GLX or EGL calls those.
class WindowTable {
  public:
    void add(std::uint64_t surface, std::uint64_t window) {
        const std::lock_guard lock(mutex_);
        windows_[surface] = window;
    }
    std::optional<std::uint32_t> find(std::uint64_t surface) const {
        const std::lock_guard lock(mutex_);
        const auto found = windows_.find(surface);
        return found != windows_.end() ? std::optional(xWindow(found->second)) : std::nullopt;
    }
    /// The numbers of X have 29 bits; what is larger is another window system's.
    static std::uint32_t xWindow(std::uint64_t window) {
        return window < 1U << 29 ? static_cast<std::uint32_t>(window) : 0;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> windows_;
};

WindowTable& windows() {
    static auto* const table = new WindowTable;  // never destroyed: see capture()
    return *table;
}

class GlxTarget final : public SwapTarget {
  public:
    GlxTarget(Display* display, GlxDrawable drawable) : display_(display), drawable_(drawable) {}
    const void* context() const override {
        static const auto current = glx<void*()>("glXGetCurrentContext");
        return current != nullptr ? current() : nullptr;
    }
    std::uint64_t surface() const override { return drawable_; }
    std::pair<std::uint32_t, std::uint32_t> size() const override {
        static const auto query = glx<int(Display*, GlxDrawable, int, unsigned*)>("glXQueryDrawable");
        std::pair<std::uint32_t, std::uint32_t> size{};
        if (query != nullptr) {
            query(display_, drawable_, kGlxWidth, &size.first);
            query(display_, drawable_, kGlxHeight, &size.second);
        }
        return size;
    }
    /// Where the program has made no GLXWindow, the drawable is the window.
    std::uint32_t window() const override {
        return windows().find(drawable_).value_or(WindowTable::xWindow(drawable_));
    }
    bool mayPresentImages() const override { return true; }

  private:
    Display* display_;
    GlxDrawable drawable_;
};

class EglTarget final : public SwapTarget {
  public:
    EglTarget(EglDisplay display, EglSurface surface) : display_(display), surface_(surface) {}
    const void* context() const override {
        static const auto current = egl<void*()>("eglGetCurrentContext");
        return current != nullptr ? current() : nullptr;
    }
    std::uint64_t surface() const override { return reinterpret_cast<std::uintptr_t>(surface_); }
    std::pair<std::uint32_t, std::uint32_t> size() const override {
        static const auto query = egl<EglBoolean(EglDisplay, EglSurface, EglInt, EglInt*)>("eglQuerySurface");
        EglInt width = 0, height = 0;
        if (query == nullptr || query(display_, surface_, kEglWidth, &width) == 0 ||
            query(display_, surface_, kEglHeight, &height) == 0) {
            return {};
        }
        return {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
    }
    std::uint32_t window() const override { return windows().find(surface()).value_or(0); }
    bool mayPresentImages() const override { return false; }

  private:
    EglDisplay display_;
    EglSurface surface_;
};

/// Swaps with the picture taken before, and handed on after.
template <typename Swap>
auto capturing(const SwapTarget& target, Swap&& swap) {
    anySwap = true;
    SwapCapture* const taking = target.context() != nullptr ? capture() : nullptr;
    if (taking != nullptr) {
        swapping = taking->beforeSwap(target) ? taking : nullptr;
    }
    struct After {
        SwapCapture* taking;
        const SwapTarget& target;
        ~After() {
            swapping = nullptr;
            if (taking != nullptr) {
                taking->afterSwap(target);
            }
        }
    } after{taking, target};
    return swap();
}

__attribute__((constructor)) void loaded() {
    if (const char* settings = std::getenv(kRunSettingsVariable)) {
        try {
            const char byte = static_cast<char>(RunStatus::Loaded);
            [[maybe_unused]] const auto written =
                ::write(runSettingsFromJson(settings).statusDescriptor, &byte, 1);
        } catch (const std::exception&) {
            // Said at the first swap.
        }
    }
}

__attribute__((destructor)) void ending() {
    if (anySwap) {
        if (SwapCapture* const taking = capture()) {
            taking->finish();
        }
    }
}

Function ownFunction(const char* name);

}  // namespace
}  // namespace verbcast

using namespace verbcast;

VERBCAST_HOOK void glXSwapBuffers(Display* display, GlxDrawable drawable) {
    static const auto real = glx<void(Display*, GlxDrawable)>("glXSwapBuffers");
    if (real != nullptr) {
        capturing(GlxTarget(display, drawable), [&] { real(display, drawable); });
    }
}

VERBCAST_HOOK EglBoolean eglSwapBuffers(EglDisplay display, EglSurface surface) {
    static const auto real = egl<EglBoolean(EglDisplay, EglSurface)>("eglSwapBuffers");
    return real == nullptr ? 0
                           : capturing(EglTarget(display, surface), [&] { return real(display, surface); });
}

/// The two names of one function; the real one is found by the library's own look-up.
template <const char* const& kName>
EglBoolean swapWithDamage(EglDisplay display, EglSurface surface, EglInt* rectangles, EglInt count) {
    using Signature = EglBoolean(EglDisplay, EglSurface, EglInt*, EglInt);
    static const auto find = egl<Function(const char*)>("eglGetProcAddress");
    static const auto real = find != nullptr ? reinterpret_cast<Signature*>(find(kName)) : nullptr;
    return real == nullptr ? 0 : capturing(EglTarget(display, surface), [&] {
        return real(display, surface, rectangles, count);
    });
}
namespace {
const char* const kDamageKhr = "eglSwapBuffersWithDamageKHR";
const char* const kDamageExt = "eglSwapBuffersWithDamageEXT";
}  // namespace

VERBCAST_HOOK EglBoolean eglSwapBuffersWithDamageKHR(EglDisplay display, EglSurface surface,
                                                     EglInt* rectangles, EglInt count) {
    return swapWithDamage<kDamageKhr>(display, surface, rectangles, count);
}
VERBCAST_HOOK EglBoolean eglSwapBuffersWithDamageEXT(EglDisplay display, EglSurface surface,
                                                     EglInt* rectangles, EglInt count) {
    return swapWithDamage<kDamageExt>(display, surface, rectangles, count);
}

// Which window a surface belongs to is only told here.

VERBCAST_HOOK GlxDrawable glXCreateWindow(Display* display, void* config, XWindow window,
                                          const int* attributes) {
    static const auto real = glx<GlxDrawable(Display*, void*, XWindow, const int*)>("glXCreateWindow");
    const GlxDrawable made = real != nullptr ? real(display, config, window, attributes) : 0;
    windows().add(made, window);
    return made;
}

VERBCAST_HOOK EglSurface eglCreateWindowSurface(EglDisplay display, void* config, XWindow window,
                                                const EglInt* attributes) {
    static const auto real =
        egl<EglSurface(EglDisplay, void*, XWindow, const EglInt*)>("eglCreateWindowSurface");
    const EglSurface made = real != nullptr ? real(display, config, window, attributes) : nullptr;
    windows().add(reinterpret_cast<std::uintptr_t>(made), window);
    return made;
}

namespace {

/// The two versions of one function differ in the type of the attributes.
EglSurface createPlatformSurface(const char* name, EglDisplay display, void* config, void* native,
                                 const void* attributes) {
    using Signature = EglSurface(EglDisplay, void*, void*, const void*);
    static const auto find = egl<Function(const char*)>("eglGetProcAddress");
    const auto real = find != nullptr ? reinterpret_cast<Signature*>(find(name)) : nullptr;
    const EglSurface made = real != nullptr ? real(display, config, native, attributes) : nullptr;
    if (made != nullptr) {
        // It points at the number of an X window, be it a Window or an xcb_window_t. What it points at in
        // other window systems is no window that the X server knows.
        std::uint32_t window = 0;
        std::memcpy(&window, native, sizeof window);
        windows().add(reinterpret_cast<std::uintptr_t>(made), window);
    }
    return made;
}

}  // namespace

VERBCAST_HOOK EglSurface eglCreatePlatformWindowSurface(EglDisplay display, void* config, void* native,
                                                        const std::intptr_t* attributes) {
    return createPlatformSurface("eglCreatePlatformWindowSurface", display, config, native, attributes);
}
VERBCAST_HOOK EglSurface eglCreatePlatformWindowSurfaceEXT(EglDisplay display, void* config, void* native,
                                                           const EglInt* attributes) {
    return createPlatformSurface("eglCreatePlatformWindowSurfaceEXT", display, config, native, attributes);
}

VERBCAST_HOOK Function glXGetProcAddress(const unsigned char* name) {
    static const auto real = glx<Function(const unsigned char*)>("glXGetProcAddress");
    const Function own = ownFunction(reinterpret_cast<const char*>(name));
    return own != nullptr ? own : real != nullptr ? real(name) : nullptr;
}
VERBCAST_HOOK Function glXGetProcAddressARB(const unsigned char* name) {
    return glXGetProcAddress(name);
}
VERBCAST_HOOK Function eglGetProcAddress(const char* name) {
    static const auto real = egl<Function(const char*)>("eglGetProcAddress");
    const Function own = ownFunction(name);
    // A function that the driver has not must not seem to be there.
    return own != nullptr && real != nullptr && real(name) != nullptr ? own
           : real != nullptr                                          ? real(name)
                                                                      : nullptr;
}

VERBCAST_HOOK void* dlsym(void* handle, const char* name) {
    // Programs that load libGL or libEGL themselves look their functions up here.
    void* const found = realDlsym() != nullptr ? realDlsym()(handle, name) : nullptr;
    const Function own = found != nullptr && handle != RTLD_NEXT ? ownFunction(name) : nullptr;
    return own != nullptr ? reinterpret_cast<void*>(own) : found;
}

namespace verbcast {
namespace {

Function ownFunction(const char* name) {
    struct Hook {
        const char* name;
        Function function;
    };
    static const Hook hooks[] = {
        {"glXSwapBuffers", reinterpret_cast<Function>(&glXSwapBuffers)},
        {"glXGetProcAddress", reinterpret_cast<Function>(&glXGetProcAddress)},
        {"glXGetProcAddressARB", reinterpret_cast<Function>(&glXGetProcAddressARB)},
        {"glXCreateWindow", reinterpret_cast<Function>(&glXCreateWindow)},
        {"eglCreateWindowSurface", reinterpret_cast<Function>(&eglCreateWindowSurface)},
        {"eglCreatePlatformWindowSurface", reinterpret_cast<Function>(&eglCreatePlatformWindowSurface)},
        {"eglCreatePlatformWindowSurfaceEXT", reinterpret_cast<Function>(&eglCreatePlatformWindowSurfaceEXT)},
        {"eglSwapBuffers", reinterpret_cast<Function>(&eglSwapBuffers)},
        {"eglSwapBuffersWithDamageKHR", reinterpret_cast<Function>(&eglSwapBuffersWithDamageKHR)},
        {"eglSwapBuffersWithDamageEXT", reinterpret_cast<Function>(&eglSwapBuffersWithDamageEXT)},
        {"eglGetProcAddress", reinterpret_cast<Function>(&eglGetProcAddress)},
    };
    for (const Hook& hook : hooks) {
        if (name != nullptr && std::strcmp(name, hook.name) == 0) {
            return hook.function;
        }
    }
    return nullptr;
}

}  // namespace
}  // namespace verbcast
