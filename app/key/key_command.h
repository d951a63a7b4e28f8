// verbcast key: secrets that the two ends of a session share.
#pragma once

#include <string>

namespace verbcast {

/// `verbcast key new [FILE]`, `list`, `forget HOST`, `pair URL`
struct KeyOptions {
    enum class Action { New, List, Forget, Pair };
    Action action = Action::New;
    std::string argument;  ///< the file ("-": standard output; the default one when empty), the host, the URL
};

int runKey(const KeyOptions& options);

}  // namespace verbcast
