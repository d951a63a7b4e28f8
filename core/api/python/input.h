// vc_input as a tuple, from which verbcast.Input is made.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <verbcast/verbcast.hpp>

#include "core/api/python/errors.h"

namespace verbcast::python {

/// By vc_input_kind.
inline constexpr std::array kInputKinds{"none",  "key",   "move",    "button",
                                        "wheel", "touch", "release", "application"};

/// In the order of verbcast.Input's fields.
inline pybind11::tuple tupleOf(const vc_input& event) {
    const auto kind = static_cast<std::size_t>(event.kind);
    return pybind11::make_tuple(
        kind < kInputKinds.size() ? kInputKinds[kind] : "unknown", event.pressed != 0, event.code, event.x,
        event.y, event.dx, event.dy, pybind11::bytes(static_cast<const char*>(event.data), event.data_bytes),
        event.serial, event.viewer, textFrom(event.viewer_name != nullptr ? event.viewer_name : ""));
}

/// `data` is read as long as the event is used.
inline vc_input inputFrom(const std::string& kind, bool pressed, std::uint32_t code, float x, float y,
                          float dx, float dy, const std::string& data) {
    vc_input event = VC_INIT(vc_input);
    std::size_t number = 1;
    while (number < kInputKinds.size() && kind != kInputKinds[number]) {
        ++number;
    }
    if (number == kInputKinds.size()) {
        throw pybind11::value_error(
            "kind: " + kind + ": one of key, move, button, wheel, touch, release, application expected");
    }
    event.kind = static_cast<vc_input_kind>(number);
    event.pressed = pressed ? 1 : 0;
    event.code = code;
    event.x = x;
    event.y = y;
    event.dx = dx;
    event.dy = dy;
    event.data = data.empty() ? nullptr : data.data();
    event.data_bytes = data.size();
    return event;
}

}  // namespace verbcast::python
