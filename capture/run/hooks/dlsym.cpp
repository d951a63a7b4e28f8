// dlsym() as programs call it: what they look up by themselves must find our functions, too.
//
// RTLD_NEXT and RTLD_DEFAULT mean something else for each library that asks, which dlsym() learns from its
// return address. So what is not about our functions is jumped to, not called: this file is always optimised,
// and never instrumented (see CMakeLists.txt).
#include <dlfcn.h>
#include <link.h>

#include "capture/run/hooks/hooks.h"

namespace verbcast {
namespace {

/// Whether there is such a function behind us.
bool isBehindUs(const Hook& hook) {
    return libraryDlsym()(RTLD_NEXT, hook.name) != nullptr;
}

/// Whether the library that holds this address has one in a scope of its own.
bool isInScopeOf(const void* caller, const Hook& hook) {
    Dl_info info{};
    link_map* map = nullptr;
    if (::dladdr1(caller, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) {
        return false;
    }
    const void* const found = libraryDlsym()(map, hook.name);
    return found != nullptr && found != reinterpret_cast<void*>(hook.function);
}

/// Programs ask in order to learn what there is: ours is nothing without one that it stands before.
void* lookUp(const Hook& hook, void* handle, const void* caller) {
    void* const own = reinterpret_cast<void*>(hook.function);
    void* found = handle == RTLD_DEFAULT ? libraryDlsym()(handle, hook.name) : nextDlsym()(handle, hook.name);
    if (found == own) {
        found = isInScopeOf(caller, hook) || isBehindUs(hook) ? own : nullptr;
    } else if (found != nullptr && isRealFunction(hook.api, hook.name, found)) {
        found = own;
    }
    if (found != nullptr) {
        ::dlerror();  // what we did not find is no failure of the caller's
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
