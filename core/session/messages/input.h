// Input that viewers send back to the sender: keys, pointer, wheel, touch, and bytes for applications.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbcast {

enum class InputKind : std::uint8_t {
    Key = 1,            ///< code is an X11 keysym; pressed
    PointerMove = 2,    ///< x, y
    PointerButton = 3,  ///< x, y; code: 1 left, 2 middle, 3 right, 8 back, 9 forward (as X11 counts); pressed
    Wheel = 4,          ///< x, y; dx, dy in notches, positive to the right and away from the user
    Touch = 5,          ///< x, y; code tells fingers apart; pressed while it touches
    ReleaseAll = 6,     ///< releases all that this viewer holds: focus or connection lost
    Application = 7,    ///< data
};

/// Most bytes in InputEvent::data.
inline constexpr std::size_t kMaxInputData = 1024;

struct InputEvent {
    InputKind kind = InputKind::Key;
    bool pressed = false;
    std::uint32_t code = 0;
    float x = 0, y = 0;    ///< in pixels of the stream, from its upper left corner; finite, may lie outside
    float dx = 0, dy = 0;  ///< Wheel only
    std::vector<std::byte> data{};
    friend bool operator==(const InputEvent&, const InputEvent&) = default;
};

/// An event as the sender gets it.
struct ViewerInput {
    std::uint64_t serial = 0;  ///< counts the events of all viewers from 1; FrameInfo::inputSequence of the
                               ///< first frame that shows its effect
    std::uint64_t viewer = 0;  ///< tells viewers apart: rises with each connection
    std::string viewerName{};
    InputEvent event;
};

}  // namespace verbcast
