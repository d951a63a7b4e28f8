#include "app/kms/kms_kiosk.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "app/cli/frame_lock_words.h"
#include "app/cli/progress_line.h"
#include "app/host/interrupt.h"
#include "app/kms/kms_screen.h"
#include "core/base/error.h"
#include "core/base/os/whole_file.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

// Period for checking states without frames.
constexpr std::chrono::milliseconds kLook{250};
// Period while something fades without frames, or a frame waits until due.
constexpr std::chrono::milliseconds kBusyLook{50};
constexpr int kByInterrupt = 128 + SIGINT;  // as shells report it

KmsOptions kmsOptions(const ViewOptions& options) {
    const char* legacy = std::getenv("VERBCAST_DRM_LEGACY");
    return {.connectors = options.connectors,
            .mode = options.mode,
            .legacy = legacy != nullptr && std::string(legacy) == "1"};
}

class Kiosk {
  public:
    explicit Kiosk(const ViewOptions& options);
    int run();

  private:
    bool over();
    void waitForNews();
    void serve();
    int report();
    void end(const std::string& reason, int exitCode);

    const ViewOptions& options_;
    KmsScreens kms_;
    std::deque<ViewOptions> each_;  // for each screen
    std::vector<std::unique_ptr<KmsScreen>> screens_;
    std::optional<TimestampNs> firstAt_;
    std::string reason_;
    int exitCode_ = 0;
};

Kiosk::Kiosk(const ViewOptions& options) : options_(options), kms_(kmsOptions(options)) {
    if (options.peers.size() > 1 && options.peers.size() != kms_.count()) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--drm: {} connectors and {} streams: a stream for each expected, or one for all",
                        kms_.count(), options.peers.size()),
            "name as many connectors as URLs: --drm NAME,NAME");
    }
    if (!options.tiles.empty() && options.tiles.size() != kms_.count()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--tile: {} displays of the wall and {} connectors: one for each expected",
                                options.tiles.size(), kms_.count()),
                    "name as many: --drm NAME,NAME --tile NAME,NAME");
    }
    const auto device = options.memory != PictureMemory::Host
                            ? memoryOfDrawingGpu(options.memory == PictureMemory::Device)
                            : nullptr;
    for (std::size_t i = 0; i < kms_.count(); ++i) {
        each_.push_back(options);
        each_.back().receiver.device = device;
        if (!options.tiles.empty()) {
            each_.back().tile = options.tiles[i];
        }
        if (i > 0 && (options.tiles.empty() || options.audio != "auto")) {
            each_.back().audio = "none";  // the first screen sounds
        }
        const auto& tile = each_.back().tile;
        const StreamPeer& peer = tile && !tile->sources.empty()
                                     ? tile->sources.front()
                                     : options.peers[std::min(i, options.peers.size() - 1)];
        screens_.push_back(std::make_unique<KmsScreen>(each_.back(), peer, kms_, i));
    }
}

int Kiosk::run() {
    for (const auto& screen : screens_) {
        screen->begin();
    }
    while (!over()) {
        waitForNews();
        serve();
    }
    for (const auto& screen : screens_) {
        screen->stream().close();
    }
    return report();
}

void Kiosk::waitForNews() {
    std::vector<int> descriptors = kms_.descriptors();
    descriptors.push_back(interruptEvent().descriptor());
    bool busy = false;
    for (const auto& screen : screens_) {
        const std::vector<int> more = screen->descriptors();
        descriptors.insert(descriptors.end(), more.begin(), more.end());
        busy |= screen->busy();
    }
    waitReadable(descriptors, busy ? kBusyLook : kLook);
}

void Kiosk::serve() {
    for (const KmsNews& news : kms_.serve()) {
        screens_.at(news.screen)->hear(news);
    }
    for (const auto& screen : screens_) {
        screen->serve();
        if (!firstAt_ && screen->stream().framesShown() > 0) {
            firstAt_ = nowNs();
        }
    }
}

void Kiosk::end(const std::string& reason, int exitCode) {
    reason_ = reason;
    exitCode_ = exitCode;
}

bool Kiosk::over() {
    if (interruptEvent().isSet()) {
        end("interrupted", kByInterrupt);
    } else if (options_.duration && firstAt_ && nowNs() - *firstAt_ >= options_.duration->count()) {
        end("duration", 0);
    } else if (options_.frames && std::ranges::all_of(screens_, [this](const auto& screen) {
                   return screen->stream().framesShown() >= *options_.frames || screen->over();
               })) {
        end("frames", 0);
    } else if (std::ranges::all_of(screens_, [](const auto& screen) { return screen->over(); })) {
        const auto wrong = std::ranges::find_if(
            screens_, [](const auto& screen) { return screen->stream().ended()->exitCode != 0; });
        const auto& ended = (wrong != screens_.end() ? *wrong : screens_.front())->stream().ended();
        end(ended->reason, ended->exitCode);
    }
    return !reason_.empty();
}

int Kiosk::report() {
    std::vector<NamedStats> streams;
    for (std::size_t i = 0; i < screens_.size(); ++i) {
        const StreamStats stats = screens_[i]->stats();
        KioskWords& words = screens_[i]->stream().words();
        words.say(summaryText(stats));
        if (stats.frameLock) {
            for (const std::string& line : frameLockLines(*stats.frameLock)) {
                words.say(line);
            }
        }
        exitCode_ = exitCode_ == 0 ? codeOfFrames(stats) : exitCode_;
        const auto& ended = screens_[i]->stream().ended();
        streams.push_back({.number = static_cast<std::uint32_t>(i + 1),
                           .name = options_.peers[std::min(i, options_.peers.size() - 1)].url.text(),
                           .stats = stats,
                           .exitReason = ended ? ended->reason : reason_});
    }
    writeViewStats(options_, streams, reason_);
    return exitCode_;
}

}  // namespace

int runKmsKiosk(const ViewOptions& options) {
    for (const std::string& path : {options.statsJson, options.frameMd5}) {
        if (!path.empty()) {
            checkWritable(path);
        }
    }
    installInterruptHandler();
    return Kiosk(options).run();
}

std::string displayLines() {
    const KmsSupport support = kmsSupport();
    if (!support.available) {
        return "none: " + support.detail + "\n";
    }
    const std::vector<DisplayCard> cards = displayCards();
    if (cards.empty()) {
        return "none: no graphics card in /dev/dri\n";
    }
    std::string lines;
    for (const DisplayCard& card : cards) {
        if (!card.problem.empty()) {
            lines += fmt::format("{}: {}\n", card.path, card.problem);
        }
        for (const DisplayConnector& connector : card.connectors) {
            lines += fmt::format("{} ({})\n", connectorText(card.path, connector), card.driver);
        }
    }
    return lines;
}

}  // namespace verbcast
