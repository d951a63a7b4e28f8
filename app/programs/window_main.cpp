// verbcast-window: replaces verbcast when a window is needed.
//   verbcast-window --gl-renderer           what draws windows on this display, as verbcast-gl names it
#include <fmt/format.h>

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QtGlobal>
#include <cstring>
#include <memory>

#include "app/cli/numa_choice.h"
#include "app/cli/run_main.h"
#include "app/commands/command_line.h"
#include "app/window/desktop/display_check.h"
#include "app/window/main_window_command.h"
#include "app/window/parts/application.h"
#include "app/window/view_window.h"
#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/os/standard_streams.h"
#include "core/base/version.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

/// Asked through the display, as windows are: with a GPU, a virtual X server still draws in software.
void printRenderer(int argc, char** argv) {
    requireDisplay("log in to a desktop, or run under a virtual display (xvfb-run)");
    requestOpenGl(VerticalSync::On);
    const QGuiApplication application(argc, argv);
    QOffscreenSurface surface;
    surface.setFormat(QSurfaceFormat::defaultFormat());
    surface.create();
    const auto context = makeOpenGlContext(surface);
    printToStdout("{}\n", glRendererName());
}

int run(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--qt-version") == 0) {
        printToStdout("{}\n", qVersion());
        return 0;
    }
    if (argc == 2 && std::strcmp(argv[1], "--gl-renderer") == 0) {
        printRenderer(argc, argv);
        return 0;
    }
    ChosenCommand command = parseCommandLine(
        argc, argv, [] { return fmt::format("verbcast-window {}, Qt {}\n", kVersion, qVersion()); });
    if (const auto* text = std::get_if<PrintText>(&command)) {
        writeToStdout(text->text);
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
    takePlace(*view, addressesOf(*view));
    return runViewWindow(*view, argc, argv);
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    return verbcast::runMain("verbcast-window", [&] { return verbcast::run(argc, argv); });
}
