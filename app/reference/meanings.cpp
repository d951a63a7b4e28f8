#include "app/reference/meanings.h"

#include <fmt/format.h>

#include <stdexcept>

namespace verbcast {

std::string_view Meanings::of(const std::string& key) {
    const auto found = all_.find(key);
    if (found == all_.end()) {
        throw std::runtime_error(fmt::format("{}: \"{}\" has no meaning in app/reference", about_, key));
    }
    used_.insert(found->first);
    return found->second;
}

void Meanings::requireAllUsed() const {
    for (const auto& [key, meaning] : all_) {
        if (!used_.contains(key)) {
            throw std::runtime_error(
                fmt::format("{}: \"{}\" has a meaning in app/reference, but does not exist", about_, key));
        }
    }
}

}  // namespace verbcast
