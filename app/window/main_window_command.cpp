#include "app/window/main_window_command.h"

#include <QApplication>
#include <optional>

#include "app/window/desktop/display_check.h"
#include "app/window/desktop/exit_signals.h"
#include "app/window/main/main_window.h"
#include "app/window/parts/application.h"
#include "app/window/settings/session_file.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy =
    "log in to a desktop, or use a command that needs no window: send, view --headless, ... (verbcast "
    "--help)";

}  // namespace

int runMainWindow(const MainWindowOptions& options, int argc, char** argv) {
    requireDisplay(kRemedy);
    std::optional<Session> session;
    if (!options.session.empty()) {
        session = readSession(options.session);
    }
    const ExitSignalBlock signalBlock;
    requestOpenGl(VerticalSync::Off);
    QApplication application(argc, argv);
    nameApplication(application);
    MainWindow window(session);
    const ExitSignals signalsToExit(signalBlock);
    QObject::connect(&signalsToExit, &ExitSignals::requested, &window, [&window] {
        window.end();
        QCoreApplication::exit(kInterruptedExit);
    });
    window.open();
    return QApplication::exec();
}

}  // namespace verbcast
