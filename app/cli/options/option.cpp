#include "app/cli/options/option.h"

#include <sstream>

namespace verbcast {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(part);
    }
    return parts;
}

}  // namespace

std::vector<std::string> Option::flags() const {
    std::vector<std::string> found = split(names);
    std::erase_if(found, [](const std::string& each) { return !each.starts_with('-'); });
    return found;
}

std::string Option::argument() const {
    for (const std::string& each : split(names)) {
        if (!each.starts_with('-')) {
            return each;
        }
    }
    return "";
}

std::string Option::valueName() const {
    const std::string text = value;
    if (text.empty()) {
        return argument();
    }
    return valueOptional() ? text.substr(1, text.size() - 2) : text;
}

std::string Option::name() const {
    const std::vector<std::string> all = flags();
    return all.empty() ? argument() : all.back();
}

}  // namespace verbcast
