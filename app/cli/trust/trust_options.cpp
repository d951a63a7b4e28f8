#include "app/cli/trust/trust_options.h"

#include <CLI/CLI.hpp>

namespace verbcast {

void TrustOptions::addKeyTo(CLI::App& command) {
    command
        .add_option("--key-file", choice_.keyFile,
                    "A secret shared by both ends; encrypts everything but the frames (make one: verbcast "
                    "key new; default: VERBCAST_KEY, or the key of a paired host)")
        ->type_name("FILE");
    command.add_flag("--encrypt", choice_.encrypt, "Encrypt frames as well (AES-256-GCM); needs a key");
}

void TrustOptions::addTo(CLI::App& command) {
    addKeyTo(command);
    command.add_flag(
        "--open", choice_.open,
        "No key needed. Listening: admit anybody; connecting: to any user's program on this machine.\n"
        "Otherwise only your own programs on this machine need none");
    command
        .add_option("--grant", choice_.grants,
                    "Listening: what peers with the key may do, of view, send, input (default: all)")
        ->type_name("LIST");
}

}  // namespace verbcast
