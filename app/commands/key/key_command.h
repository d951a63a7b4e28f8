// verbcast key: manages secrets shared by the two ends of a session.
#pragma once

#include <optional>
#include <string>

#include "core/transport/url.h"

namespace verbcast {

/// `verbcast key new [FILE]`, `list`, `forget HOST`, `pair URL`
struct KeyOptions {
    enum class Action { New, List, Forget, Pair };
    Action action = Action::New;
    std::string name{};        ///< New: the file ("-": standard output; empty: the default); Forget: the host
    std::optional<Url> url{};  ///< Pair
};

int runKey(const KeyOptions& options);

}  // namespace verbcast
