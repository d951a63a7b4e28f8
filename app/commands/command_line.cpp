#include "app/commands/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/commands/command_tree.h"
#include "core/base/error.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

/// The innermost subcommand given, or `app` itself; sets `before` to the names of the enclosing ones.
const CLI::App* innermost(const CLI::App& app, std::string& before) {
    const CLI::App* asked = &app;
    while (!asked->get_subcommands().empty()) {
        before += (before.empty() ? "" : " ") + asked->get_name();
        asked = asked->get_subcommands().front();
    }
    return asked;
}

/// "verbcast pipe send", for example.
std::string commandNames(const CLI::App& app) {
    std::string before;
    const CLI::App* asked = innermost(app, before);
    return before.empty() ? asked->get_name() : before + " " + asked->get_name();
}

std::vector<std::string> subcommandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : listedCommands(app)) {
        names.push_back(command->get_name());
    }
    return names;
}

/// A suggestion for the first unknown option: "did you mean --format?".
std::string guessOption(const CLI::App& app, int argc, const char* const* argv) {
    std::string before;
    const CLI::App* asked = innermost(app, before);
    std::vector<std::string> names;
    for (const CLI::Option* option : asked->get_options([](const CLI::Option*) { return true; })) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    for (int i = 1; i < argc && argv[i] != std::string_view("--"); ++i) {
        std::string_view word(argv[i]);
        word = word.substr(0, word.find('='));
        if (word.starts_with("--") && std::ranges::find(names, word) == names.end()) {
            return didYouMean(word, names);
        }
    }
    return "";
}

/// After the -- of `run` come the program's words. CLI11 would take that mark for the end of an optional
/// value before it, and the program's options for ours.
int wordsOfOurs(int argc, const char* const* argv) {
    const bool runs = argc > 1 && argv[1] == std::string_view("run");
    const auto* const mark = std::find(argv, argv + argc, std::string_view("--"));
    return runs ? static_cast<int>(mark - argv) : argc;
}

}  // namespace

Command parseCommandLine(int argc, const char* const* argv, std::string (*version)()) {
    CommandTree commands;
    CLI::App& app = commands.app();
    if (argc == 2 && std::string_view(argv[1]).ends_with(kSessionSuffix)) {
        return MainWindowOptions{argv[1]};  // as file managers open a file
    }
    for (int i = 1; i < argc && argv[i] != std::string_view("--"); ++i) {  // after it: a program's own words
        if (argv[i] == std::string_view("--version")) {
            return PrintText{version()};
        }
    }
    if (argc > 1 && argv[1] == std::string_view("copy")) {
        throw Error(ErrorKind::Usage,
                    "copy is gone: use rsync, or  tar c DIR | verbcast pipe send HOST  with  "
                    "verbcast pipe recv | tar x  there");
    }
    std::vector<const char*> words(argv, argv + argc);
    if (argc > 1 && words[1] == std::string_view("send")) {
        // The option parser would read -ss as -s with a value.
        std::ranges::replace_if(
            words, [](const char* word) { return word == std::string_view("-ss"); }, "--start");
    }
    try {
        app.parse(wordsOfOurs(argc, argv), words.data());
    } catch (const CLI::CallForHelp&) {
        std::string before;
        const CLI::App* asked = innermost(app, before);
        return PrintText{asked->help(before)};
    } catch (const CLI::ParseError& error) {
        if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
            const std::string guess = didYouMean(argv[1], subcommandNames(app));
            throw Error(ErrorKind::Usage, fmt::format("there is no command \"{}\"", argv[1]),
                        guess.empty() ? fmt::format("commands are: {}; see verbcast --help",
                                                    fmt::join(subcommandNames(app), ", "))
                                      : guess);
        }
        const std::string guess = guessOption(app, argc, argv);
        throw Error(ErrorKind::Usage, error.what(),
                    fmt::format("{}{}see {} --help", guess, guess.empty() ? "" : " or ", commandNames(app)));
    }
    commands.appendProgram({argv + std::min(argc, wordsOfOurs(argc, argv) + 1), argv + argc});
    return commands.chosen();
}

}  // namespace verbcast
