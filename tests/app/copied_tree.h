// A folder with everything that a copy must preserve, and checks of the result.
#pragma once

#include <sys/stat.h>

#include <string>

namespace verbcast::testing {

void writeFile(const std::string& path, const std::string& text);

/// Of a link itself (lstat).
struct stat statusOf(const std::string& path);

/// Files, holes, links, odd and long names, modes and times.
void makeTree(const std::string& folder);

/// Compares kind, mode, time and content of everything below two folders.
void expectEqualTrees(const std::string& one, const std::string& other);

}  // namespace verbcast::testing
