#include "app/window/view_window.h"

#include <QApplication>
#include <QSurfaceFormat>
#include <cstdio>
#include <memory>

#include "app/host_check.h"
#include "app/window/display_check.h"
#include "app/window/exit_signals.h"
#include "app/window/snapshot.h"
#include "app/window/summary.h"
#include "app/window/theme.h"
#include "app/window/viewer_controller.h"
#include "app/window/viewer_window.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"

namespace verbcast {
namespace {

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

void setSurfaceFormat() {
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setSwapInterval(1);
    QSurfaceFormat::setDefaultFormat(format);
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
    const std::string reason = controller.status().value_or(ReceiverStatus{}).transportReason;
    if (options.verbosity != Verbosity::Quiet) {
        std::fprintf(stderr, "%s\n", summaryLine(stats, reason).c_str());
    }
    if (!options.statsJson.empty()) {
        writeStatsJson(options.statsJson, StreamEnd::Receiver, stats, outcome.reason);
    }
    writeSnapshot(video, options.snapshot);
    if (outcome.exitCode == 0 && stats.framesCorrupt > 0) {
        return static_cast<int>(ErrorKind::Corrupt);
    }
    return outcome.exitCode;
}

}  // namespace

int runViewWindow(const ViewOptions& options, int argc, char** argv) {
    requireDisplay();
    checkOutputs(options);
    checkHostExists(options);
    const UploadPath upload = uploadPath(options.upload);
    const ExitSignalBlock signalBlock;

    setSurfaceFormat();
    QApplication application(argc, argv);
    QApplication::setApplicationName("verbcast");
    QApplication::setOrganizationName("verbcast");
    theme::apply(application);
    auto video = std::make_unique<VideoSurface>(upload);
    ViewerController controller(options);
    ViewerWindow window(controller, std::move(video));
    const ExitSignals signalsToExit(signalBlock);
    QObject::connect(&signalsToExit, &ExitSignals::requested, &controller,
                     [&] { controller.end("interrupted", kInterruptedExit); });
    QObject::connect(&controller, &ViewerController::ended, &application, &QCoreApplication::quit,
                     Qt::QueuedConnection);
    if (options.fullscreen) {
        window.setFullscreen(true);
    } else {
        window.show();
    }
    // Connects only now: frames that come while Qt and OpenGL start could not be shown.
    controller.open();
    QApplication::exec();
    return finish(options, controller, window.video());
}

}  // namespace verbcast
