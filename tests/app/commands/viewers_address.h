// Where a relay waits for viewers.
#pragma once

#include <stdexcept>
#include <string>

#include "tests/support/verbcast_program.h"

namespace verbcast::testing {

/// It listens once it knows the format. It may have printed earlier that it waits for the sender.
inline std::string viewersAddress(Verbcast& relay) {
    const std::string before = "waiting for a viewer on ";
    if (!relay.waitForError(before) || !relay.waitForError("\n", relay.errors().find(before))) {
        throw std::runtime_error("the relay does not listen: " + relay.errors());
    }
    const std::string text = relay.errors();
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find_first_of(", \n", begin) - begin);
}

}  // namespace verbcast::testing
