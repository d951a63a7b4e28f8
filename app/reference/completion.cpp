#include "app/reference/completion.h"

#include <algorithm>

namespace verbcast {

std::string pathOf(const CommandReference& command) {
    std::string path;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        path += " " + command.words[i];
    }
    return path;
}

bool takesProgram(const CommandReference& command) {
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [](const OptionReference& argument) { return argument.value.name == "PROGRAM"; });
}

}  // namespace verbcast
