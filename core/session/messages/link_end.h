// How a connection ended.
#pragma once

#include <string>

#include "core/base/error.h"

namespace verbcast {

struct LinkEnd {
    enum class Kind {
        Orderly,  ///< one side said goodbye after all was delivered
        Lost,     ///< the peer vanished or fell silent
        Refused,  ///< the peer does not want us: version, busy, role, ...
        Broken,   ///< the peer broke the protocol; we hung up
        Stopped,  ///< we were told to end
    };
    Kind kind = Kind::Lost;
    std::string reason;
    bool permanent = false;  ///< retrying cannot help (version mismatch, two senders)
    std::string remedy{};    ///< permanent: what would help
    bool stranger = false;   ///< refused for lack of a key; pairWith() helps
    bool crowded = false;    ///< refused only because many others were greeting
};

/// Thrown for an end with LinkEnd::stranger, so that a window can offer to pair.
class StrangerRefused : public Error {
  public:
    using Error::Error;
};

}  // namespace verbcast
