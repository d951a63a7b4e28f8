#include "core/alsa/alsa_pcm.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace verbcast {
namespace {

// One is played while the others are filled.
constexpr unsigned kPeriods = 4;
constexpr unsigned kUsualChannels = 2, kMaxChannels = 64;
constexpr snd_pcm_format_t kFormats[] = {SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_S16};
constexpr float kFull16 = 32768.F, kFull32 = 2147483648.F;

/// Instead of ALSA's own messages on standard error: ours say the same.
void ignore(const char*, int, const char*, int, const char*, ...) {}

}  // namespace

AlsaError::AlsaError(const char* call, const std::string& device, int code)
    : Error(ErrorKind::Device,
            fmt::format("{} on ALSA's {}: {} ({})", call, device, snd_strerror(code), code),
            code == -EBUSY ? "close the program that uses it, or name another device: verbcast devices"
                           : "verbcast devices lists what there is"),
      code_(code) {}

bool AlsaError::isUnknownName() const {
    return code_ == -ENOENT || code_ == -ENODEV || code_ == -ENXIO;
}

AlsaPcm::AlsaPcm(const AlsaWish& wish)
    : name_(wish.name), isOutput_(wish.direction == SoundDirection::Output) {
    snd_lib_error_set_handler(&ignore);
    snd_pcm_t* pcm = nullptr;
    require(snd_pcm_open(&pcm, name_.c_str(), isOutput_ ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE,
                         SND_PCM_NONBLOCK),
            "snd_pcm_open");
    pcm_.reset(pcm);
    setHardware(wish);
    setSoftware();
    device_.resize(std::size_t{period_} * channels_);
    polled_.resize(
        static_cast<std::size_t>(require(snd_pcm_poll_descriptors_count(pcm), "poll descriptors")) + 1);
    if (!isOutput_) {
        require(snd_pcm_start(pcm), "snd_pcm_start");
    }
}

int AlsaPcm::require(int result, const char* call) const {
    if (result < 0) {
        throw AlsaError(call, name_, result);
    }
    return result;
}

void AlsaPcm::setHardware(const AlsaWish& wish) {
    snd_pcm_hw_params_t* hardware = nullptr;
    snd_pcm_hw_params_alloca(&hardware);
    snd_pcm_t* const pcm = pcm_.get();
    require(snd_pcm_hw_params_any(pcm, hardware), "snd_pcm_hw_params_any");
    require(snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0), "snd_pcm_hw_params_set_rate_resample");
    require(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED),
            "interleaved samples");
    const auto* const format = std::ranges::find_if(kFormats, [&](snd_pcm_format_t each) {
        return snd_pcm_hw_params_test_format(pcm, hardware, each) == 0;
    });
    format_ = format != std::end(kFormats) ? *format : SND_PCM_FORMAT_FLOAT;
    require(snd_pcm_hw_params_set_format(pcm, hardware, format_), "samples of 32 or 16 bits");
    channels_ = wish.channels;
    if (channels_ == 0) {
        require(snd_pcm_hw_params_get_channels_max(hardware, &channels_),
                "snd_pcm_hw_params_get_channels_max");
        channels_ = channels_ <= kMaxChannels ? channels_ : kUsualChannels;
    }
    require(snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels_), "channels");
    rate_ = wish.rate;
    require(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate_, nullptr), "rate");
    snd_pcm_uframes_t period = rate_ * wish.periodMs / 1000;
    require(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nullptr), "period");
    snd_pcm_uframes_t buffer = period * kPeriods;
    require(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer");
    require(snd_pcm_hw_params(pcm, hardware), "snd_pcm_hw_params");
    period_ = static_cast<std::uint32_t>(period);
    buffer_ = static_cast<std::uint32_t>(buffer);
    if (channels_ > kMaxChannels || period_ == 0 || buffer_ < 2 * period_) {
        throw AlsaError("1 to 64 channels and two periods", name_, -EINVAL);
    }
}

void AlsaPcm::setSoftware() {
    snd_pcm_sw_params_t* software = nullptr;
    snd_pcm_sw_params_alloca(&software);
    snd_pcm_t* const pcm = pcm_.get();
    require(snd_pcm_sw_params_current(pcm, software), "snd_pcm_sw_params_current");
    require(snd_pcm_sw_params_set_avail_min(pcm, software, period_), "avail_min");
    require(snd_pcm_sw_params_set_start_threshold(pcm, software, isOutput_ ? buffer_ - period_ : 1),
            "start_threshold");
    require(snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE), "tstamp_mode");
    require(snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC), "tstamp_type");
    require(snd_pcm_sw_params(pcm, software), "snd_pcm_sw_params");
}

/// Throws what is no xrun and no suspend.
void AlsaPcm::recover(int result, const char* call) {
    if (result == -EPIPE || result == -ESTRPIPE) {
        ++xruns_;
    }
    require(snd_pcm_recover(pcm_.get(), result, 1), call);
    if (!isOutput_ && snd_pcm_state(pcm_.get()) == SND_PCM_STATE_PREPARED) {
        require(snd_pcm_start(pcm_.get()), "snd_pcm_start");
    }
}

Status AlsaPcm::await(const Event& stop) {
    for (;;) {
        if (stop.isSet()) {
            return Status::Cancelled;
        }
        const snd_pcm_sframes_t available = snd_pcm_avail_update(pcm_.get());
        if (available < 0) {
            recover(static_cast<int>(available), "snd_pcm_avail_update");
        } else if (available >= static_cast<snd_pcm_sframes_t>(period_)) {
            return Status::Ok;
        } else {
            const auto count = static_cast<unsigned>(polled_.size() - 1);
            require(snd_pcm_poll_descriptors(pcm_.get(), polled_.data(), count), "snd_pcm_poll_descriptors");
            polled_.back() = {.fd = stop.descriptor(), .events = POLLIN, .revents = 0};
            if (::poll(polled_.data(), polled_.size(), -1) < 0 && errno != EINTR) {
                throwErrno(ErrorKind::Internal, "poll", name_, errno);
            }
            unsigned short happened = 0;
            require(snd_pcm_poll_descriptors_revents(pcm_.get(), polled_.data(), count, &happened),
                    "snd_pcm_poll_descriptors_revents");
            if ((happened & POLLERR) != 0 && snd_pcm_state(pcm_.get()) == SND_PCM_STATE_DISCONNECTED) {
                throw AlsaError("poll", name_, -ENODEV);
            }
        }
    }
}

TimestampNs AlsaPcm::delay() {
    snd_pcm_sframes_t samples = 0;
    if (snd_pcm_delay(pcm_.get(), &samples) < 0) {
        samples = 0;  // an xrun, which the next await() sees
    }
    return std::max<TimestampNs>(samples, 0) * 1'000'000'000 / rate_;
}

bool AlsaPcm::keepsNoTime() {
    const snd_pcm_sframes_t available = snd_pcm_avail_update(pcm_.get());
    return available >= static_cast<snd_pcm_sframes_t>(buffer_);
}

void AlsaPcm::write(std::span<const float> samples) {
    encode(samples);
    const auto* next = reinterpret_cast<const char*>(device_.data());
    auto left = static_cast<snd_pcm_uframes_t>(samples.size() / channels_);
    while (left > 0) {
        const snd_pcm_sframes_t written = snd_pcm_writei(pcm_.get(), next, left);
        if (written < 0) {
            recover(static_cast<int>(written), "snd_pcm_writei");
            continue;
        }
        left -= static_cast<snd_pcm_uframes_t>(written);
        next += snd_pcm_frames_to_bytes(pcm_.get(), written);
    }
}

std::uint32_t AlsaPcm::read(std::span<float> samples) {
    const snd_pcm_sframes_t count = snd_pcm_readi(
        pcm_.get(), device_.data(), std::min<snd_pcm_uframes_t>(period_, samples.size() / channels_));
    if (count < 0) {
        recover(static_cast<int>(count), "snd_pcm_readi");
        return 0;
    }
    decode(samples.first(static_cast<std::size_t>(count) * channels_));
    return static_cast<std::uint32_t>(count);
}

TimestampNs AlsaPcm::nextReadAt() {
    snd_pcm_uframes_t available = 0;
    snd_htimestamp_t at{};
    // The null plugin has no times of its own.
    if (snd_pcm_htimestamp(pcm_.get(), &available, &at) < 0 || (at.tv_sec == 0 && at.tv_nsec == 0)) {
        return nowNs();
    }
    return at.tv_sec * 1'000'000'000 + at.tv_nsec -
           static_cast<TimestampNs>(available) * 1'000'000'000 / rate_;
}

void AlsaPcm::encode(std::span<const float> samples) {
    if (format_ == SND_PCM_FORMAT_FLOAT) {
        std::memcpy(device_.data(), samples.data(), samples.size_bytes());
        return;
    }
    auto* const narrow = reinterpret_cast<std::int16_t*>(device_.data());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double sample = std::isfinite(samples[i]) ? std::clamp(samples[i], -1.F, 1.F) : 0;
        if (format_ == SND_PCM_FORMAT_S32) {
            device_[i] = static_cast<std::int32_t>(std::min(std::nearbyint(sample * kFull32), kFull32 - 1.0));
        } else {
            narrow[i] = static_cast<std::int16_t>(std::min(std::nearbyint(sample * kFull16), kFull16 - 1.0));
        }
    }
}

void AlsaPcm::decode(std::span<float> samples) const {
    const auto* const narrow = reinterpret_cast<const std::int16_t*>(device_.data());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        switch (format_) {
            case SND_PCM_FORMAT_S32:
                samples[i] = static_cast<float>(device_[i]) / kFull32;
                break;
            case SND_PCM_FORMAT_S16:
                samples[i] = static_cast<float>(narrow[i]) / kFull16;
                break;
            default:
                std::memcpy(&samples[i], &device_[i], sizeof(float));
        }
    }
}

}  // namespace verbcast
