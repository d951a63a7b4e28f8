#include "core/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace verbcast {

spdlog::logger& log() {
    static spdlog::logger logger = [] {
        spdlog::logger made("verbcast", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        made.set_pattern("verbcast: %^%l%$: %v");
        made.set_level(spdlog::level::warn);
        return made;
    }();
    return logger;
}

}  // namespace verbcast
