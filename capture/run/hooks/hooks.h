// The functions that stand before a program's own.
#pragma once

#include <span>

#include "capture/run/hooks/real_function.h"

#define VERBCAST_HOOK extern "C" __attribute__((visibility("default")))

namespace verbcast {

using Function = void (*)();

struct Hook {
    Api api;
    const char* name;
    Function function;  ///< ours
};

// Needs no constructor to have run: other libraries look functions up in theirs.
std::span<const Hook> glxHooks();
std::span<const Hook> eglHooks();
std::span<const Hook> presentHooks();

/// Of all these. Null: we have no function of that name, which may be null, too.
const Hook* findHook(const char* name);

/// The answer to a program that asks GLX or EGL for a function: ours, unless theirs, `found`, is none. What
/// the driver has not must not seem to be there.
Function hookedAnswer(const char* name, Function found);

}  // namespace verbcast
