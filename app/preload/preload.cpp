// libverbcast-run: `verbcast run` loads it into a program (LD_PRELOAD). Interposes the functions with which
// an OpenGL program shows its picture, and those with which it looks them up.
#include <cstdlib>
#include <cstring>
#include <exception>

#include "app/preload/hooks/hooks.h"
#include "app/preload/run_line.h"
#include "app/preload/run_settings.h"

namespace verbcast {
namespace {

__attribute__((constructor)) void loaded() {
    if (const char* settings = std::getenv(kRunSettingsVariable)) {
        try {
            // Every process of the tree reports this, and one report is enough.
            tellRunner(runSettingsFromJson(settings).runner, RunStatus::Loaded, {}, true);
        } catch (const std::exception&) {
            // Reported at the first swap.
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
