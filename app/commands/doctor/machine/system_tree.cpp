#include "app/commands/doctor/machine/system_tree.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/base/os/folder.h"

namespace verbcast {

bool SystemTree::exists(const std::string& absolute) const {
    std::error_code ignored;
    return std::filesystem::exists(path(absolute), ignored);
}

bool SystemTree::usable(const std::string& absolute) const {
    return ::access(path(absolute).c_str(), R_OK | W_OK) == 0;
}

std::string SystemTree::text(const std::string& absolute) const {
    std::ifstream file(path(absolute), std::ios::binary);
    std::string text(64 << 10, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

std::optional<double> SystemTree::number(const std::string& absolute) const {
    const std::string all = text(absolute);
    char* end = nullptr;
    const double value = std::strtod(all.c_str(), &end);
    return end == all.c_str() ? std::nullopt : std::optional(value);
}

std::vector<std::string> SystemTree::names(const std::string& folder) const {
    return namesIn(path(folder));
}

std::string SystemTree::linkName(const std::string& absolute) const {
    std::error_code ignored;
    return std::filesystem::read_symlink(path(absolute), ignored).filename().string();
}

}  // namespace verbcast
