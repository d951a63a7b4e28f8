#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/bench/bench_command_line.h"
#include "app/copy/copy_command_line.h"
#include "app/key_command_line.h"
#include "app/option_values.h"
#include "app/pipe/pipe_command_line.h"
#include "app/pipe/run/pipeline_command_line.h"
#include "app/run_command_line.h"
#include "app/send_command_line.h"
#include "app/view_command_line.h"
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

/// Those that are listed.
std::vector<std::string> subcommandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!command->get_group().empty()) {
            names.push_back(command->get_name());
        }
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
    CLI::App app(
        "Verbcast sends uncompressed video between processes and machines: RDMA, shared memory or TCP.",
        "verbcast");
    app.footer("Without a subcommand the main window opens, to send and to view from.\n" +
               std::string(kAddressHelp) +
               "\nTry:  verbcast send pattern --size 3840x2160 --fps 60   and   verbcast view\n" +
               kExitCodeHelp);
    app.require_subcommand(0, 1);
    MainWindowOptions mainWindow;
    app.add_option("--session", mainWindow.session,
                   "Without a subcommand: open the window with the settings of this file, saved from it")
        ->type_name("FILE");
    bool showVersion = false;
    app.add_flag("--version", showVersion, "Version of verbcast, its libraries and what is compiled in");
    app.get_formatter()->column_width(34);

    const SendCommandLine send(app);
    const RenderCommandLine render(app);
    const RelayCommandLine relay(app);
    const ViewCommandLine view(app);
    CLI::App* formatsCommand = app.add_subcommand("formats", "List the pixel formats");
    CLI::App* devicesCommand =
        app.add_subcommand("devices", "List RDMA devices, capture devices and the GL renderer");
    const BenchCommandLine bench(app);
    const DoctorCommandLine doctor(app);
    const RunCommandLine run(app);
    const PipeCommandLine pipe(app);
    const PipelineCommandLine pipeline(*app.get_subcommand("pipe"));
    const CopyCommandLine copy(app);
    const KeyCommandLine key(app);
    WorkerOptions worker;
    CLI::App* workerCommand = app.add_subcommand("bench-worker")->group("");  // not listed
    workerCommand->add_option("ROLE", worker.role)->required();
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
    if (run.parsed()) {
        return run.finish();
    }
    if (copy.parsed()) {
        return copy.finish();
    }
    if (copy.receiveParsed()) {
        return copy.receiveOptions();
    }
    if (pipeline.stageParsed()) {
        return StageOptions{};
    }
    if (pipeline.parsed()) {
        return pipeline.finish();
    }
    if (pipe.parsed()) {
        return pipe.finish();
    }
    if (send.parsed()) {
        return send.finish();
    }
    if (render.parsed()) {
        return render.finish();
    }
    if (relay.parsed()) {
        return relay.finish();
    }
    if (view.parsed()) {
        return view.finish();
    }
    if (bench.parsed()) {
        return std::visit([](auto&& options) -> Command { return options; }, bench.finish());
    }
    if (key.parsed()) {
        return key.finish();
    }
    if (doctor.parsed()) {
        return doctor.finish();
    }
    if (workerCommand->parsed()) {
        return worker;
    }
    if (formatsCommand->parsed()) {
        return FormatsOptions{};
    }
    if (devicesCommand->parsed()) {
        return DevicesOptions{};
    }
    return mainWindow;
}

}  // namespace verbcast
