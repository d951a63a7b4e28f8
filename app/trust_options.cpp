#include "app/trust_options.h"

namespace verbcast {

void TrustOptions::addKeyTo(CLI::App& command) {
    command
        .add_option("--key-file", choice_.keyFile,
                    "A secret that both ends must have; all but the frames themselves is then encrypted "
                    "(verbcast key new; default: what VERBCAST_KEY holds, or the key of a paired host)")
        ->type_name("FILE");
    command.add_flag("--encrypt", choice_.encrypt, "Encrypt the frames, too (AES-256-GCM); needs a key");
}

void TrustOptions::addTo(CLI::App& command) {
    addKeyTo(command);
    command.add_flag(
        "--open", choice_.open,
        "Listening: let in any host without a key; otherwise only this machine may come without");
    command
        .add_option("--grant", choice_.grants,
                    "Listening: what peers with the key may do: view, send, input (default: all)")
        ->type_name("LIST");
}

}  // namespace verbcast
