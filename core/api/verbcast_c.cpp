// The C interface on Broadcast, FramePool and the log: checks arguments, turns exceptions into VC_ERROR.
#include "core/api/verbcast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/api/log_levels.h"
#include "core/api/sized_struct.h"
#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/os/event.h"
#include "core/base/version.h"
#include "core/session/trust/pairing.h"
#include "core/stream/broadcast.h"
#include "core/stream/sound_slots.h"
#include "core/transport/url.h"
#include "core/video/picture_changes.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_sender_options>{"vc_sender_options", "VC_SENDER_OPTIONS_INIT",
                                                                offsetof(vc_sender_options, policy)};
template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_frame>{"vc_frame", "VC_FRAME_INIT", offsetof(vc_frame, pts)};
template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_sound>{"vc_sound", "VC_SOUND_INIT", sizeof(vc_sound)};
template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_input>{"vc_input", "VC_INPUT_INIT", sizeof(vc_input)};

/// What a vc_sender points to.
struct vc_sender {
    explicit vc_sender(const SenderOptions& senderOptions) : options(senderOptions), sender(senderOptions) {
        addresses = fmt::format("{}", fmt::join(sender.listenAddresses(), ","));
    }

    SenderOptions options;
    Broadcast sender;
    std::string addresses;
    Event never;  // nobody cancels
    VideoFormat format;
    std::shared_ptr<FramePool> pool;  // shared with the frames in flight
    std::int64_t nextPts = 0;
    SoundSlots soundSlots;
    std::vector<ViewerInput> input;  // taken but not yet returned; from inputNext on
    std::size_t inputNext = 0;
};

namespace {

/// Behind vc_frame::reserved.
struct AcquiredFrame {
    FrameLease lease;
    TimestampNs capturedAt;
};

thread_local std::string lastError;

/// Runs work(). If it throws, vc_error() tells why, and `failed` is returned.
template <typename Result, typename Work>
Result guarded(Result failed, Work&& work) noexcept {
    try {
        lastError.clear();
        return work();
    } catch (const Error& error) {
        lastError = error.remedy().empty() ? std::string(error.what())
                                           : fmt::format("{}; try: {}", error.what(), error.remedy());
    } catch (const std::exception& error) {
        lastError = error.what();
    }
    return failed;
}

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::Usage, what);
}

void require(bool condition, const char* what) {
    if (!condition) {
        refuse(what);
    }
}

std::chrono::nanoseconds timeoutFrom(int milliseconds) {
    return milliseconds < 0 ? std::chrono::nanoseconds::max()
                            : std::chrono::nanoseconds(std::chrono::milliseconds(milliseconds));
}

vc_status statusFrom(Status status) {
    switch (status) {
        case Status::Ok:
            return VC_OK;
        case Status::Busy:
            return VC_BUSY;
        case Status::Closed:
            return VC_CLOSED;
        case Status::TimedOut:
        case Status::Cancelled:
            break;
    }
    return VC_TIMEOUT;
}

PixelFormat pixelFormatFrom(const char* name) {
    if (const auto format = pixelFormatByName(name)) {
        return *format;
    }
    throw Error(ErrorKind::Usage, fmt::format("{}: unknown pixel format", name),
                "one of " + pixelFormatNames());
}

/// Paired hosts always prove their key, so it has to be known even where anybody is let in.
void admitPairedHosts(Trust& trust) {
    try {
        const PairedHosts hosts(PairedHosts::defaultPath());
        static_cast<void>(hosts.list());  // better now than when a host calls
        trust.book = std::make_shared<PairingBook>(hosts, trust.grants, logInvitation);
        trust.onProven = [hosts](const std::string& keyName) { hosts.noteSeen(keyName); };
    } catch (const Error& error) {
        log().warn("paired hosts are not known: {}", error.what());
    }
}

SenderOptions senderOptions(const vc_sender_options& given) {
    SenderOptions options;
    if (given.url != nullptr) {
        options.url = parseUrl(given.url);
    }
    options.listen = given.connect == 0;
    options.policy = given.policy == VC_LOSSLESS ? Policy::Lossless : Policy::Latest;
    options.slots = given.slots != 0 ? given.slots : options.slots;
    options.poll = given.poll != 0;
    options.allowInput = given.allow_input != 0;
    options.hasSound = given.sound != 0;
    options.name = given.name != nullptr ? given.name : "";
    if (given.key_file != nullptr) {
        options.trust.key = NamedKey{kSharedKeyName, SessionKey::fromFile(given.key_file)};
    }
    options.trust.encrypt = given.encrypt != 0;
    options.trust.open = given.open != 0;
    if (options.trust.open && options.listen && !options.trust.key) {
        admitPairedHosts(options.trust);
    }
    if (options.trust.encrypt && !options.trust.key) {
        throw Error(ErrorKind::Usage, "vc_sender_options.encrypt needs a key", "set key_file");
    }
    return options;
}

static_assert(std::extent_v<decltype(vc_frame::planes)> == kMaxPlanes, "the C interface shows every plane");

vc_frame frameAt(std::byte* data, const VideoFormat& format) {
    vc_frame frame = VC_FRAME_INIT;
    const std::size_t planes = pixelFormatInfo(format.pixelFormat).planeCount;
    for (std::size_t plane = 0; plane < planes; ++plane) {
        frame.planes[plane] = reinterpret_cast<uint8_t*>(data + format.planes[plane].offset);
        frame.strides[plane] = format.planes[plane].stride;
        frame.rows[plane] = planeRows(format, plane);
    }
    frame.bytes = format.payloadBytes;
    return frame;
}

/// What the caller says changed. Throws Error{Usage} for parts outside the picture.
PictureChanges changesFrom(const vc_frame& frame, const VideoFormat& format) {
    if (frame.changed == nullptr) {
        require(frame.changed_count == 0, "vc_frame.changed_count is set, and vc_frame.changed is NULL");
        return PictureChanges::all();
    }
    PictureChanges changes = PictureChanges::none();
    for (const vc_rect& rect : std::span(frame.changed, frame.changed_count)) {
        if (std::uint64_t{rect.x} + rect.width > format.width ||
            std::uint64_t{rect.y} + rect.height > format.height) {
            refuse(fmt::format("vc_frame.changed: {}x{} at {},{} is not inside the picture of {}x{}",
                               rect.width, rect.height, rect.x, rect.y, format.width, format.height));
        }
        changes.add(FrameRect{static_cast<std::uint16_t>(rect.x), static_cast<std::uint16_t>(rect.y),
                              static_cast<std::uint16_t>(rect.width),
                              static_cast<std::uint16_t>(rect.height)});
    }
    return changes;
}

/// Throws Error{Usage} for sound that cannot be sent.
SoundFormat soundFormatOf(const vc_sound& sound) {
    SoundFormat format{.rate = sound.rate, .layout = sound.layout};
    format.channels = static_cast<std::uint16_t>(std::min<std::uint32_t>(sound.channels, UINT16_MAX));
    format.maxSamples = static_cast<std::uint16_t>(std::clamp(sound.rate, kMinSoundRate, kMaxSoundRate) /
                                                   kSoundBlocksPerSecond);
    if (const auto problem = soundFormatProblem(format)) {
        refuse("vc_sound: " + *problem);
    }
    return format;
}

/// The nearest sample.
std::int64_t samplesAt(std::int64_t nanoseconds, std::uint32_t rate) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = nanoseconds / kSecond;
    return seconds * rate + std::llround(static_cast<double>(nanoseconds % kSecond) * rate / kSecond);
}

std::int64_t durationOf(std::uint64_t samples, std::uint32_t rate) {
    return static_cast<std::int64_t>(samples * 1'000'000'000ULL / rate);
}

/// Copies `count` samples of each channel, from `first` on, one channel after the other.
void copyPlanar(const vc_sound& sound, std::uint64_t first, std::uint64_t count, float* target) {
    for (std::uint32_t channel = 0; channel < sound.channels; ++channel) {
        if (sound.planes != nullptr) {
            target = std::copy_n(sound.planes[channel] + first, count, target);
            continue;
        }
        for (std::uint64_t i = first; i < first + count; ++i) {
            *target++ = sound.interleaved[i * sound.channels + channel];
        }
    }
}

/// Throws Error{Usage} unless the samples of every channel are there.
void checkSamples(const vc_sound& sound) {
    require((sound.interleaved == nullptr) != (sound.planes == nullptr),
            "vc_sound: set either interleaved or planes");
    require(sound.planes == nullptr || std::count(sound.planes, sound.planes + sound.channels, nullptr) == 0,
            "vc_sound.planes: a pointer for each channel expected, NULL given");
    require(sound.captured_at >= 0 && sound.captured_at <= nowNs(),
            "vc_sound.captured_at: a time of CLOCK_MONOTONIC before now expected");
}

/// Live: a block for which there is no slot is left out.
Status sendBlock(vc_sender& s, const vc_sound& sound, const SoundFormat& format, std::uint64_t first,
                 std::uint64_t count) {
    const bool live = mayDrop(s.options.policy);
    auto slot = s.soundSlots.acquire(format, timeoutFrom(live ? 0 : -1));
    if (!slot) {
        return Status::Ok;
    }
    copyPlanar(sound, first, count, reinterpret_cast<float*>(slot->data()));
    FrameInfo info;
    info.track = kSoundTrack;
    info.pts = samplesAt(sound.time, sound.rate) + static_cast<std::int64_t>(first);
    info.capturedAt = sound.captured_at == 0 ? nowNs() : sound.captured_at + durationOf(first, sound.rate);
    return s.sender.submit(std::move(*slot), TrackFormat::ofSound(format), format.bytes(count), info,
                           s.never);
}

/// In as few blocks as may be, of equal length or one sample more.
Status sendSound(vc_sender& s, const vc_sound& sound) {
    const SoundFormat format = soundFormatOf(sound);
    if (sound.samples == 0) {
        return Status::Ok;
    }
    checkSamples(sound);
    const std::uint64_t blocks = (sound.samples + format.maxSamples - 1ULL) / format.maxSamples;
    Status status = Status::Ok;
    std::uint64_t first = 0;
    for (std::uint64_t block = 1; block <= blocks && status == Status::Ok; ++block) {
        const std::uint64_t end = sound.samples * block / blocks;
        status = sendBlock(s, sound, format, first, end - first);
        first = end;
    }
    return status;
}

vc_input inputFrom(const ViewerInput& in) {
    vc_input out = VC_INPUT_INIT;
    out.kind = static_cast<vc_input_kind>(in.event.kind);
    out.pressed = in.event.pressed ? 1 : 0;
    out.code = in.event.code;
    out.x = in.event.x;
    out.y = in.event.y;
    out.dx = in.event.dx;
    out.dy = in.event.dy;
    out.serial = in.serial;
    out.viewer = in.viewer;
    static_assert(sizeof out.data == kMaxInputData);
    out.data_bytes = static_cast<std::uint32_t>(std::min(in.event.data.size(), sizeof out.data));
    std::copy_n(reinterpret_cast<const std::uint8_t*>(in.event.data.data()), out.data_bytes, out.data);
    return out;
}

/// Returns false if nothing came in time.
bool awaitInput(vc_sender& s, std::chrono::nanoseconds timeout) {
    if (s.inputNext < s.input.size()) {
        return true;
    }
    s.input.clear();
    s.inputNext = 0;
    const auto taken = [&s] {
        s.sender.takeInput(s.input);
        return !s.input.empty();
    };
    return waitFor(s.sender.inputAvailable(), taken, Deadline::in(timeout)) == Status::Ok;
}

/// Not locked: the log hands over one message at a time.
class CallbackSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    CallbackSink(vc_log_callback callback, void* user) : callback_(callback), user_(user) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text(message.payload.data(), message.payload.size());
        callback_(user_, logLevelFrom(message.level), text.c_str());
    }
    void flush_() override {}

    vc_log_callback callback_;
    void* user_;
};

void clear(vc_frame* frame) {
    fillSized<vc_frame>(frame, VC_FRAME_INIT);
}

}  // namespace

extern "C" {

const char* vc_error(void) {
    return lastError.c_str();
}

void vc_set_error(const char* text) {
    lastError = text != nullptr ? text : "";
}

const char* vc_version(void) {
    return kVersion;
}

vc_sender* vc_sender_open(const vc_sender_options* options) {
    return guarded<vc_sender*>(nullptr, [&] {
        require(options != nullptr, "vc_sender_open: options expected, NULL given");
        return new vc_sender(senderOptions(readSized(options)));
    });
}

void vc_sender_close(vc_sender* sender) {
    delete sender;
}

const char* vc_sender_addresses(vc_sender* sender) {
    return sender != nullptr ? sender->addresses.c_str() : "";
}

uint32_t vc_sender_receivers(vc_sender* sender) {
    return sender != nullptr ? static_cast<uint32_t>(sender->sender.receiverCount()) : 0;
}

vc_status vc_sender_wait(vc_sender* sender, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr, "vc_sender_wait: a sender expected, NULL given");
        return statusFrom(sender->sender.waitForReceiver(timeoutFrom(timeout_ms), sender->never));
    });
}

vc_status vc_sender_format(vc_sender* sender, const char* pixel_format, uint32_t width, uint32_t height,
                           int32_t fps_numerator, int32_t fps_denominator) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr && pixel_format != nullptr,
                "vc_sender_format: a sender and a pixel format expected, NULL given");
        require(fps_numerator > 0 && fps_denominator > 0, "the frame rate must be above 0");
        VideoFormat format = tightFormat(width, height, pixelFormatFrom(pixel_format));
        format.frameRate = {fps_numerator, fps_denominator};
        format.timeBase = {fps_denominator, fps_numerator};
        if (!sender->pool || sender->pool->slotBytes() < format.payloadBytes) {
            sender->pool.reset();
            // One more than may be in flight: the one that the caller fills.
            sender->pool =
                FramePool::create({.slotBytes = format.payloadBytes, .slotCount = sender->options.slots + 1});
        }
        sender->format = format;
        return VC_OK;
    });
}

vc_status vc_frame_acquire(vc_sender* sender, vc_frame* frame, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr && frame != nullptr,
                "vc_frame_acquire: a sender and a frame expected, NULL given");
        checkedSize(frame);
        require(frame->reserved == nullptr, "vc_frame_acquire: the frame is acquired: submit or discard it");
        require(sender->pool != nullptr, "vc_frame_acquire: call vc_sender_format() first");
        auto lease = sender->pool->acquire(timeoutFrom(timeout_ms));
        if (!lease) {
            clear(frame);
            return VC_TIMEOUT;
        }
        auto acquired = std::make_unique<AcquiredFrame>(AcquiredFrame{std::move(*lease), nowNs()});
        vc_frame filled = frameAt(acquired->lease.data(), sender->format);
        filled.pts = sender->nextPts;
        filled.reserved = acquired.release();
        fillSized(frame, filled);
        return VC_OK;
    });
}

vc_status vc_frame_submit(vc_sender* sender, vc_frame* frame) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr && frame != nullptr,
                "vc_frame_submit: a sender and a frame expected, NULL given");
        vc_frame defaults = VC_FRAME_INIT;
        defaults.pts = sender->nextPts;
        const vc_frame given = readSized(frame, defaults);
        auto* acquired = static_cast<AcquiredFrame*>(given.reserved);
        require(acquired != nullptr, "the frame was not acquired, or submitted already");
        require(acquired->lease.pool() == sender->pool, "the frame is of a format before the last");
        FrameInfo info;
        info.pts = given.pts;
        info.capturedAt = acquired->capturedAt;
        info.inputSequence = given.input_serial;
        changesFrom(given, sender->format).tellIn(info);
        const Status status =
            sender->sender.submit(std::move(acquired->lease), sender->format, info, sender->never);
        if (status != Status::Busy) {
            sender->nextPts = given.pts + 1;
            delete acquired;
            clear(frame);
        }
        return statusFrom(status);
    });
}

void vc_frame_discard(vc_sender* /*sender*/, vc_frame* frame) {
    if (frame != nullptr && hasSize(frame)) {
        delete static_cast<AcquiredFrame*>(frame->reserved);
        clear(frame);
    }
}

vc_status vc_sender_send_sound(vc_sender* sender, const vc_sound* sound) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr && sound != nullptr,
                "vc_sender_send_sound: a sender and sound expected, NULL given");
        require(sender->options.hasSound,
                "vc_sender_send_sound: the sender was opened without vc_sender_options.sound");
        return statusFrom(sendSound(*sender, readSized(sound)));
    });
}

vc_status vc_sender_finish(vc_sender* sender, const char* reason, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr, "vc_sender_finish: a sender expected, NULL given");
        return statusFrom(sender->sender.finish(reason != nullptr ? reason : "end of stream",
                                                timeoutFrom(timeout_ms), sender->never));
    });
}

vc_status vc_input_take(vc_sender* sender, vc_input* event, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(sender != nullptr && event != nullptr,
                "vc_input_take: a sender and an event expected, NULL given");
        require(sender->options.allowInput, "vc_input_take: the sender was opened without allow_input");
        checkedSize(event);
        if (!awaitInput(*sender, timeoutFrom(timeout_ms))) {
            return VC_TIMEOUT;
        }
        fillSized(event, inputFrom(sender->input[sender->inputNext++]));
        return VC_OK;
    });
}

void vc_set_log(vc_log_callback callback, void* user, vc_log_level level) {
    try {
        setLogSink(nullptr);  // the previous callback gets nothing that the new level lets through
        setLogLevel(logLevelFrom(level));
        if (callback != nullptr) {
            setLogSink(std::make_shared<CallbackSink>(callback, user));
        }
    } catch (const std::exception&) {
        // No memory for it: the library stays silent.
    }
}

void vc_log(vc_log_level level, const char* message) {
    if (message != nullptr) {
        log().log(logLevelFrom(level), "{}", message);  // catches what a sink throws
    }
}

}  // extern "C"
