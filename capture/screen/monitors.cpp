#include "capture/screen/monitors.h"

#include <fmt/format.h>
#include <xcb/randr.h>

#include "capture/screen/x_display.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kListPatience{500};

}  // namespace

std::vector<Monitor> monitorsOf(const XDisplay& display) {
    const auto version = display.has(xcb_randr_id)
                             ? display.ask(xcb_randr_query_version, xcb_randr_query_version_reply, 1, 5)
                             : nullptr;
    if (!version || (version->major_version <= 1 && version->minor_version < 5)) {
        throw Error(ErrorKind::Display,
                    fmt::format("the display {} does not report its monitors (RandR 1.5)", display.name()),
                    "name a part instead: screen:rect=WIDTHxHEIGHT+X+Y");
    }
    const auto reply = display.ask(xcb_randr_get_monitors, xcb_randr_get_monitors_reply, display.root(), 1);
    std::vector<Monitor> monitors;
    if (!reply) {
        display.requireAlive();
        return monitors;
    }
    for (auto each = xcb_randr_get_monitors_monitors_iterator(reply.get()); each.rem > 0;
         xcb_randr_monitor_info_next(&each)) {
        monitors.push_back({display.atomName(each.data->name),
                            {each.data->x, each.data->y, each.data->width, each.data->height},
                            each.data->primary != 0});
    }
    return monitors;
}

std::vector<std::string> monitorLines() {
    std::vector<std::string> lines;
    try {
        const XDisplay display(kListPatience);
        for (const Monitor& monitor : monitorsOf(display)) {
            const Rectangle& area = monitor.area;
            lines.push_back(fmt::format("{}  {}x{}+{}+{}{}", monitor.name, area.width, area.height, area.x,
                                        area.y, monitor.primary ? "  primary" : ""));
        }
    } catch (const Error& error) {
        lines.push_back(fmt::format("none: {}", error.what()));
    }
    return lines;
}

}  // namespace verbcast
