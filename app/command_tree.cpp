#include "app/command_tree.h"

#include "app/option_values.h"

namespace verbcast {

CommandTree::CommandTree()
    : app("Verbcast sends uncompressed video between processes and machines: RDMA, shared memory or TCP.",
          "verbcast"),
      send(app),
      render(app),
      relay(app),
      view(app),
      formats(app.add_subcommand("formats", "List the pixel formats")),
      devices(app.add_subcommand("devices", "List RDMA devices, capture devices and the GL renderer")),
      bench(app),
      doctor(app),
      run(app),
      pipe(app),
      pipeline(*app.get_subcommand("pipe")),
      copy(app),
      key(app),
      workerCommand(app.add_subcommand("bench-worker")->group("")) {  // not listed
    app.footer("Without a command the main window opens; it sends and views.\n" + std::string(kAddressHelp) +
               "\nTry:  verbcast send pattern --size 3840x2160 --fps 60   and   verbcast view\n" +
               kExitCodeHelp);
    app.require_subcommand(0, 1);
    app.add_option("--session", mainWindow.session,
                   "Without a command: open the main window with the settings in this file")
        ->type_name("FILE");
    app.add_flag("--version", showVersion, "Show the version, the libraries and what is compiled in");
    app.get_formatter()->column_width(34);
    workerCommand->add_option("ROLE", worker.role)->required();
}

std::vector<const CLI::App*> listedCommands(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

}  // namespace verbcast
