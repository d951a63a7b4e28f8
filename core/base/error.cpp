#include "core/base/error.h"

#include <iterator>
#include <system_error>

namespace verbcast {

std::string_view errorKindName(ErrorKind kind) {
    static constexpr std::string_view kNames[] = {"internal", "usage",  "input",   "network", "resource",
                                                  "peer",     "device", "display", "corrupt"};
    const auto index = static_cast<std::size_t>(kind) - 1;
    return index < std::size(kNames) ? kNames[index] : kNames[0];  // a process may exit with any code
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
