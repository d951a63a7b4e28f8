// verbcast key: secrets that the two ends of a session share.
#pragma once

#include <string>

namespace verbcast {

/// `verbcast key new`
struct NewKeyOptions {
    std::string file;  ///< "-": standard output; the default one when empty
};

int runNewKey(const NewKeyOptions& options);

}  // namespace verbcast
