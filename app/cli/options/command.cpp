#include "app/cli/options/command.h"

namespace verbcast {

Command& Command::add(const std::string& name, const std::string& summary) {
    commands_.push_back(std::make_unique<Command>(name, summary));
    commands_.back()->parent_ = this;
    return *commands_.back();
}

std::string Command::path(const char* separator) const {
    return parent_ == nullptr ? name_ : parent_->path(separator) + separator + name_;
}

std::vector<const Command*> Command::listed() const {
    std::vector<const Command*> found;
    for (const auto& command : commands_) {
        if (!command->hidden) {
            found.push_back(command.get());
        }
    }
    return found;
}

std::vector<const BoundOption*> Command::shownOptions() const {
    std::vector<const BoundOption*> shown;
    for (const BoundOption& bound : options) {
        if (!bound.option.hidden) {
            shown.push_back(&bound);
        }
    }
    return shown;
}

std::vector<const Command*> Command::all() const {
    std::vector<const Command*> found{this};
    for (const Command* command : listed()) {
        const std::vector<const Command*> below = command->all();
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

}  // namespace verbcast
