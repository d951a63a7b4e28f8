// verbcast key: secrets that the two ends of a session share.
#pragma once

#include <string>

namespace verbcast {

/// `verbcast key new`
struct NewKeyOptions {
    std::string file;  ///< "-": standard output; the default one when empty
};

/// ~/.config/verbcast/key, or under $XDG_CONFIG_HOME. Throws Error{Usage} where there is no home.
std::string defaultKeyFile();

int runNewKey(const NewKeyOptions& options);

}  // namespace verbcast
