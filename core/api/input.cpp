#include "core/api/input.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "core/api/calls.h"
#include "core/api/sized_struct.h"

namespace verbcast {

template <>
constexpr SizedStruct kSizedStruct<vc_input>{"vc_input", offsetof(vc_input, serial)};

static_assert(VC_MAX_INPUT_DATA == kMaxInputData);
static_assert(static_cast<int>(VC_APPLICATION) == static_cast<int>(InputKind::Application));

InputEvent inputEventFrom(const vc_input* given) {
    const auto input = readSized(given);
    if (input.kind < VC_KEY || input.kind > VC_APPLICATION) {
        refuse(fmt::format("vc_input.kind: {} is none of vc_input_kind", int{input.kind}));
    }
    for (const float number : {input.x, input.y, input.dx, input.dy}) {
        require(std::isfinite(number), "vc_input: x, y, dx and dy must be finite");
    }
    require(input.data != nullptr || input.data_bytes == 0, "vc_input.data_bytes is set, and data is NULL");
    InputEvent event{.kind = static_cast<InputKind>(input.kind),
                     .pressed = input.pressed != 0,
                     .code = input.code,
                     .x = input.x,
                     .y = input.y,
                     .dx = input.dx,
                     .dy = input.dy};
    if (input.data_bytes > kMaxInputData) {
        refuse(fmt::format("vc_input.data: {} bytes: at most {} expected", input.data_bytes, kMaxInputData));
    }
    const auto* data = static_cast<const std::byte*>(input.data);
    event.data.assign(data, data + input.data_bytes);
    return event;
}

void checkInput(const vc_input* target) {
    checkedSize(target);
}

void fillInput(vc_input* target, ViewerInput&& input) {
    const InputEvent& event = input.event;
    Lent lend;
    vc_input told = VC_INIT(vc_input);
    told.kind = static_cast<vc_input_kind>(event.kind);
    told.pressed = event.pressed ? 1 : 0;
    told.code = event.code;
    told.x = event.x;
    told.y = event.y;
    told.dx = event.dx;
    told.dy = event.dy;
    told.data = lend({reinterpret_cast<const char*>(event.data.data()), event.data.size()});
    told.data_bytes = event.data.size();
    told.serial = input.serial;
    told.viewer = input.viewer;
    told.viewer_name = lend(std::move(input.viewerName));
    fillSized(target, told);
}

}  // namespace verbcast
