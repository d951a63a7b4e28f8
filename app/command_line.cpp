#include "app/command_line.h"

#include <fmt/format.h>

#include "app/command_tree.h"
#include "core/base/error.h"

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

}  // namespace

Command parseCommandLine(int argc, const char* const* argv, std::string (*version)()) {
    CommandTree commands;
    CLI::App& app = commands.app;
    if (argc == 2 && std::string_view(argv[1]).ends_with(kSessionSuffix)) {
        return MainWindowOptions{argv[1]};  // as file managers open one
    }
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--version") {
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
        const auto subcommands = app.get_subcommands();
        if (subcommands.empty() && argc > 1 && argv[1][0] != '-') {
            throw Error(ErrorKind::Usage,
                        fmt::format("\"{}\": a subcommand is required: send, render, run, relay, view, pipe, "
                                    "copy, key, bench, doctor, formats or devices",
                                    argv[1]),
                        "see verbcast --help");
        }
        throw Error(ErrorKind::Usage, error.what(), fmt::format("see {} --help", commandNames(app)));
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
