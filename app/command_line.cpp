#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/command_tree.h"
#include "core/base/error.h"
#include "core/base/nearest_word.h"

namespace verbcast {
namespace {

/// The subcommand that was asked for, or `app` itself; `before` gets the names of those around it.
const CLI::App* innermost(const CLI::App& app, std::string& before) {
    const CLI::App* asked = &app;
    while (!asked->get_subcommands().empty()) {
        before += (before.empty() ? "" : " ") + asked->get_name();
        asked = asked->get_subcommands().front();
    }
    return asked;
}

/// "verbcast pipe send"
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

/// What the first option that the command does not have may have been meant as: "did you mean --format?".
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

}  // namespace

Command parseCommandLine(int argc, const char* const* argv, std::string (*version)()) {
    CommandTree commands;
    CLI::App& app = commands.app;
    if (argc == 2 && std::string_view(argv[1]).ends_with(kSessionSuffix)) {
        return MainWindowOptions{argv[1]};  // as file managers open one
    }
    for (int i = 1; i < argc && argv[i] != std::string_view("--"); ++i) {  // behind it: a program's own words
        if (argv[i] == std::string_view("--version")) {
            return PrintText{version()};
        }
    }
    try {
        app.parse(argc, argv);
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
    if (commands.run.parsed()) {
        return commands.run.finish();
    }
    if (commands.copy.parsed()) {
        return commands.copy.finish();
    }
    if (commands.copy.receiveParsed()) {
        return commands.copy.receiveOptions();
    }
    if (commands.pipeline.stageParsed()) {
        return StageOptions{};
    }
    if (commands.pipeline.parsed()) {
        return commands.pipeline.finish();
    }
    if (commands.pipe.parsed()) {
        return commands.pipe.finish();
    }
    if (commands.send.parsed()) {
        return commands.send.finish();
    }
    if (commands.render.parsed()) {
        return commands.render.finish();
    }
    if (commands.relay.parsed()) {
        return commands.relay.finish();
    }
    if (commands.view.parsed()) {
        return commands.view.finish();
    }
    if (commands.bench.parsed()) {
        return std::visit([](auto&& options) -> Command { return options; }, commands.bench.finish());
    }
    if (commands.key.parsed()) {
        return commands.key.finish();
    }
    if (commands.doctor.parsed()) {
        return commands.doctor.finish();
    }
    if (commands.workerCommand->parsed()) {
        return commands.worker;
    }
    if (commands.formats->parsed()) {
        return FormatsOptions{};
    }
    if (commands.devices->parsed()) {
        return DevicesOptions{};
    }
    return commands.mainWindow;
}

}  // namespace verbcast
