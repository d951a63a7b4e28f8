// libverbcast-run: loaded into a program by `verbcast run` (LD_PRELOAD). Stands before the functions by which
// an OpenGL program shows its picture, and before those by which it finds them.
#include <cstdlib>
#include <cstring>
#include <exception>

#include "capture/run/hooks/hooks.h"
#include "capture/run/run_line.h"
#include "capture/run/run_settings.h"

namespace verbcast {
namespace {

__attribute__((constructor)) void loaded() {
    if (const char* settings = std::getenv(kRunSettingsVariable)) {
        try {
            // Each process of the tree tells it: one of many is enough.
            tellRunnerIfItListens(runSettingsFromJson(settings).runner, RunStatus::Loaded);
        } catch (const std::exception&) {
            // Said at the first swap.
        }
    }
}

}  // namespace

const Hook* findHook(const char* name) {
    for (const std::span<const Hook> hooks : {glxHooks(), eglHooks(), presentHooks()}) {
        for (const Hook& hook : hooks) {
            if (name != nullptr && std::strcmp(name, hook.name) == 0) {
                return &hook;
            }
        }
    }
    return nullptr;
}

Function hookedAnswer(const char* name, Function found) {
    const Hook* const hook = found != nullptr ? findHook(name) : nullptr;
    return hook != nullptr ? hook->function : found;
}

}  // namespace verbcast
