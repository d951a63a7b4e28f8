#include "capture/sound/pipewire_sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <utility>

#include "capture/sound/device_sound.h"
#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/pipewire/program_peers.h"
#include "core/pipewire/sound_stream.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerPatience = 2s;
// A busy machine needs a while.
constexpr auto kFormatPatience = 15s;
constexpr std::uint32_t kUsualRate = 48'000;

std::uint32_t quantumFor(std::chrono::milliseconds block) {
    return std::bit_ceil(static_cast<std::uint32_t>(kUsualRate * block.count() / 1000));
}

class PipeWireSound final : public DeviceSound, private SoundStream::User {
  public:
    PipeWireSound(const std::string& name, bool monitor, const SoundOptions& options)
        : DeviceSound(options), stream_(wish(name, monitor, "PipeWire has ended", options), *this) {}
    PipeWireSound(std::function<bool(pid_t)> isOurs, const SoundOptions& options)
        : DeviceSound(options),
          stream_(wish("", false, kNoPipeWireRuns, options),
                  std::make_unique<ProgramPeers>(std::move(isOurs)), *this) {}

    std::string describe() const override {
        const SoundStream::State state = stream_.state();
        return fmt::format("sound of {} (PipeWire)", state.device.empty() ? "no device" : state.device);
    }
    std::chrono::nanoseconds cycle() const override {
        return std::chrono::nanoseconds(cycle_.load(std::memory_order_relaxed));
    }
    bool hasTarget() const {
        return stream_.awaitDaemon(Deadline::in(kAnswerPatience)) && stream_.hasTarget();
    }
    void awaitFormat() {
        if (!stream_.awaitFormat(Deadline::in(kFormatPatience))) {
            throw Error(
                ErrorKind::Device,
                fmt::format("PipeWire gives no sound within {} s: {}", kFormatPatience.count(),
                            stream_.state().problem),
                "check that pipewire and wireplumber run: systemctl --user status pipewire wireplumber");
        }
        const SoundStream::Format format = stream_.state().format;
        startWith(intake_.formatOf(format.rate, format.channels, format.layout));
    }

  private:
    SoundStreamWish wish(const std::string& name, bool monitor, const char* withoutDaemon,
                         const SoundOptions& options) {
        return {.direction = SoundDirection::Input,
                .target = name,
                .monitor = monitor,
                .title = "Verbcast",
                .rate = kUsualRate,
                .quantum = quantumFor(options.block),
                .withoutDaemon = withoutDaemon,
                .told = [this](const std::string& problem) { note(problem + ": sound is waited for"); }};
    }

    void process(pw_stream& stream) noexcept override {
        pw_buffer* const buffer = pw_stream_dequeue_buffer(&stream);
        if (buffer == nullptr) {
            return;
        }
        take(stream, *buffer->buffer);
        pw_stream_queue_buffer(&stream, buffer);
    }

    void take(pw_stream& stream, const spa_buffer& planes) noexcept {
        const SoundStream::Format format = stream_.format();
        const std::uint32_t channels = std::min(format.channels, planes.n_datas);
        std::uint32_t samples = format.rate != 0 && channels == format.channels ? UINT32_MAX : 0;
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
            const spa_data& plane = planes.datas[channel];
            const std::uint32_t offset = std::min(plane.chunk->offset, plane.maxsize);
            samples = plane.data == nullptr
                          ? 0
                          : std::min<std::uint32_t>(
                                samples, std::min(plane.chunk->size, plane.maxsize - offset) / sizeof(float));
        }
        if (samples == 0) {
            return;
        }
        cycle_.store(std::int64_t{samples} * 1'000'000'000 / format.rate, std::memory_order_relaxed);
        const SoundStream::Moment moment = stream_.moment(stream, samples);
        if (moment.gap) {
            intake_.gap();
        }
        intake_.put(intake_.formatOf(format.rate, format.channels, format.layout), samples, moment.at,
                    [&](std::uint32_t channel, std::uint32_t first, std::uint32_t count, float* to) {
                        const spa_data& plane = planes.datas[channel];
                        const auto* const from = static_cast<const std::byte*>(plane.data) +
                                                 plane.chunk->offset + std::size_t{first} * sizeof(float);
                        std::memcpy(to, from, std::size_t{count} * sizeof(float));
                    });
    }

    std::atomic<std::int64_t> cycle_{0};
    SoundStream stream_;  // last: its threads use everything above
};

}  // namespace

std::unique_ptr<SoundSource> openPipeWireSound(const std::string& name, bool monitor,
                                               const SoundOptions& options) {
    std::unique_ptr<PipeWireSound> sound;
    try {
        sound = std::make_unique<PipeWireSound>(name, monitor, options);
    } catch (const Error& error) {  // PipeWire's own files are not installed
        log(LogCategory::Capture).debug("{}", error.what());
    }
    if (!sound || !sound->hasTarget()) {
        return nullptr;
    }
    sound->awaitFormat();
    return sound;
}

std::unique_ptr<SoundSource> openPipeWirePrograms(std::function<bool(pid_t)> isOurs,
                                                  const SoundOptions& options) {
    try {
        return std::make_unique<PipeWireSound>(std::move(isOurs), options);
    } catch (const Error& error) {
        throw Error(ErrorKind::Device, error.what(), "install PipeWire's modules (libpipewire-0.3-modules)");
    }
}

}  // namespace verbcast
