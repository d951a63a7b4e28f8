#include "core/session/messages/rail_hello.h"

#include <random>

#include "core/base/error.h"

namespace verbcast {

std::string_view nameOf(RailMode mode) {
    return mode == RailMode::Stripe ? "stripe" : "double";
}

RailStreamId newRailStream() {
    std::random_device random;
    RailStreamId id;
    for (std::byte& byte : id) {
        byte = static_cast<std::byte>(random());
    }
    return id;
}

void RailHello::check() const {
    if (count < 2 || count > kMaxRails || index >= count) {
        throw peerError("the peer says that it is rail {} of {}: 2 to {} rails expected", index + 1, count,
                        kMaxRails);
    }
    if (mode != RailMode::Double && mode != RailMode::Stripe) {
        throw peerError("the peer wants rails of an unknown kind ({}): double or stripe expected",
                        static_cast<int>(mode));
    }
}

}  // namespace verbcast
