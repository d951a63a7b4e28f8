#include "core/pipewire/pipewire_handles.h"

#include <cstdlib>
#include <mutex>

namespace verbcast {

void initialisePipeWire() {
    static std::once_flag once;
    std::call_once(once, [] {
        pw_init(nullptr, nullptr);
        if (std::getenv("PIPEWIRE_DEBUG") == nullptr) {
            pw_log_set_level(SPA_LOG_LEVEL_NONE);
        }
    });
}

}  // namespace verbcast
