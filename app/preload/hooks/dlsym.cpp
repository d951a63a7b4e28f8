// dlsym() for the program: its own lookups must find our functions, too.
//
// RTLD_NEXT and RTLD_DEFAULT depend on the calling library, which dlsym() identifies by its return address.
// So a lookup of any other function is jumped to, not called: this file is always optimised, and never
// instrumented (see CMakeLists.txt).
#include <dlfcn.h>
#include <link.h>

#include "app/preload/hooks/hooks.h"

namespace verbcast {
namespace {

/// Whether such a function exists behind ours.
bool isBehindUs(const Hook& hook) {
    return libraryDlsym()(RTLD_NEXT, hook.name) != nullptr;
}

/// Whether the library at this address finds such a function in a scope of its own.
bool isInScopeOf(const void* caller, const Hook& hook) {
    Dl_info info{};
    link_map* map = nullptr;
    if (::dladdr1(caller, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) {
        return false;
    }
    const void* const found = libraryDlsym()(map, hook.name);
    return found != nullptr && found != reinterpret_cast<void*>(hook.function);
}

/// Programs look functions up to learn whether they exist: ours is hidden if there is no real one behind it.
void* lookUp(const Hook& hook, void* handle, const void* caller) {
    void* const own = reinterpret_cast<void*>(hook.function);
    void* found = handle == RTLD_DEFAULT ? libraryDlsym()(handle, hook.name) : nextDlsym()(handle, hook.name);
    if (found == own) {
        found = isInScopeOf(caller, hook) || isBehindUs(hook) ? own : nullptr;
    } else if (found != nullptr && isRealFunction(hook.api, hook.name, found)) {
        found = own;
    }
    if (found != nullptr) {
        ::dlerror();  // clears the errors of our own lookups
    }
    return found;
}

}  // namespace
}  // namespace verbcast

VERBCAST_HOOK void* dlsym(void* handle, const char* name) {
    using namespace verbcast;
    if (const Hook* const hook = findHook(name)) {
        if (handle != RTLD_NEXT) {
            return lookUp(*hook, handle, __builtin_return_address(0));
        }
        if (!isBehindUs(*hook)) {
            return nullptr;
        }
    }
    const Dlsym next = nextDlsym();
    return next != nullptr ? next(handle, name) : nullptr;
}
