// A pointer for a compositor without one: a client of wlr-virtual-pointer-unstable-v1 that speaks the wire
// protocol directly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"

namespace verbcast::testing {

/// Exists as long as this object. Functions return when the compositor has processed everything. Throws
/// std::runtime_error if the compositor does not cooperate.
class WaylandPointer {
  public:
    /// Connects to $WAYLAND_DISPLAY, which must be a path.
    WaylandPointer();

    /// Moves to a position on an output of the given size.
    void move(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height);

  private:
    struct Message {
        std::uint32_t object, opcode;
        std::vector<std::uint32_t> words;
    };

    void send(std::uint32_t object, std::uint32_t opcode, const std::vector<std::uint32_t>& words);
    Message receive();
    void readExactly(void* data, std::size_t bytes);
    /// Returns when the compositor has processed all requests; returns the number of the manager's global if
    /// it was announced meanwhile, else 0.
    std::uint32_t synchronise();

    UniqueFd socket_;
    std::uint32_t lastId_ = 1;  // the display's
    std::uint32_t pointer_ = 0;
};

}  // namespace verbcast::testing
