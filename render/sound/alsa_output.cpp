#include "render/sound/alsa_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/alsa/alsa_pcm.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Nothing tells when a busy device is free.
constexpr auto kRetry = 1s;
constexpr std::uint32_t kPeriodMs = 10;

/// Nearly every PCM of ALSA takes any number of channels, and most play the first two and drop the others;
/// those that play more have another order. So what has a layout is mixed by us.
std::uint32_t channelsFor(const SoundOutputOptions& options) {
    return options.layout == 0 ? options.channels : std::min(options.channels, 2U);
}

/// Its thread opens the device again and again while it is gone.
class AlsaOutput final : public SoundOutput {
  public:
    /// Throws AlsaError if ALSA does not know the name, and it is not wanted anyway.
    AlsaOutput(const SoundOutputOptions& options, std::string name, SoundChoice choice, SoundFiller& filler)
        : wish_{.name = std::move(name),
                .rate = options.rate,
                .channels = channelsFor(options),
                .periodMs = kPeriodMs},
          filler_(filler) {
        std::unique_ptr<AlsaPcm> pcm;
        try {
            pcm = open();
        } catch (const AlsaError& error) {
            if (error.isUnknownName() && choice == SoundChoice::IfThere) {
                throw;
            }
            failed(error);
        }
        thread_ = std::jthread([this, opened = std::move(pcm)]() mutable { run(std::move(opened)); });
    }
    ~AlsaOutput() override { stop_.notify(); }

    SoundOutputStatus status() const override {
        const std::lock_guard lock(mutex_);
        SoundOutputStatus status = status_;
        status.delay = delay_;
        status.underruns = underruns_;
        return status;
    }

  private:
    std::unique_ptr<AlsaPcm> open() {
        auto pcm = std::make_unique<AlsaPcm>(wish_);
        const std::lock_guard lock(mutex_);
        status_ = {.device = fmt::format("{} (ALSA)", wish_.name),
                   .problem = "",
                   .rate = pcm->rate(),
                   .channels = pcm->channels()};
        return pcm;
    }

    void run(std::unique_ptr<AlsaPcm> pcm) {
        while (!stop_.isSet()) {
            try {
                if (!pcm) {
                    pcm = open();
                }
                play(*pcm);
            } catch (const Error& error) {
                pcm.reset();
                failed(error);
                waitReadable({stop_.descriptor()}, kRetry);
            }
        }
    }

    void play(AlsaPcm& pcm) {
        std::vector<float> samples(std::size_t{pcm.period()} * pcm.channels());
        const std::uint64_t before = underruns_;
        const TimestampNs lasts = TimestampNs{pcm.period()} * 1'000'000'000 / pcm.rate();
        for (TimestampNs due = nowNs(); pcm.await(stop_) == Status::Ok;) {
            const TimestampNs delay = pcm.delay();
            filler_.fill(samples, pcm.channels(), pcm.rate(), nowNs() + delay);
            pcm.write(samples);
            delay_.store(delay, std::memory_order_relaxed);
            underruns_.store(before + pcm.xruns(), std::memory_order_relaxed);
            due = std::max(due + lasts, nowNs() - lasts);
            if (pcm.keepsNoTime() && !waitUntil(due, stop_)) {
                return;
            }
        }
    }

    void failed(const Error& error) {
        const std::lock_guard lock(mutex_);
        const std::string problem = error.what();
        if (problem != told_) {
            log(LogCategory::Render).warn("no sound is heard: {}", problem);
            told_ = problem;
        }
        status_ = {.device = "", .problem = problem};
    }

    const AlsaWish wish_;
    SoundFiller& filler_;
    mutable std::mutex mutex_;  // guards the next two
    SoundOutputStatus status_;
    std::string told_;
    std::atomic<TimestampNs> delay_{0};
    std::atomic<std::uint64_t> underruns_{0};
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace

std::unique_ptr<SoundOutput> openAlsaOutput(const SoundOutputOptions& options, const std::string& name,
                                            SoundChoice choice, SoundFiller& filler) {
    try {
        return std::make_unique<AlsaOutput>(options, name, choice, filler);
    } catch (const AlsaError& error) {
        log(LogCategory::Render).debug("{}", error.what());
        return nullptr;
    }
}

}  // namespace verbcast
