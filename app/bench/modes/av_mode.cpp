// bench av: the offset between picture and sound of the real programs, as seen on the X display and heard at
// the monitor of the device that plays.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/av/av_offsets.h"
#include "app/bench/av/pip_finder.h"
#include "app/bench/limits/external_program.h"
#include "app/bench/modes/bench_modes.h"
#include "app/bench/workers/bench_transports.h"
#include "app/bench/workers/worker.h"
#include "app/host/helper_program.h"
#include "app/host/process.h"
#include "capture/screen/flash_watch.h"
#include "capture/screen/screen_changes.h"
#include "capture/screen/x_display.h"
#include "capture/sound/open_sound_device.h"
#include "core/pipewire/pipewire_devices.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr auto kAvEndPatience = 30s;
// For the first pair; a busy machine needs a while to open a window.
constexpr auto kAvStartPatience = 30s;
constexpr Rational kUsualRate{60, 1};

/// Wayland shows no program what others draw.
void requireVisibleScreen() {
    if (isWaylandSession()) {
        throw Error(ErrorKind::Display,
                    "bench av: in a Wayland session no program can see when a picture is on the screen",
                    "run it in a session of X, or on a display of its own: env -u WAYLAND_DISPLAY "
                    "XDG_SESSION_TYPE=x11 xvfb-run -a verbcast bench av");
    }
    const XDisplay display;
    negotiateDamage(display);
}

/// The device that plays, by its full name.
std::string deviceOf(const BenchOptions& options) {
    const SoundDeviceName asked(options.audio);
    const SoundDevices known = pipeWireDevices(SoundDirection::Output);
    const auto device = std::ranges::find_if(known.devices, [&](const SoundDevice& each) {
        return options.audio.empty()
                   ? each.isDefault
                   : asked.mayBePipeWire &&
                         (SoundDeviceName(each.name).name == asked.name || each.description == asked.name);
    });
    if (device == known.devices.end()) {
        throw Error(
            ErrorKind::Device,
            fmt::format("bench av: PipeWire has no {} that plays, so none has a monitor; {}",
                        options.audio.empty() ? "default device" : "device " + options.audio,
                        known.choices()),
            "name one with --audio pipewire:NAME (verbcast devices lists them), or make one that plays "
            "nowhere: pactl load-module module-null-sink");
    }
    return device->name;
}

struct AvCase {
    std::string transport;
    PictureSize size{};
    PixelFormat pixelFormat = PixelFormat::rgba;
};

/// What a viewer writes when it ends. It opens the pipe by its path.
class StatisticsPipe {
  public:
    StatisticsPipe() : pipe_(makePipe("statistics")) { ::fcntl(pipe_.reading.get(), F_SETFL, O_NONBLOCK); }
    std::string path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), pipe_.writing.get()); }
    /// Of the stream's sound; "" if there is nothing of it.
    std::string sound() const {
        std::string text;
        std::array<char, 4096> chunk;
        for (ssize_t got = 0; (got = ::read(pipe_.reading.get(), chunk.data(), chunk.size())) > 0;) {
            text.append(chunk.data(), static_cast<std::size_t>(got));
        }
        const Json json = Json::parse(text, nullptr, false);
        const Json sound = json.is_object() ? json.value("sound", Json()) : Json();
        return sound.is_object() ? sound.dump() : "";
    }

  private:
    Pipe pipe_;
};

/// A sender, a viewer, and what they are seen and heard to do.
class AvRun {
  public:
    AvRun(const BenchOptions& options, const AvCase& what, const std::string& device)
        : options_(options),
          program_(helperProgram("verbcast")),
          monitor_(openSoundDevice(device, {})),
          address_(options.from.empty() ? freshAddress(what.transport, options) : options.from) {
        if (options.from.empty()) {
            sender_.emplace(
                std::vector<std::string>{program_, "send", "pattern:flash", "--quiet", "--listen", address_,
                                         "--size", fmt::format("{}x{}", what.size.width, what.size.height),
                                         "--format", std::string(pixelFormatName(what.pixelFormat)), "--fps",
                                         rateText(options.fps.value_or(kUsualRate))});
        }
        viewer_.emplace(std::vector<std::string>{program_, "view", address_, "--quiet", "--audio", device,
                                                 "--av-offset", fmt::format("{}", options.avOffset),
                                                 "--stats-json", statistics_.path()});
        watch_.emplace(display_, viewer_->pid());
    }

    /// Looks and listens for --seconds from the first flash and the first pip on, or until interrupted.
    void watch() {
        Deadline deadline = Deadline::in(kAvStartPatience);
        while (flashes_.empty() || pips_.empty()) {
            if (deadline.passed()) {
                failToBegin();
            }
            if (!look(deadline)) {
                return;
            }
        }
        const TimestampNs start = nowNs();
        deadline = Deadline::in(std::chrono::nanoseconds(std::llround(options_.seconds * 1e9)));
        while (!deadline.passed() && look(deadline)) {
        }
        seconds_ = static_cast<double>(nowNs() - start) * 1e-9;
    }

    /// Ends the programs and adds what there was to see and hear.
    void addTo(AvRow& row) {
        row.displayHz = watch_->refreshRate();
        row.flashResolutionMs = static_cast<double>(FlashWatch::kResolution) * 1e-6;
        row.monitorDelayMs = std::chrono::duration<double, std::milli>(monitor_->cycle()).count();
        viewer_->interrupt(kAvEndPatience);
        row.viewerSound = statistics_.sound();
        for (TimestampNs& pip : pips_) {
            pip -= monitor_->cycle().count();
        }
        const AvOffsets offsets = offsetsOf(flashes_, pips_);
        if (offsets.ms.empty()) {
            return;
        }
        row.seconds += seconds_;
        row.missedFlashes += offsets.missedFlashes;
        row.missedPips += offsets.missedPips;
        row.offsetsMs.insert(row.offsetsMs.end(), offsets.ms.begin(), offsets.ms.end());
        row.startsMs.push_back(shareOf(offsets.ms, 0.5));
        row.soundAfterPictureMs.push_back(
            static_cast<double>(*finder_.firstSound() - monitor_->cycle().count() - flashes_.front()) * 1e-6);
    }

  private:
    /// False: interrupted.
    bool look(Deadline deadline) {
        waitReadable({display_.descriptor(), monitor_->waitDescriptor(), interruptEvent().descriptor()},
                     std::min<std::chrono::nanoseconds>(deadline.left(), 1s));
        watch_->look(flashes_);
        while (monitor_->read(block_) == Status::Ok) {
            finder_.put(monitor_->format(), block_, pips_);
        }
        if (interruptEvent().isSet()) {
            return false;
        }
        viewer_->requireRunning();
        if (sender_) {
            sender_->requireRunning();
        }
        return true;
    }

    [[noreturn]] void failToBegin() {
        viewer_->interrupt(kAvEndPatience);
        const Json sound = Json::parse(statistics_.sound(), nullptr, false);
        const std::string heard = sound.is_object() && sound.contains("playback")
                                      ? sound["playback"].value("problem", std::string())
                                      : std::string();
        throw Error(flashes_.empty() ? ErrorKind::Display : ErrorKind::Device,
                    fmt::format("bench av: {} within {} s{}",
                                !watch_->hasWindow() ? "the viewer opened no window"
                                : flashes_.empty()   ? "the viewer's window showed no flash"
                                                     : "no pip was heard at the " + monitor_->describe(),
                                kAvStartPatience.count(), heard.empty() ? "" : ": " + heard),
                    flashes_.empty() ? "leave the window uncovered, and see what " + program_ + " view shows"
                                     : "see that nothing else plays there, and that the device is not muted");
    }

    const BenchOptions& options_;
    const std::string program_;
    XDisplay display_;
    std::unique_ptr<SoundSource> monitor_;
    const std::string address_;
    StatisticsPipe statistics_;
    PipFinder finder_;
    CapturedSound block_;
    std::vector<TimestampNs> flashes_, pips_;
    double seconds_ = 0;
    std::optional<ExternalProgram> sender_, viewer_;
    std::optional<FlashWatch> watch_;
};

AvRow emptyRow(const BenchOptions& options, const AvCase& what, const std::string& device) {
    AvRow row{.transport = what.transport, .device = device, .askedOffsetMs = options.avOffset};
    if (options.from.empty()) {
        row.width = what.size.width;
        row.height = what.size.height;
        row.pixelFormat = pixelFormatName(what.pixelFormat);
        row.offeredFps = options.fps.value_or(kUsualRate).value();
    }
    return row;
}

std::vector<AvCase> casesOf(const BenchOptions& options, BenchReport& report) {
    if (!options.from.empty()) {
        return {{.transport = options.from}};
    }
    std::vector<AvCase> cases;
    for (const std::string& scheme : usableTransports(options, report)) {
        for (const PixelFormat format : options.formats) {
            for (const PictureSize& size : options.sizesOr({{1920, 1080}})) {
                cases.push_back({scheme, size, format});
            }
        }
    }
    return cases;
}

}  // namespace

void benchAv(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    requireVisibleScreen();
    const std::string device = deviceOf(options);
    const std::vector<AvCase> cases = casesOf(options, report);
    const Burners burners(options.load);
    std::size_t done = 0;
    for (const AvCase& what : cases) {
        AvRow row = emptyRow(options, what, device);
        for (std::uint32_t start = 0; start < options.starts && !interruptEvent().isSet(); ++start) {
            progress.step(++done, cases.size() * options.starts,
                          options.from.empty()
                              ? fmt::format("{} {}x{}", what.transport, what.size.width, what.size.height)
                              : what.transport);
            unlessInterrupted([&] {
                AvRun run(options, what, device);
                run.watch();
                run.addTo(row);
            });
        }
        if (!row.offsetsMs.empty()) {
            report.av.push_back(std::move(row));
        }
    }
}

}  // namespace verbcast
