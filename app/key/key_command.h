// verbcast key: manages secrets shared by the two ends of a session.
#pragma once

#include <string>

namespace verbcast {

/// `verbcast key new [FILE]`, `list`, `forget HOST`, `pair URL`
struct KeyOptions {
    enum class Action { New, List, Forget, Pair };
    Action action = Action::New;
    std::string argument;  ///< the file ("-": standard output; empty: the default file), host or URL
};

int runKey(const KeyOptions& options);

}  // namespace verbcast
