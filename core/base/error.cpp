#include "core/base/error.h"

#include <fmt/format.h>

#include <system_error>

namespace verbcast {

std::string_view errorKindName(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Internal:
            return "internal";
        case ErrorKind::Usage:
            return "usage";
        case ErrorKind::Input:
            return "input";
        case ErrorKind::Network:
            return "network";
        case ErrorKind::Resource:
            return "resource";
        case ErrorKind::Peer:
            return "peer";
        case ErrorKind::Device:
            return "device";
        case ErrorKind::Display:
            return "display";
        case ErrorKind::Corrupt:
            return "corrupt";
    }
    return "internal";
}

std::string errnoText(int code) {
    return std::generic_category().message(code);
}

void throwErrno(ErrorKind kind, std::string_view call, std::string_view object, int code,
                std::string remedy) {
    throw Error(kind, fmt::format("{} on {}: {} ({})", call, object, errnoText(code), code),
                std::move(remedy));
}

}  // namespace verbcast
