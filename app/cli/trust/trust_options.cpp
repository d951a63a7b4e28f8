#include "app/cli/trust/trust_options.h"

namespace verbcast {

void addKey(OptionList& options, TrustChoice& choice) {
    options.add(
        option(section::kTrust, "--key-file", "FILE",
               "A secret shared by both ends; encrypts everything but the frames (make one: verbcast key "
               "new; default: VERBCAST_KEY, or the key of a paired host)")
            .file(),
        choice.keyFile);
    options.add(flag(section::kTrust, "--encrypt", "Encrypt frames as well (AES-256-GCM); needs a key"),
                choice.encrypt);
}

void addTrust(OptionList& options, TrustChoice& choice) {
    addKey(options, choice);
    options.add(flag(section::kTrust, "--open",
                     "No key needed. Listening: admit anybody; connecting: to any user's program on this "
                     "machine. Otherwise only your own programs on this machine need none"),
                choice.open);
    options.add(seldomOption(section::kTrust, "--grant", "LIST",
                             "Listening: what peers with the key may do, of view, send, input (default: all)")
                    .known({"view", "send", "input"}),
                choice.grants);
}

}  // namespace verbcast
