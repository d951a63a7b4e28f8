// Our functions, which are called in place of the real ones.
#pragma once

#include <span>

#include "app/preload/hooks/real_function.h"

#define VERBCAST_HOOK extern "C" __attribute__((visibility("default")))

namespace verbcast {

using Function = void (*)();

struct Hook {
    Api api;
    const char* name;
    Function function;  ///< ours
};

// Usable before any constructor has run: other libraries look functions up in theirs.
std::span<const Hook> glxHooks();
std::span<const Hook> eglHooks();
std::span<const Hook> presentHooks();

/// Searches all of them. Null if we have no function of that name; `name` may be null.
const Hook* findHook(const char* name);

/// Answers a program that asks GLX or EGL for a function: with ours, unless `found`, theirs, is null. What
/// the driver lacks must not seem to exist.
Function hookedAnswer(const char* name, Function found);

}  // namespace verbcast
