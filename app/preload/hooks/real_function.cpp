#include "app/preload/hooks/real_function.h"

#include <dlfcn.h>

#include <span>
#include <string_view>

namespace verbcast {
namespace {

/// The libraries that provide an interface, the usual one first.
std::span<const char* const> librariesOf(Api api) {
    static constexpr const char* kGlx[] = {"libGL.so.1", "libGLX.so.0"};
    static constexpr const char* kEgl[] = {"libEGL.so.1"};
    static constexpr const char* kX11[] = {"libX11.so.6"};
    static constexpr const char* kXext[] = {"libXext.so.6"};
    switch (api) {
        case Api::Glx:
            return kGlx;
        case Api::Egl:
            return kEgl;
        case Api::X11:
            return kX11;
        default:
            return kXext;
    }
}

/// Asks the C library directly: our own dlsym() must not answer.
void* functionIn(const char* library, int mode, const char* name) {
    void* const handle = ::dlopen(library, mode);
    return handle != nullptr ? libraryDlsym()(handle, name) : nullptr;
}

/// Finds extensions, which libEGL does not export.
void* eglExtension(const char* name) {
    using Find = void* (*)(const char*);
    const auto find = reinterpret_cast<Find>(realFunction(Api::Egl, "eglGetProcAddress"));
    return find != nullptr ? find(name) : nullptr;
}

}  // namespace

Dlsym libraryDlsym() {
    // No guarded static: an allocator may look functions up for itself, and so re-enter this function.
    static constinit std::atomic<Dlsym> known{nullptr};
    Dlsym found = known.load(std::memory_order_acquire);
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.36"}) {
        if (found != nullptr) {
            break;
        }
        found = reinterpret_cast<Dlsym>(::dlvsym(RTLD_NEXT, "dlsym", version));
    }
    known.store(found, std::memory_order_release);
    return found;
}

Dlsym nextDlsym() {
    static constinit std::atomic<Dlsym> known{nullptr};
    Dlsym found = known.load(std::memory_order_acquire);
    if (found == nullptr && libraryDlsym() != nullptr) {
        found = reinterpret_cast<Dlsym>(libraryDlsym()(RTLD_NEXT, "dlsym"));
        known.store(found, std::memory_order_release);
    }
    return found;
}

void* realFunction(Api api, const char* name) {
    if (libraryDlsym() == nullptr) {
        return nullptr;
    }
    if (void* const found = libraryDlsym()(RTLD_NEXT, name)) {
        return found;
    }
    for (const int mode : {RTLD_LAZY | RTLD_NOLOAD, RTLD_LAZY}) {
        for (const char* library : librariesOf(api)) {
            if (void* const found = functionIn(library, mode, name)) {
                return found;
            }
        }
    }
    const bool isLookUp = name == std::string_view("eglGetProcAddress");
    return api == Api::Egl && !isLookUp ? eglExtension(name) : nullptr;
}

bool isRealFunction(Api api, const char* name, const void* function) {
    if (function == libraryDlsym()(RTLD_NEXT, name)) {
        return true;
    }
    for (const char* library : librariesOf(api)) {
        if (function == functionIn(library, RTLD_LAZY | RTLD_NOLOAD, name)) {
            return true;
        }
    }
    return false;
}

}  // namespace verbcast
