// How a session, or the attempt at one, ended.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/session/messages/messages.h"

namespace verbcast {

/// What the user can do about a refusal that trying again cannot help; "" for others.
std::string remedyFor(RefuseCode code);

/// What a stream's state, a program's exit code and the decision to try again follow from.
struct SessionEnd {
    enum class Kind {
        Orderly,  ///< one side said goodbye after all was delivered
        Lost,     ///< the peer vanished or fell silent
        Refused,  ///< the peer does not want us: version, busy, role, ...
        Broken,   ///< the peer broke the protocol; we hung up
        Stopped,  ///< we were told to end
        Failed,   ///< something on our own side failed
    };
    Kind kind = Kind::Lost;
    std::string reason{};
    std::optional<RefuseCode> code{};  ///< Refused: what the peer told; Broken: what we told the peer
    std::string remedy{};              ///< what the user can do about it; may be empty
    std::exception_ptr failure{};      ///< Failed: what was thrown

    /// Nobody wanted it to end.
    bool isLoss() const { return kind == Kind::Lost || kind == Kind::Broken || kind == Kind::Failed; }
    /// Trying again cannot help.
    bool isPermanent() const { return code && !remedyFor(*code).empty(); }
    /// Refused for lack of a key; pairWith() helps.
    bool needsPairing() const { return kind == Kind::Refused && code == RefuseCode::NotPaired; }
    /// Refused only because many others were greeting.
    bool isCrowded() const { return kind == Kind::Refused && code == RefuseCode::Crowded; }
    /// For those who cannot go on after it, as is error(): the peer's doing, or the network's.
    ErrorKind errorKind() const {
        return kind == Kind::Refused || kind == Kind::Broken ? ErrorKind::Peer : ErrorKind::Network;
    }
    /// An Error of that kind, a PairingNeeded if needsPairing(), or `failure`.
    std::exception_ptr error() const;
};

/// Thrown for an end with SessionEnd::needsPairing(), so that a window can offer to pair.
class PairingNeeded : public Error {
  public:
    using Error::Error;
};

}  // namespace verbcast
