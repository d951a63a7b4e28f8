// A pointer for a compositor that has none: a client of wlr-virtual-pointer-unstable-v1, in the protocol's
// own words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace verbcast::testing {

/// There as long as this object lives. Everything has been carried out by the compositor when a function
/// returns. Throws std::runtime_error when the compositor does not play along.
class WaylandPointer {
  public:
    /// Connects to $WAYLAND_DISPLAY, which is a path.
    WaylandPointer();

    /// To a place of an output that is so large.
    void move(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height);

  private:
    struct Message {
        std::uint32_t object, opcode;
        std::vector<std::uint32_t> words;
    };

    void send(std::uint32_t object, std::uint32_t opcode, const std::vector<std::uint32_t>& words);
    Message receive();
    void readExactly(void* data, std::size_t bytes);
    /// Returns when the compositor has done all that was asked; gives the number of the manager's global if
    /// it was told meanwhile, else 0.
    std::uint32_t synchronise();

    UniqueFd socket_;
    std::uint32_t lastId_ = 1;  // the display's
    std::uint32_t pointer_ = 0;
};

}  // namespace verbcast::testing
