#include "core/session/messages/session_end.h"

namespace verbcast {

std::string remedyFor(RefuseCode code) {
    switch (code) {
        case RefuseCode::Version:
            return "use the same version of verbcast on both sides";
        case RefuseCode::Role:
            return "start one that sends and one that receives: send and view, or pipe send and pipe recv";
        case RefuseCode::Authentication:
            return "give both sides the same key (--key-file FILE or VERBCAST_KEY), or none";
        case RefuseCode::NotPaired:
            return "type the code that the other side shows now: verbcast key pair";
        default:
            return "";
    }
}

std::exception_ptr SessionEnd::error() const {
    if (failure) {
        return failure;
    }
    return needsPairing() ? std::make_exception_ptr(PairingNeeded(errorKind(), reason, remedy))
                          : std::make_exception_ptr(Error(errorKind(), reason, remedy));
}

}  // namespace verbcast
