#include "app/window/view_window.h"

#include <fmt/format.h>

#include <QApplication>
#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <vector>

#include "app/cli/frame_lock_words.h"
#include "app/cli/peer_options.h"
#include "app/cli/report_error.h"
#include "app/host/process.h"
#include "app/view/words/alignment_words.h"
#include "app/view/words/upload_names.h"
#include "app/window/desktop/display_check.h"
#include "app/window/desktop/exit_signals.h"
#include "app/window/kiosk/kiosk_screen.h"
#include "app/window/kiosk/kiosk_window.h"
#include "app/window/parts/application.h"
#include "app/window/picture/snapshot.h"
#include "app/window/stats/summary.h"
#include "app/window/streams/viewer_controller.h"
#include "app/window/viewer/viewer_window.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

constexpr const char* kViewRemedy =
    "log in to a desktop, receive without a window (verbcast view --headless), or run under a virtual "
    "display (xvfb-run -s '-screen 0 1920x1080x24' verbcast view ...)";

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

/// `dropped`: frames on the way to this viewer.
void tellRecording(const std::string& path, const RecordingStatus& status,
                   const std::vector<std::string>& notes, std::uint64_t dropped) {
    for (const std::string& note : notes) {
        printToStderr("note: {}\n", note);
    }
    printToStderr("{}\n", recordingLine(path, status));
    if (const std::string missing = missingLine(path, status, dropped); !missing.empty()) {
        printToStderr("note: {}\n", missing);
    }
}

void finishRecording(const ViewOptions& options, ViewerController& controller) {
    const Recorder* recorder = controller.finishRecording();
    if (recorder != nullptr && options.verbosity != Verbosity::Quiet) {
        tellRecording(recorder->path(), recorder->status(), recorder->notes(),
                      controller.feed().stats().framesDropped);
    }
}

/// Completes what the user records; tells of all that there is.
void finishTakes(const ViewOptions& options, ViewerController& controller) {
    std::string problem;
    for (const FinishedTake& take : controller.finishTakes()) {
        if (!take.problem.empty()) {
            problem = fmt::format("{}: {}", take.path, take.problem);
        }
        if (options.verbosity != Verbosity::Quiet && take.status.bytes > 0) {
            tellRecording(take.path, take.status, take.notes, take.dropped);
        }
    }
    if (!problem.empty()) {
        throw Error(ErrorKind::Resource, problem);
    }
}

/// Writes statistics to stderr and --stats-json; of several streams each with its number and address.
void reportStats(const ViewOptions& options, ViewerController& controller, const VideoSurface& video,
                 const ViewOutcome& outcome) {
    const bool quiet = options.verbosity == Verbosity::Quiet;
    for (const LeftStream& before : controller.left()) {
        if (!quiet) {
            printToStderr("{}: {}\n", before.name, summaryLine(before.stats, before.status));
        }
    }
    std::vector<NamedStats> streams;
    for (std::size_t stream = 0; stream < controller.streams(); ++stream) {
        const StreamFeed& feed = controller.feed(stream);
        if (feed.vacant()) {
            continue;
        }
        const ReceiverStatus status = feed.status().value_or(ReceiverStatus{});
        streams.push_back({.number = static_cast<std::uint32_t>(stream + 1),
                           .name = feed.name(),
                           .stats = feed.stats(),
                           .exitReason = feed.outcome().value_or(outcome).reason,
                           .alignment = feed.alignment()});
        streams.back().stats.upload = uploadStats(video.pane(stream).uploadReport());
        streams.back().stats.window = video.windowStats();
        // What it showed before a reconnection is told already.
        const bool toldOfIt = feed.hasLeft() && streams.back().stats.framesTransferred == 0;
        if (!quiet && !toldOfIt) {
            const std::string label =
                controller.streams() > 1 ? fmt::format("{}  {}: ", stream + 1, streams.back().name) : "";
            printToStderr("{}{}\n", label, summaryLine(streams.back().stats, status));
            if (const auto& frameLock = streams.back().stats.frameLock) {
                for (const std::string& line : frameLockLines(*frameLock)) {
                    printToStderr("{}{}\n", label, line);
                }
            }
        }
    }
    const std::optional<AlignmentStats> alignment = controller.alignment();
    if (alignment && !quiet && controller.streams() > 1) {
        for (const std::string& line : alignmentLines(*alignment, streams, options.receiver.slots)) {
            printToStderr("{}\n", line);
        }
    }
    writeViewStats(options, streams, outcome.reason, alignment);
}

int codeOfStreams(ViewerController& controller) {
    for (std::size_t stream = 0; stream < controller.streams(); ++stream) {
        if (const int code = codeOfFrames(controller.feed(stream).stats()); code != 0) {
            return code;
        }
    }
    return 0;
}

/// Returns 0, or the exit code of the failure that it reports: what follows is done all the same.
template <typename Work>
int codeOf(Work&& work) {
    try {
        work();
        return 0;
    } catch (...) {
        return reportCurrentError();
    }
}

/// Writes what remains after the event loop: statistics, files and the line on stderr. Returns the exit code:
/// how the streams ended comes before what could not be written of them.
int finish(const ViewOptions& options, ViewerController& controller, VideoSurface& video) {
    const ViewOutcome outcome = controller.outcome().value_or(ViewOutcome{.reason = "closed"});
    const int takes = codeOf([&] { finishTakes(options, controller); });
    const int recording = codeOf([&] { finishRecording(options, controller); });
    const int stats = codeOf([&] { reportStats(options, controller, video, outcome); });
    const int snapshot = codeOf([&] { writeSnapshot(video, options.snapshot); });
    const std::array codes{outcome.exitCode, codeOfStreams(controller), takes, recording, stats, snapshot};
    const auto* const first = std::ranges::find_if(codes, [](int code) { return code != 0; });
    return first == codes.end() ? 0 : *first;
}

/// A signal may have come already: quitting has no effect on a loop that is not running yet.
void runUntilEnded(const ViewerController& controller) {
    if (!controller.outcome()) {
        QApplication::exec();
    }
}

// Both connect only once their window exists: frames that came while Qt and OpenGL start could not be shown.

int runViewer(const ViewOptions& options, ViewerController& controller, std::unique_ptr<VideoSurface> video) {
    ViewerWindow window(controller, std::move(video));
    if (!options.screen.empty()) {
        window.openOn(*findScreen(QString::fromStdString(options.screen)));
    }
    if (options.fullscreen) {
        window.setFullscreen(true);
    } else {
        window.show();
    }
    controller.open();
    runUntilEnded(controller);
    return finish(options, controller, window.video());
}

int runKiosk(const ViewOptions& options, ViewerController& controller, std::unique_ptr<VideoSurface> video) {
    KioskWindow kiosk(controller, std::move(video));
    kiosk.show();
    // Not open(): an address that is not usable yet, as before the network is up, must not end a kiosk.
    controller.reopen();
    runUntilEnded(controller);
    return finish(options, controller, kiosk.video());
}

}  // namespace

int runViewWindow(const ViewOptions& given, int argc, char** argv) {
    ViewOptions options = given;
    requireDisplay(kViewRemedy);
    if (options.streams > 1 && (options.kiosk || !options.output.empty() || !options.frameMd5.empty())) {
        throw Error(
            ErrorKind::Usage,
            "--kiosk, --output and --frame-md5 are for one stream; a window without them shows several",
            "leave them out, or receive several with --headless");
    }
    checkOutputs(options);
    if (!options.kiosk) {
        for (const StreamPeer& peer : peersOf(options)) {
            checkHostExists(peer);
        }
    }
    const ExitSignalBlock signalBlock;
    ignoreHere(SIGPIPE);  // a recording's reader may exit

    requestOpenGl(VerticalSync::On);
    if (options.layout->way == LayoutWay::PageFlip) {
        requestStereo();
    }
    QApplication application(argc, argv);
    // A kiosk shows only the picture, so the desktop's colours do not matter.
    options.kiosk ? nameApplication(application, theme::kDark) : nameApplication(application);
    auto video = std::make_unique<VideoSurface>(uploadPathByName(options.upload));
    if (options.layout->way == LayoutWay::PageFlip && !video->pageFlips()) {
        throw Error(
            ErrorKind::Display,
            "--layout page-flip: this display's OpenGL has no buffers for each eye (quad-buffered stereo)",
            "enable stereo in the graphics driver, or use another layout: anaglyph, interlaced, stereo-side, "
            "stereo-half");
    }
    video->setOverlays(options.overlays);
    if (options.tile) {
        video->setTile(*options.tile);
    }
    if (options.memory != PictureMemory::Host) {
        options.receiver.device = video->gpuMemory(options.memory == PictureMemory::Device);
    }
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
