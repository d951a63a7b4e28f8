#include "core/base/os/folder.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace verbcast {
namespace {

struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::vector<std::string> namesIn(const std::filesystem::path& folder, std::error_code& error) {
    std::vector<std::string> names;
    errno = 0;
    const std::unique_ptr<DIR, Close> entries(::opendir(folder.c_str()));
    while (entries != nullptr) {
        errno = 0;
        const dirent* const entry = ::readdir(entries.get());
        if (entry == nullptr) {
            break;
        }
        if (const std::string_view name = entry->d_name; name != "." && name != "..") {
            names.emplace_back(name);
        }
    }
    error.assign(errno, std::generic_category());
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> namesIn(const std::filesystem::path& folder) {
    std::error_code ignored;
    return namesIn(folder, ignored);
}

}  // namespace verbcast
