// The names in a table, for messages and lists of words.
#pragma once

#include <iterator>
#include <string>
#include <vector>

namespace verbcast {

/// `name`: the entries' member that holds it.
template <typename Table, typename Entry, typename Name>
std::vector<std::string> namesIn(const Table& table, Name Entry::*name) {
    std::vector<std::string> names;
    names.reserve(std::size(table));
    for (const Entry& entry : table) {
        names.emplace_back(entry.*name);
    }
    return names;
}

}  // namespace verbcast
