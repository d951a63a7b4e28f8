// lookups: prints what it finds by dlsym(), which must be the same with and without `verbcast run`. Also
// built as a plugin, about which the host knows nothing. Links no OpenGL.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

extern "C" int nameOfThisObjectAlone() {
    return 0;
}

namespace {

/// The library's name without its folder.
const char* libraryOf(void* function) {
    Dl_info info{};
    if (function == nullptr) {
        return "nothing";
    }
    if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) {
        return "no library";
    }
    const char* slash = std::strrchr(info.dli_fname, '/');
    return slash != nullptr ? slash + 1 : info.dli_fname;
}

void say(const char* scope, void* handle, const char* name) {
    dlerror();
    void* const found = dlsym(handle, name);
    const char* error = dlerror();
    const bool ours = found == reinterpret_cast<void*>(&nameOfThisObjectAlone);
    std::printf("%s %s: %s%s\n", scope, name,
                ours               ? "this object"
                : found != nullptr ? "found"
                                   : "nothing",
                (found == nullptr) == (error != nullptr) ? "" : ", but the error says otherwise");
}

}  // namespace

int main(int argc, char** argv) {
    for (const char* name : {"nameOfThisObjectAlone", "glXSwapBuffers", "eglSwapBuffers", "eglGetProcAddress",
                             "glXGetProcAddressARB", "XPutImage", "malloc", "no such name"}) {
        say("default", RTLD_DEFAULT, name);
        say("next", RTLD_NEXT, name);
        say("program", dlopen(nullptr, RTLD_LAZY), name);
    }
    // A library with functions of these names that is not the system's.
    void* const other = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : nullptr;
    std::printf("other: %s\n", libraryOf(dlsym(other, "eglSwapBuffers")));
    std::printf("other: %s\n", libraryOf(dlsym(other, "eglGetProcAddress")));
    void* const egl = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    say("libEGL", egl, "eglSwapBuffers");
    say("libEGL", egl, "eglSwapBuffersWithDamageKHR");
    say("libEGL", egl, "glXSwapBuffers");
    say("default", RTLD_DEFAULT, "eglSwapBuffers");
    return 0;
}
