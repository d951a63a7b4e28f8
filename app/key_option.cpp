#include "app/key_option.h"

namespace verbcast {

void KeyOption::addTo(CLI::App& command) {
    command
        .add_option("--key-file", file_,
                    "A secret that both ends must have: others are refused; what is sent is not encrypted "
                    "(verbcast key new; default: what VERBCAST_KEY holds)")
        ->type_name("FILE");
}

std::optional<SessionKey> KeyOption::key() const {
    return file_.empty() ? SessionKey::fromEnvironment() : std::optional(SessionKey::fromFile(file_));
}

}  // namespace verbcast
