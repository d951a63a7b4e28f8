#include "core/base/os/folder.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace verbcast {
namespace {

struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::vector<std::string> namesIn(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, Close> entries(::opendir(folder.c_str()));
    const dirent* entry = nullptr;
    while (entries && (entry = ::readdir(entries.get())) != nullptr) {
        if (const std::string_view name = entry->d_name; name != "." && name != "..") {
            names.emplace_back(name);
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace verbcast
