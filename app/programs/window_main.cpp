// verbcast-window: replaces verbcast when a window is needed.
#include <fmt/format.h>

#include <QtGlobal>
#include <cstring>
#include <memory>

#include "app/cli/numa_choice.h"
#include "app/cli/report_error.h"
#include "app/commands/command_line.h"
#include "app/host/crash_report.h"
#include "app/window/main_window_command.h"
#include "app/window/view_window.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/version.h"

namespace verbcast {
namespace {

std::string windowVersion() {
    return fmt::format("verbcast-window {}, Qt {}\n", kVersion, qVersion());
}

int run(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--qt-version") == 0) {
        fmt::print("{}\n", qVersion());
        return 0;
    }
    Command command = parseCommandLine(argc, argv, &windowVersion);
    if (const auto* text = std::get_if<PrintText>(&command)) {
        fmt::print("{}", text->text);
        return 0;
    }
    if (const auto* window = std::get_if<MainWindowOptions>(&command)) {
        return runMainWindow(*window, argc, argv);
    }
    auto* view = std::get_if<ViewOptions>(&command);
    if (view == nullptr || view->headless) {
        throw Error(ErrorKind::Usage, "verbcast-window only shows windows", "call verbcast instead");
    }
    if (view->verbosity == Verbosity::Verbose) {
        logToStderr(spdlog::level::info);
    }
    takePlace(*view, peersOf(*view));
    return runViewWindow(*view, argc, argv);
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    verbcast::reportCrashes("verbcast-window");
    try {
        verbcast::logToStderr();
        return verbcast::run(argc, argv);
    } catch (...) {
        return verbcast::reportCurrentError();
    }
}
