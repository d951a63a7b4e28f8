// Preloaded beside ours: intercepts the swap and asks RTLD_NEXT for the next one, as most overlay and
// profiling libraries do. Prints at exit how often it was called.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>

namespace {

std::atomic<int> swaps{0};

__attribute__((destructor)) void say() {
    if (swaps > 0) {
        std::fprintf(stderr, "counting_preload: %d swaps\n", swaps.load());
    }
}

template <typename Signature>
Signature* behind(const char* name) {
    return reinterpret_cast<Signature*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" void glXSwapBuffers(void* display, unsigned long drawable) {
    static const auto real = behind<void(void*, unsigned long)>("glXSwapBuffers");
    ++swaps;
    real(display, drawable);
}

extern "C" unsigned eglSwapBuffers(void* display, void* surface) {
    static const auto real = behind<unsigned(void*, void*)>("eglSwapBuffers");
    ++swaps;
    return real(display, surface);
}
