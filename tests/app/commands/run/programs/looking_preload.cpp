// Preloaded beside ours, with a dlsym() of its own, as MangoHud and similar libraries have: finds the C
// library's dlsym() by its version, returns its own swap for every library, and calls OpenGL's swap from a
// library that it opens itself.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstring>

namespace {

std::atomic<int> swaps{0}, lookUps{0};

__attribute__((destructor)) void say() {
    if (swaps > 0) {
        std::fprintf(stderr, "looking_preload: %d swaps\n", swaps.load());
    }
    if (lookUps > 0) {
        std::fprintf(stderr, "looking_preload: asked for its own function\n");
    }
}

using Dlsym = void* (*)(void*, const char*);

void* realDlsym(void* handle, const char* name) {
    static const auto real = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
    return real(handle, name);
}

template <typename Signature>
Signature* from(const char* library, const char* name) {
    return reinterpret_cast<Signature*>(realDlsym(dlopen(library, RTLD_LAZY), name));
}

}  // namespace

extern "C" void glXSwapBuffers(void* display, unsigned long drawable) {
    static const auto real = from<void(void*, unsigned long)>("libGL.so.1", "glXSwapBuffers");
    ++swaps;
    real(display, drawable);
}

extern "C" unsigned eglSwapBuffers(void* display, void* surface) {
    static const auto real = from<unsigned(void*, void*)>("libEGL.so.1", "eglSwapBuffers");
    ++swaps;
    return real(display, surface);
}

extern "C" void ownFunctionOfThePreload() {
    ++lookUps;
}

extern "C" void* dlsym(void* handle, const char* name) {
    if (std::strcmp(name, "glXSwapBuffers") == 0) {
        return reinterpret_cast<void*>(&glXSwapBuffers);
    }
    if (std::strcmp(name, "eglSwapBuffers") == 0) {
        return reinterpret_cast<void*>(&eglSwapBuffers);
    }
    if (std::strcmp(name, "functionThatOnlyThePreloadKnows") == 0) {
        return reinterpret_cast<void*>(&ownFunctionOfThePreload);
    }
    return realDlsym(handle, name);
}
