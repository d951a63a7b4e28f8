#include "app/commands/command_tree.h"

#include <optional>
#include <utility>
#include <variant>

#include "app/cli/option_values.h"

namespace verbcast {
namespace {

template <typename... Options>
Command asCommand(std::variant<Options...> options) {
    return std::visit([]<typename One>(One&& one) -> Command { return std::forward<One>(one); },
                      std::move(options));
}
template <typename Options>
Command asCommand(Options options) {
    return options;
}

/// The command of the first of these that was parsed.
template <typename... Lines>
std::optional<Command> firstParsed(const Lines&... lines) {
    std::optional<Command> command;
    const auto look = [&command](const auto& line) {
        if (!command && line.parsed()) {
            command = asCommand(line.finish());
        }
    };
    (look(lines), ...);
    return command;
}

}  // namespace

CommandTree::CommandTree()
    : app_("Verbcast sends uncompressed video between processes and machines: RDMA, shared memory or TCP.",
           "verbcast"),
      send_(app_),
      render_(app_),
      relay_(app_),
      compose_(app_),
      view_(app_),
      formats_(app_.add_subcommand("formats", "List the pixel formats")),
      devices_(app_.add_subcommand("devices", "List RDMA devices, capture devices and the GL renderer")),
      bench_(app_),
      doctor_(app_),
      run_(app_),
      pipe_(app_),
      pipeline_(*app_.get_subcommand("pipe")),
      key_(app_),
      wall_(app_),
      workerCommand_(app_.add_subcommand("bench-worker")->group("")) {  // not listed
    app_.footer("Without a command the main window opens; it sends and views.\n" + std::string(kAddressHelp) +
                "\nTry:  verbcast send pattern --size 3840x2160 --fps 60   and   verbcast view\n" +
                kExitCodeHelp);
    app_.require_subcommand(0, 1);
    app_.add_option("--session", mainWindow_.session,
                    "Without a command: open the main window with the settings in this file")
        ->type_name("FILE");
    app_.add_flag("--version", showVersion_, "Show the version, the libraries and what is compiled in");
    app_.get_formatter()->column_width(34);
    workerCommand_->add_option("ROLE", worker_.role)->required();
}

Command CommandTree::chosen() const {
    const auto asked = [](const CLI::App* command) { return command->parsed(); };
    // `pipe` also counts as parsed for `pipe run`, so the pipeline comes first.
    if (const auto command = firstParsed(pipeline_, pipe_, run_, send_, render_, relay_, compose_, view_,
                                         bench_, doctor_, key_, wall_)) {
        return *command;
    }
    return asked(workerCommand_) ? Command(worker_)
           : asked(formats_)     ? Command(FormatsOptions{})
           : asked(devices_)     ? Command(DevicesOptions{})
                                 : Command(mainWindow_);
}

std::vector<const CLI::App*> listedCommands(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

}  // namespace verbcast
