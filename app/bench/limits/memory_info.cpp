#include "app/bench/limits/memory_info.h"

#include <fstream>
#include <string>

namespace verbcast {

std::uint64_t memoryInfo(std::string_view key) {
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::uint64_t value = 0;
    for (std::string rest; file >> name >> value && std::getline(file, rest);) {
        if (name.size() == key.size() + 1 && name.starts_with(key) && name.back() == ':') {
            return value;
        }
    }
    return 0;
}

}  // namespace verbcast
