#include "app/commands/command_tree.h"

#include <optional>
#include <utility>
#include <variant>

namespace verbcast {
namespace {

template <typename... Options>
ChosenCommand asCommand(std::variant<Options...> options) {
    return std::visit([]<typename One>(One&& one) -> ChosenCommand { return std::forward<One>(one); },
                      std::move(options));
}
template <typename Options>
ChosenCommand asCommand(Options options) {
    return options;
}

/// The command of the first of these that was parsed.
template <typename... Lines>
std::optional<ChosenCommand> firstParsed(const Lines&... lines) {
    std::optional<ChosenCommand> command;
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
    : verbcast_(
          "verbcast",
          "Verbcast sends uncompressed video between processes and machines: RDMA, shared memory or TCP"),
      send_(verbcast_),
      view_(verbcast_),
      run_(verbcast_),
      render_(verbcast_),
      compose_(verbcast_),
      relay_(verbcast_),
      formats_(verbcast_.add("formats", "List the pixel formats")),
      devices_(verbcast_.add("devices",
                             "List the devices of RDMA, of pictures and of sound, and the GL renderer")),
      doctor_(verbcast_),
      bench_(verbcast_),
      pipe_(verbcast_),
      pipeline_(pipe_.command()),
      key_(verbcast_),
      wall_(verbcast_),
      workerCommand_(verbcast_.add("bench-worker", "A process of a benchmark")) {
    verbcast_.remarks.text =
        "Without a command the main window opens; it sends and views. verbcast help COMMAND explains a "
        "command.";
    verbcast_.remarks.addresses = true;
    verbcast_.remarks.examples =
        "verbcast send pattern --size 3840x2160 --fps 60\n"
        "verbcast view";
    verbcast_.gone = {
        {"copy",
         "use rsync, or  tar c DIR | verbcast pipe send HOST  with  verbcast pipe recv | tar x  there"}};
    verbcast_.options.add(option("", "--session", "FILE",
                                 "Without a command: open the main window with the settings in this file")
                              .file(),
                          mainWindow_.session);
    // Help and the version are looked for before the options are parsed.
    verbcast_.options.addFlag(
        flag("", "-V,--version", "Show the versions of the program and its libraries"), [] {},
        [] { return false; });
    workerCommand_.hidden = true;
    workerCommand_.options.add(argument("", "ROLE", "").needed(), worker_.role);
}

ChosenCommand CommandTree::chosen() const {
    // `pipe` is chosen with `pipe run`, too, so the pipeline comes first.
    if (const auto command = firstParsed(pipeline_, pipe_, run_, send_, render_, relay_, compose_, view_,
                                         bench_, doctor_, key_, wall_)) {
        return *command;
    }
    return workerCommand_.chosen ? ChosenCommand(worker_)
           : formats_.chosen     ? ChosenCommand(FormatsOptions{})
           : devices_.chosen     ? ChosenCommand(DevicesOptions{})
                                 : ChosenCommand(mainWindow_);
}

}  // namespace verbcast
