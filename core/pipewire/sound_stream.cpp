#include "core/pipewire/sound_stream.h"

#include <fmt/format.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/result.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/pipewire/device_peers.h"
#include "core/pipewire/loop_lock.h"
#include "core/pipewire/sound_channels.h"

namespace verbcast {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::chrono::milliseconds kFirstRetry{100}, kLinkPatience{2000};
constexpr int kFailuresToTell = 5;  // a session manager that has just started knows nothing yet

}  // namespace

const pw_stream_events SoundStream::kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* self, pw_stream_state, pw_stream_state state, const char* error) {
        static_cast<SoundStream*>(self)->stateIs(state, error);
    };
    events.param_changed = [](void* self, std::uint32_t id, const spa_pod* parameter) {
        if (id == SPA_PARAM_Format && parameter != nullptr) {
            static_cast<SoundStream*>(self)->agreed(parameter);
        }
    };
    events.process = [](void* data) {
        auto* self = static_cast<SoundStream*>(data);
        self->user_.process(*self->stream_);
    };
    return events;
}();

SoundStream::SoundStream(const SoundStreamWish& wish, User& user)
    : SoundStream(wish, std::make_unique<DevicePeers>(wish), user) {}

SoundStream::SoundStream(SoundStreamWish wish, std::unique_ptr<SoundPeers> peers, User& user)
    : wish_(std::move(wish)), peers_(std::move(peers)), user_(user), problem_(wish_.withoutDaemon) {
    PipeWireClient::Listener& us = *this;
    client_ = std::make_unique<PipeWireClient>("verbcast-sound", us);
    reopen_ = pw_loop_add_event(
        client_->innerLoop(), [](void* self, std::uint64_t) { static_cast<SoundStream*>(self)->reopen(); },
        this);
    later_ = pw_loop_add_timer(
        client_->innerLoop(), [](void* self, std::uint64_t) { static_cast<SoundStream*>(self)->looked(); },
        this);
    if (reopen_ == nullptr || later_ == nullptr) {
        throwErrno(ErrorKind::Resource, "pw_loop_add_event", "PipeWire", errno);
    }
    client_->start();
}

void SoundStream::reopen() {
    if (const SoundNodes* const nodes = client_->nodes(); nodes != nullptr && core_ != nullptr) {
        close();
        open(*nodes);
    }
}

void SoundStream::connected(pw_core& core, const SoundNodes& nodes) {
    core_ = &core;
    peers_->connected(core, [this] {
        if (const SoundNodes* const known = client_->nodes()) {
            changed(*known);
        }
    });
    open(nodes);
}

void SoundStream::changed(const SoundNodes& nodes) {
    if (!stream_ || peers_->mustReopen(nodes, channelsAsked_)) {
        close();
        open(nodes);
    } else {
        lookAtLink(nodes);
    }
}

void SoundStream::disconnected() {
    close();
    peers_->disconnected();
    core_ = nullptr;
}

pw_properties* SoundStream::properties(const SoundNodes& nodes) const {
    const bool isOutput = wish_.direction == SoundDirection::Output;
    pw_properties* const properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, isOutput ? "Playback" : "Capture",
        PW_KEY_MEDIA_ROLE, "Movie", PW_KEY_APP_NAME, "Verbcast", PW_KEY_NODE_NAME, "verbcast",
        PW_KEY_MEDIA_NAME, wish_.title.c_str(), nullptr);
    pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%u/%u", wish_.quantum, wish_.rate);
    if (isOutput) {
        pw_properties_setf(properties, PW_KEY_NODE_RATE, "1/%u", wish_.rate);
    }
    peers_->describe(nodes, *properties);
    return properties;
}

void SoundStream::open(const SoundNodes& nodes) {
    const bool isOutput = wish_.direction == SoundDirection::Output;
    if (const std::string absence = peers_->absence(nodes); !absence.empty()) {
        return tell(absence);
    }
    channelsAsked_ = peers_->channels(nodes);
    problem_.clear();
    if (channelsAsked_.empty()) {  // its ports come later
        return lookLater(kLinkPatience);
    }
    error_.clear();
    reset_ = true;
    graphRate_ = 0;
    stream_.reset(pw_stream_new(core_, wish_.title.c_str(), properties(nodes)));
    if (!stream_) {
        return failed("pw_stream_new fails");
    }
    pw_stream_add_listener(stream_.get(), &listener_, &kEvents, this);
    const SoundOffer offer(isOutput ? SPA_AUDIO_FORMAT_F32 : SPA_AUDIO_FORMAT_F32P, isOutput ? wish_.rate : 0,
                           channelsAsked_);
    const auto flags = static_cast<pw_stream_flags>(peers_->flags() | PW_STREAM_FLAG_MAP_BUFFERS |
                                                    PW_STREAM_FLAG_RT_PROCESS);
    const spa_pod* pod = offer.pod();
    const int result = pw_stream_connect(stream_.get(), isOutput ? PW_DIRECTION_OUTPUT : PW_DIRECTION_INPUT,
                                         PW_ID_ANY, flags, &pod, 1);
    if (result < 0) {
        failed(fmt::format("pw_stream_connect: {}", spa_strerror(result)));
    }
    lookAtLink(nodes);
}

void SoundStream::close() {
    if (stream_) {
        spa_hook_remove(&listener_);
        pw_stream_destroy(stream_.get());  // the thread of data reads stream_ until this returns
        static_cast<void>(stream_.release());
    }
    device_.reset();
    rate_ = 0;
}

void SoundStream::agreed(const spa_pod* format) {
    spa_audio_info_raw info{};
    if (spa_format_audio_raw_parse(format, &info) < 0) {
        return;
    }
    const std::uint32_t count = std::min<std::uint32_t>(info.channels, SPA_AUDIO_MAX_CHANNELS);
    const bool positioned = (info.flags & SPA_AUDIO_FLAG_UNPOSITIONED) == 0;
    channels_ = count;
    layout_ = positioned ? layoutOf({info.position, info.position + count}) : 0;
    rate_ = info.rate;
    reset_ = true;
    client_->wake();
}

void SoundStream::stateIs(pw_stream_state state, const char* error) {
    if (state == PW_STREAM_STATE_ERROR || state == PW_STREAM_STATE_UNCONNECTED) {
        failed(error != nullptr ? error : "the stream was closed");
    }
    reset_ = true;
}

void SoundStream::failed(const std::string& error) {
    error_ = error;
    lookLater(std::min(kFirstRetry * (1 << std::min(failures_, 4)), kLinkPatience));
    ++failures_;
}

/// Session managers take a while to link a stream, and tell nothing if they cannot, or can again.
void SoundStream::lookLater(std::chrono::milliseconds time) {
    timespec after{time.count() / 1000, time.count() % 1000 * 1'000'000};
    pw_loop_update_timer(client_->innerLoop(), later_, &after, nullptr, false);
}

void SoundStream::looked() {
    if (core_ == nullptr || device_) {
        return;
    }
    if (!error_.empty()) {
        if (failures_ >= kFailuresToTell) {
            tell(fmt::format("PipeWire: {}", error_));
        }
        reopen();
    } else if (problem_.empty()) {
        tell("PipeWire has not linked the stream to a device: check that wireplumber runs");
    }
}

void SoundStream::tell(const std::string& problem) {
    problem_ = problem;
    if (!problem.empty() && problem != told_) {
        told_ = problem;
        wish_.told(problem);
    }
    client_->wake();
}

void SoundStream::lookAtLink(const SoundNodes& nodes) {
    device_ =
        stream_ && error_.empty() ? peers_->link(nodes, pw_stream_get_node_id(stream_.get())) : std::nullopt;
    if (device_) {
        failures_ = 0;
        tell("");
    } else if (const std::string absence = peers_->absence(nodes); !absence.empty()) {
        tell(absence);
    } else if (stream_ && error_.empty()) {
        lookLater(kLinkPatience);
    }
}

SoundStream::State SoundStream::state() const {
    const LoopLock lock(client_->loop());
    return {format(), device_.value_or(""), problem_};
}

bool SoundStream::awaitFormat(Deadline deadline) const {
    const LoopLock lock(client_->loop());
    return client_->await(deadline, [this] { return rate_ != 0; });
}

bool SoundStream::hasTarget() const {
    const LoopLock lock(client_->loop());
    const SoundNodes* const nodes = client_->nodes();
    return nodes != nullptr && peers_->hasTarget(*nodes);
}

SoundStream::Moment SoundStream::moment(pw_stream& stream, std::uint32_t samples) {
    pw_time time{};
    if (pw_stream_get_time_n(&stream, &time, sizeof time) < 0 || time.rate.denom == 0 || time.now == 0) {
        return {.at = nowNs()};
    }
    const bool isFirst = reset_.exchange(false, std::memory_order_relaxed);
    const double tick = kNsPerSecond * time.rate.num / time.rate.denom;
    const double sample = kNsPerSecond / rate_.load(std::memory_order_relaxed);
    const bool isOutput = wish_.direction == SoundDirection::Output;
    const double delay = static_cast<double>(time.delay) * tick +
                         static_cast<double>(time.buffered + (isOutput ? time.queued : 0)) * sample;
    if (std::exchange(graphRate_, time.rate.denom) != time.rate.denom && !isOutput && !isFirst) {
        pw_loop_signal_event(client_->innerLoop(), reopen_);  // the next stream has the new rate
    }
    const auto lasts = static_cast<std::uint64_t>(samples * sample / tick);
    const bool gap = !isFirst && time.ticks > expectedTicks_ + lasts / 2;
    expectedTicks_ = time.ticks + lasts;
    return {time.now + static_cast<TimestampNs>(isOutput ? delay : -delay), gap};
}

}  // namespace verbcast
