// What is in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace verbcast {

/// Names of what is in `folder`, sorted, without "." and "..". What cannot be read has no names. An entry may
/// be gone when it is used, as those of /proc often are. Throws only for lack of memory.
///
/// In place of std::filesystem::directory_iterator: with g++ 12, one that lacks memory ends the program
/// (libstdc++'s _Dir::advance() allocates but is noexcept), and one in a range-based for throws when a folder
/// vanishes meanwhile.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

}  // namespace verbcast
