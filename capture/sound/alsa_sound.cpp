#include "capture/sound/alsa_sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "capture/sound/device_sound.h"
#include "core/alsa/alsa_pcm.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Nothing tells when a device is there again that another program may hold.
constexpr auto kAgain = 1s;
constexpr std::uint64_t kMono = 0x4, kStereo = 0x3;

/// Its thread opens the device again and again while it is gone.
class AlsaSound final : public DeviceSound {
  public:
    /// Throws AlsaError.
    AlsaSound(const std::string& name, const SoundOptions& options)
        : DeviceSound(options),
          wish_{.name = name,
                .direction = SoundDirection::Input,
                .periodMs =
                    static_cast<std::uint32_t>(std::clamp<std::int64_t>(options.block.count(), 1, 10))} {
        auto pcm = std::make_unique<AlsaPcm>(wish_);
        startWith(formatOf(*pcm));
        thread_ = std::jthread([this, opened = std::move(pcm)]() mutable { run(std::move(opened)); });
    }
    ~AlsaSound() override { stop_.notify(); }

    std::string describe() const override { return fmt::format("sound of {} (ALSA)", wish_.name); }

  private:
    SoundFormat formatOf(const AlsaPcm& pcm) const {
        const std::uint64_t layout = pcm.channels() == 1 ? kMono : pcm.channels() == 2 ? kStereo : 0;
        return intake_.formatOf(pcm.rate(), pcm.channels(), layout);
    }

    void run(std::unique_ptr<AlsaPcm> pcm) {
        while (!stop_.isSet()) {
            try {
                if (!pcm) {
                    pcm = std::make_unique<AlsaPcm>(wish_);
                    intake_.gap();
                }
                listen(*pcm);
            } catch (const Error& error) {
                pcm.reset();
                note(fmt::format("{}: sound is waited for", error.what()));
                waitReadable({stop_.descriptor()}, kAgain);
            }
        }
    }

    void listen(AlsaPcm& pcm) {
        const SoundFormat format = formatOf(pcm);
        const std::uint32_t channels = pcm.channels();
        std::vector<float> samples(std::size_t{pcm.period()} * channels);
        std::uint64_t xruns = pcm.xruns();
        const TimestampNs lasts = TimestampNs{pcm.period()} * 1'000'000'000 / pcm.rate();
        for (TimestampNs due = nowNs(); pcm.await(stop_) == Status::Ok;) {
            const TimestampNs reported = pcm.nextReadAt();
            const std::uint32_t count = pcm.read(samples);
            if (std::exchange(xruns, pcm.xruns()) != pcm.xruns()) {
                intake_.gap();
                note("sound was lost: the device's buffer was not emptied in time");
            }
            intake_.put(format, count, reported,
                        [&](std::uint32_t channel, std::uint32_t first, std::uint32_t length, float* to) {
                            for (std::uint32_t i = 0; i < length; ++i) {
                                to[i] = samples[std::size_t{first + i} * channels + channel];
                            }
                        });
            due = std::max(due + lasts, nowNs() - lasts);
            if (pcm.keepsNoTime() && !waitUntil(due, stop_)) {
                return;
            }
        }
    }

    const AlsaWish wish_;
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace

std::unique_ptr<SoundSource> openAlsaSound(const std::string& name, const SoundOptions& options) {
    try {
        return std::make_unique<AlsaSound>(name, options);
    } catch (const AlsaError& error) {
        if (!error.isUnknownName()) {
            throw;
        }
        log(LogCategory::Capture).debug("{}", error.what());
        return nullptr;
    }
}

}  // namespace verbcast
