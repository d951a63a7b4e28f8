// libverbcast-run: loaded into a program by `verbcast run` (LD_PRELOAD). Stands before the functions by which
// an OpenGL program shows its picture, and before those by which it finds them.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "capture/run/swap_capture.h"

#define VERBCAST_HOOK extern "C" __attribute__((visibility("default")))

namespace verbcast {
namespace {

// As the headers of X11, GLX and EGL have them; those would declare the functions that are defined here.
using Display = void;
using GlxDrawable = unsigned long;
using EglDisplay = void*;
using EglSurface = void*;
using EglInt = std::int32_t;
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

/// What the program would have called. Programs that load OpenGL by themselves keep it out of the global
/// scope: then it is asked for by its library's name.
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
            return new SwapCapture(runSettingsFromJson(settings));
        } catch (const std::exception& error) {
            fmt::print(stderr, "verbcast: {}; the program runs on, and nothing is sent\n", error.what());
            return nullptr;
        }
    }();
    return made;
}

bool anySwap = false;

SwapTarget glxTarget(Display* display, GlxDrawable drawable) {
    static const auto query = glx<int(Display*, GlxDrawable, int, unsigned*)>("glXQueryDrawable");
    static const auto context = glx<void*()>("glXGetCurrentContext");
    SwapTarget target{context != nullptr ? context() : nullptr, drawable};
    if (query != nullptr && target.context != nullptr) {
        query(display, drawable, kGlxWidth, &target.width);
        query(display, drawable, kGlxHeight, &target.height);
    }
    return target;
}

SwapTarget eglTarget(EglDisplay display, EglSurface surface) {
    static const auto query = egl<EglBoolean(EglDisplay, EglSurface, EglInt, EglInt*)>("eglQuerySurface");
    static const auto context = egl<void*()>("eglGetCurrentContext");
    SwapTarget target{context != nullptr ? context() : nullptr, reinterpret_cast<std::uintptr_t>(surface)};
    EglInt width = 0, height = 0;
    if (query != nullptr && target.context != nullptr && query(display, surface, kEglWidth, &width) != 0 &&
        query(display, surface, kEglHeight, &height) != 0) {
        target.width = static_cast<std::uint32_t>(width);
        target.height = static_cast<std::uint32_t>(height);
    }
    return target;
}

/// Swaps with the picture taken before, and handed on after.
template <typename Swap>
auto capturing(const SwapTarget& target, Swap&& swap) {
    anySwap = true;
    SwapCapture* const taking = capture();
    if (taking != nullptr && target.context != nullptr) {
        taking->beforeSwap(target);
    }
    struct After {
        SwapCapture* taking;
        const SwapTarget& target;
        ~After() {
            if (taking != nullptr && target.context != nullptr) {
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
        capturing(glxTarget(display, drawable), [&] { real(display, drawable); });
    }
}

VERBCAST_HOOK EglBoolean eglSwapBuffers(EglDisplay display, EglSurface surface) {
    static const auto real = egl<EglBoolean(EglDisplay, EglSurface)>("eglSwapBuffers");
    return real == nullptr ? 0
                           : capturing(eglTarget(display, surface), [&] { return real(display, surface); });
}

/// The two names of one function; the real one is found by the library's own look-up.
template <const char* const& kName>
EglBoolean swapWithDamage(EglDisplay display, EglSurface surface, EglInt* rectangles, EglInt count) {
    using Signature = EglBoolean(EglDisplay, EglSurface, EglInt*, EglInt);
    static const auto find = egl<Function(const char*)>("eglGetProcAddress");
    static const auto real = find != nullptr ? reinterpret_cast<Signature*>(find(kName)) : nullptr;
    return real == nullptr ? 0 : capturing(eglTarget(display, surface), [&] {
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
