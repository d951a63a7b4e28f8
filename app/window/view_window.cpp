#include "app/window/view_window.h"

#include <QApplication>
#include <cstdio>
#include <memory>

#include "app/host_check.h"
#include "app/window/application.h"
#include "app/window/display_check.h"
#include "app/window/exit_signals.h"
#include "app/window/kiosk_window.h"
#include "app/window/snapshot.h"
#include "app/window/summary.h"
#include "app/window/viewer_controller.h"
#include "app/window/viewer_window.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"

namespace verbcast {
namespace {

constexpr const char* kViewRemedy =
    "log in to a desktop, receive without a window (verbcast view --headless), or run under a virtual "
    "display (xvfb-run -s '-screen 0 1920x1080x24' verbcast view ...)";
constexpr int kInterruptedExit = 130;  // what shells report for SIGINT

UploadPath uploadPath(const std::string& name) {
    if (name == "auto") {
        return UploadPath::Measure;
    }
    if (name == "direct") {
        return UploadPath::Direct;
    }
    if (name == "pbo") {
        return UploadPath::PersistentPbo;
    }
    throw Error(ErrorKind::Usage, "unknown upload path \"" + name + "\"", "use --upload auto, direct or pbo");
}

void checkOutputs(const ViewOptions& options) {
    for (const std::string& path : {options.statsJson, options.snapshot, options.frameMd5}) {
        if (!path.empty()) {
            checkWritable(path);
        }
    }
}

void writeSnapshot(VideoSurface& video, const std::string& path) {
    if (path.empty()) {
        return;
    }
    if (!video.hasPicture()) {
        throw Error(ErrorKind::Input, "no picture was shown, so there is none to write to " + path);
    }
    savePng(video.readPicture(), QString::fromStdString(path));
}

/// Everything that outlives the event loop for a moment: numbers, files and the line on stderr.
int finish(const ViewOptions& options, ViewerController& controller, VideoSurface& video) {
    const ViewOutcome outcome = controller.outcome().value_or(ViewOutcome{.reason = "closed"});
    const StreamStats stats = controller.stats();
    if (options.verbosity != Verbosity::Quiet) {
        std::fprintf(stderr, "%s\n",
                     summaryLine(stats, controller.status().value_or(ReceiverStatus{})).c_str());
    }
    if (!options.statsJson.empty()) {
        writeStatsJson(options.statsJson, StreamEnd::Receiver, stats, outcome.reason);
    }
    writeSnapshot(video, options.snapshot);
    if (outcome.exitCode == 0 && (stats.framesCorrupt > 0 || stats.framesLost > 0)) {
        return static_cast<int>(ErrorKind::Corrupt);
    }
    return outcome.exitCode;
}

// Either connects only when its window is there: frames that come while Qt and OpenGL start could not be
// shown.

int runViewer(const ViewOptions& options, ViewerController& controller, std::unique_ptr<VideoSurface> video) {
    ViewerWindow window(controller, std::move(video));
    if (options.fullscreen) {
        window.setFullscreen(true);
    } else {
        window.show();
    }
    controller.open();
    QApplication::exec();
    return finish(options, controller, window.video());
}

int runKiosk(const ViewOptions& options, ViewerController& controller, std::unique_ptr<VideoSurface> video) {
    KioskWindow kiosk(controller, std::move(video));
    kiosk.show();
    // Not open(): an address that cannot be used yet, as before the network is up, is no reason to end.
    controller.reopen();
    QApplication::exec();
    return finish(options, controller, kiosk.video());
}

}  // namespace

int runViewWindow(const ViewOptions& options, int argc, char** argv) {
    requireDisplay(kViewRemedy);
    checkOutputs(options);
    if (!options.kiosk) {
        checkHostExists(options);
    }
    const UploadPath upload = uploadPath(options.upload);
    const ExitSignalBlock signalBlock;

    requestOpenGl(VerticalSync::On);
    QApplication application(argc, argv);
    nameApplication(application);
    auto video = std::make_unique<VideoSurface>(upload);
    ViewerController controller(options);
    const ExitSignals signalsToExit(signalBlock);
    QObject::connect(&signalsToExit, &ExitSignals::requested, &controller,
                     [&] { controller.end("interrupted", kInterruptedExit); });
    QObject::connect(&controller, &ViewerController::ended, &application, &QCoreApplication::quit,
                     Qt::QueuedConnection);
    return options.kiosk ? runKiosk(options, controller, std::move(video))
                         : runViewer(options, controller, std::move(video));
}

}  // namespace verbcast
