#include "app/commands/command_line.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/cli/options/command_parser.h"
#include "app/cli/options/help.h"
#include "app/commands/command_tree.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, std::initializer_list<const char*> wanted) {
    return std::ranges::find_first_of(words, wanted) != words.end();
}

/// After the -- of `run` come the program's words, whose options are not ours.
Words::iterator endOfOurs(Words& words) {
    const bool runs = !words.empty() && words.front() == "run";
    return runs ? std::ranges::find(words, "--") : words.end();
}

/// "verbcast help pipe send" as "verbcast pipe send --help".
void helpFirst(Words& words) {
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
}

std::string helpFor(const Command& verbcast, const Words& words) {
    const bool named = !words.empty() && !words.front().starts_with('-') && words.front() != "all";
    if (named && &commandOf(verbcast, words) == &verbcast) {
        refuseCommand(verbcast, words.front());
    }
    return helpText(commandOf(verbcast, words), contains(words, {"all", "--help=all"}));
}

}  // namespace

ChosenCommand parseCommandLine(int argc, const char* const* argv, std::string (*version)()) {
    Words words(argv + std::min(argc, 1), argv + argc);
    if (words.size() == 1 && std::string_view(words.front()).ends_with(kSessionSuffix)) {
        return MainWindowOptions{words.front()};  // as file managers open a file
    }
    const auto mark = endOfOurs(words);
    const Words program(mark == words.end() ? mark : mark + 1, words.end());
    words.erase(mark, words.end());
    helpFirst(words);
    CommandTree commands;
    const Words before(words.begin(), std::ranges::find(words, "--"));  // after it: names of files
    if (contains(before, {"-h", "--help", "--help=all"})) {
        return PrintText{helpFor(commands.verbcast(), before)};
    }
    if (contains(before, {"-V", "--version"})) {
        return PrintText{version()};
    }
    if (!words.empty() && words.front() == "send") {
        std::ranges::replace(words, "-ss", "--start");  // which would be read as -s with a value
    }
    parseWords(commands.verbcast(), words);
    commands.appendProgram(program);
    return commands.chosen();
}

}  // namespace verbcast
