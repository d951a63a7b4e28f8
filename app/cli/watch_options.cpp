#include "app/cli/watch_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>

#include "core/base/error.h"

namespace verbcast {

void WatchOptions::addTo(CLI::App& command) {
    command
        .add_option("--stats-fd", statsDescriptor_,
                    "Write a line of JSON with statistics to this open file descriptor every second")
        ->type_name("N");
    command
        .add_option("--preview", preview_,
                    "Let one viewer on this machine watch the stream there; the sender does not wait for it "
                    "or count it")
        ->type_name("shm://NAME");
}

std::optional<Url> WatchOptions::preview() const {
    if (preview_.empty()) {
        return std::nullopt;
    }
    Url url = parseUrl(preview_);
    if (!url.isName()) {
        throw Error(ErrorKind::Usage, fmt::format("--preview {}: shm://NAME expected", preview_),
                    "a preview is for this machine; others watch at the address of --listen");
    }
    return url;
}

int WatchOptions::statsDescriptor() const {
    if (statsDescriptor_.empty()) {
        return -1;
    }
    int value = -1;
    const char* last = statsDescriptor_.data() + statsDescriptor_.size();
    const auto [end, code] = std::from_chars(statsDescriptor_.data(), last, value);
    if (code != std::errc() || end != last || value < 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--stats-fd {}: the number of an open descriptor expected", statsDescriptor_),
                    "for example: verbcast send pattern --stats-fd 3 3>figures.jsonl");
    }
    return value;
}

}  // namespace verbcast
