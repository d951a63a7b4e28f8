#include "capture/screen/portal/pipewire_stream.h"

#include <fmt/format.h>
#include <spa/debug/types.h>
#include <spa/param/video/format-utils.h>
#include <spa/param/video/type-info.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "capture/screen/portal/buffer_news.h"
#include "capture/screen/portal/stream_parameters.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::size_t kPixelBytes = 4;

constexpr const char* kCheckServices =
    "check that pipewire and wireplumber run: systemctl --user status pipewire wireplumber";

void initialise() {
    static std::once_flag once;
    std::call_once(once, [] {
        pw_init(nullptr, nullptr);
        if (std::getenv("PIPEWIRE_DEBUG") == nullptr) {
            pw_log_set_level(SPA_LOG_LEVEL_NONE);  // our errors report what matters
        }
    });
}

[[noreturn]] void throwProblem(const std::string& problem) {
    throw Error(ErrorKind::Display, problem, kCheckServices);
}

template <typename Handle>
void requireMade(const Handle& handle, const char* call) {
    if (!handle) {
        throwErrno(ErrorKind::Display, call, "PipeWire", errno, kCheckServices);
    }
}

class LoopLock {
  public:
    explicit LoopLock(pw_thread_loop* loop) : loop_(loop) { pw_thread_loop_lock(loop_); }
    ~LoopLock() { pw_thread_loop_unlock(loop_); }
    LoopLock(const LoopLock&) = delete;
    LoopLock& operator=(const LoopLock&) = delete;

  private:
    pw_thread_loop* loop_;
};

/// Sets how the viewer undoes the desktop's transform, which turns counter-clockwise.
void applyTransform(const spa_buffer& buffer, PictureLayout& layout) {
    const auto* meta = metaOf<spa_meta_videotransform>(buffer, SPA_META_VideoTransform);
    if (meta == nullptr || meta->transform > SPA_META_TRANSFORMATION_Flipped270) {
        return;
    }
    constexpr std::uint32_t kQuarters = 4;
    layout.rotation = static_cast<std::uint16_t>(meta->transform % kQuarters * 90);
    layout.mirrored = meta->transform >= SPA_META_TRANSFORMATION_Flipped;
}

/// The picture's part of the buffer; all of it unless the producer says otherwise. Returns nullopt if the
/// producer contradicts itself.
std::optional<spa_region> pictureIn(const spa_buffer& buffer, const PictureLayout& whole) {
    const auto* crop = metaOf<spa_meta_region>(buffer, SPA_META_VideoCrop);
    if (crop == nullptr || !spa_meta_region_is_valid(crop)) {
        return spa_region{{0, 0}, {whole.width, whole.height}};
    }
    const spa_region& part = crop->region;
    const bool fits = part.position.x >= 0 && part.position.y >= 0 &&
                      std::uint64_t(part.position.x) + part.size.width <= whole.width &&
                      std::uint64_t(part.position.y) + part.size.height <= whole.height;
    return fits ? std::optional(part) : std::nullopt;
}

}  // namespace

const pw_core_events PipeWireStream::kCoreEvents = [] {
    pw_core_events events{};
    events.version = PW_VERSION_CORE_EVENTS;
    events.error = [](void* self, std::uint32_t id, int, int result, const char* message) {
        // -ENOENT: an object that we used is gone; the consequences are reported elsewhere.
        if (id == PW_ID_CORE && result != -ENOENT) {
            static_cast<PipeWireStream*>(self)->fail(
                result == -EPIPE ? "PipeWire has ended" : fmt::format("PipeWire fails: {}", message));
        }
    };
    return events;
}();

const pw_registry_events PipeWireStream::kRegistryEvents = [] {
    pw_registry_events events{};
    events.version = PW_VERSION_REGISTRY_EVENTS;
    events.global_remove = [](void* data, std::uint32_t id) {
        auto* self = static_cast<PipeWireStream*>(data);
        if (id == self->node_) {
            self->end();
        }
    };
    return events;
}();

const pw_stream_events PipeWireStream::kStreamEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* self, pw_stream_state, pw_stream_state state, const char* error) {
        if (state == PW_STREAM_STATE_ERROR) {
            static_cast<PipeWireStream*>(self)->fail(fmt::format(
                "PipeWire cannot give the screen's picture: {}", error != nullptr ? error : "no reason"));
        }
    };
    events.param_changed = [](void* self, std::uint32_t id, const spa_pod* parameter) {
        if (id == SPA_PARAM_Format) {
            static_cast<PipeWireStream*>(self)->negotiated(parameter);
        }
    };
    events.remove_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PipeWireStream*>(self)->removed(buffer);
    };
    events.process = [](void* self) { static_cast<PipeWireStream*>(self)->process(); };
    return events;
}();

PipeWireStream::PipeWireStream(UniqueFd remote, std::uint32_t node, Rational fastest,
                               std::chrono::milliseconds patience, const Event* cancel)
    : node_(node) {
    initialise();
    loop_.reset(pw_thread_loop_new("verbcast-screen", nullptr));
    requireMade(loop_, "pw_thread_loop_new");
    context_.reset(pw_context_new(pw_thread_loop_get_loop(loop_.get()), nullptr, 0));
    requireMade(context_, "pw_context_new");
    if (const int result = pw_thread_loop_start(loop_.get()); result < 0) {
        throwErrno(ErrorKind::Resource, "pw_thread_loop_start", "PipeWire", -result);
    }
    running_.reset(loop_.get());
    connect(std::move(remote), fastest);
    agreed_ = awaitFormat(patience, cancel);
}

void PipeWireStream::connect(UniqueFd remote, Rational fastest) {
    const LoopLock lock(loop_.get());
    core_.reset(pw_context_connect_fd(context_.get(), remote.release(), nullptr, 0));
    requireMade(core_, "pw_context_connect_fd");
    pw_core_add_listener(core_.get(), &coreListener_, &kCoreEvents, this);
    registry_.reset(pw_core_get_registry(core_.get(), PW_VERSION_REGISTRY, 0));
    requireMade(registry_, "pw_core_get_registry");
    pw_registry_add_listener(registry_.get(), &registryListener_, &kRegistryEvents, this);
    stream_.reset(pw_stream_new(core_.get(), "verbcast",
                                pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY,
                                                  "Capture", PW_KEY_MEDIA_ROLE, "Screen", nullptr)));
    requireMade(stream_, "pw_stream_new");
    pw_stream_add_listener(stream_.get(), &streamListener_, &kStreamEvents, this);
    FormatOffer offer(fastest);
    const spa_pod* parameter = offer.pod();
    const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                                    PW_STREAM_FLAG_DONT_RECONNECT);
    const int result = pw_stream_connect(stream_.get(), PW_DIRECTION_INPUT, node_, flags, &parameter, 1);
    if (result < 0) {
        throwErrno(ErrorKind::Display, "pw_stream_connect", "the screen's node", -result, kCheckServices);
    }
}

PictureLayout PipeWireStream::awaitFormat(std::chrono::milliseconds patience, const Event* cancel) const {
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(patience).count();
    for (;;) {
        if (const auto layout = expected()) {
            return *layout;
        }
        if (hasEnded()) {
            throwProblem("the desktop has stopped the screen cast before its first picture");
        }
        const TimestampNs left = deadline - nowNs();
        if (cancel != nullptr && cancel->isSet()) {
            throwProblem("the screen's pictures were not waited for");
        }
        if (left <= 0 || !waitReadable({news_.descriptor(), cancel != nullptr ? cancel->descriptor() : -1},
                                       std::chrono::nanoseconds(left))) {
            throwProblem(fmt::format("PipeWire does not deliver the screen's pictures within {} s",
                                     std::chrono::ceil<std::chrono::seconds>(patience).count()));
        }
        clearNews();
    }
}

std::optional<PictureLayout> PipeWireStream::waiting() const {
    const LoopLock lock(loop_.get());
    return newest_.buffer != nullptr ? std::optional(newest_.layout) : std::nullopt;
}

std::optional<PictureLayout> PipeWireStream::expected() const {
    const LoopLock lock(loop_.get());
    return newest_.buffer != nullptr ? std::optional(newest_.layout) : format_;
}

bool PipeWireStream::hasEnded() const {
    const LoopLock lock(loop_.get());
    if (!problem_.empty()) {
        throwProblem(problem_);
    }
    return ended_;
}

std::optional<PipeWireStream::Taken> PipeWireStream::take(const PictureLayout& layout, std::byte* target) {
    const LoopLock lock(loop_.get());
    if (newest_.buffer == nullptr || newest_.layout != layout) {
        return std::nullopt;
    }
    const std::size_t rowBytes = std::size_t{layout.width} * kPixelBytes;
    if (newest_.stride == static_cast<std::ptrdiff_t>(rowBytes)) {
        std::memcpy(target, newest_.firstRow, rowBytes * layout.height);
    } else {
        for (std::uint32_t row = 0; row < layout.height; ++row) {
            std::memcpy(target + row * rowBytes,
                        newest_.firstRow + static_cast<std::ptrdiff_t>(row) * newest_.stride, rowBytes);
        }
    }
    const Taken taken{newest_.takenAt, std::exchange(changes_, PictureChanges::none())};
    pw_stream_queue_buffer(stream_.get(), newest_.buffer);
    newest_ = {};
    return taken;
}

void PipeWireStream::negotiated(const spa_pod* parameter) {
    format_.reset();
    if (parameter == nullptr) {
        return;
    }
    spa_video_info_raw info{};
    if (spa_format_video_raw_parse(parameter, &info) < 0) {
        return fail("PipeWire delivers the screen's picture in no known format");
    }
    const auto pixelFormat = pixelFormatOf(info.format);
    const auto isSendable = [](std::uint32_t length) {
        return length >= kMinDimension && length <= kMaxDimension;
    };
    if (!pixelFormat || !isSendable(info.size.width) || !isSendable(info.size.height)) {
        return fail(
            fmt::format("the screen's picture is {}x{} {}: 16x16 to 16384x16384 of 8 bits a colour can "
                        "be sent",
                        info.size.width, info.size.height,
                        spa_debug_type_find_short_name(spa_type_video_format, info.format)));
    }
    format_ =
        PictureLayout{.width = info.size.width, .height = info.size.height, .pixelFormat = *pixelFormat};
    BufferRequest request;
    pw_stream_update_params(stream_.get(), request.pods().data(),
                            static_cast<std::uint32_t>(request.pods().size()));
    news_.notify();
}

void PipeWireStream::process() {
    bool news = false;
    while (pw_buffer* buffer = pw_stream_dequeue_buffer(stream_.get())) {
        const std::optional<Picture> picture = understood(buffer);
        noteChanges(*buffer->buffer, picture);
        if (!picture) {
            pw_stream_queue_buffer(stream_.get(), buffer);
            continue;
        }
        if (newest_.buffer != nullptr) {
            pw_stream_queue_buffer(stream_.get(), newest_.buffer);
        }
        newest_ = *picture;
        news = true;
    }
    if (news) {
        news_.notify();
    }
}

std::optional<PipeWireStream::Picture> PipeWireStream::understood(pw_buffer* buffer) const {
    const spa_buffer& held = *buffer->buffer;
    if (!format_ || held.n_datas == 0 || held.datas[0].data == nullptr || isMarkedCorrupted(held)) {
        return std::nullopt;
    }
    const spa_data& data = held.datas[0];
    const auto part = pictureIn(held, *format_);
    if (!part || data.chunk->size == 0) {
        return std::nullopt;  // such as an update of the pointer only
    }
    // A negative stride means bottom-up; the rows are in memory all the same.
    const std::int64_t stride = data.chunk->stride;
    const std::int64_t least = std::int64_t{format_->width} * std::int64_t{kPixelBytes};
    const std::uint64_t offset = data.chunk->offset;
    const std::uint64_t bytes = static_cast<std::uint64_t>(std::abs(stride)) * (format_->height - 1) +
                                static_cast<std::uint64_t>(least);
    if (std::abs(stride) < least || offset > data.maxsize || bytes > data.maxsize - offset) {
        return std::nullopt;
    }
    Picture picture{.buffer = buffer, .layout = *format_};
    picture.layout.width = part->size.width;
    picture.layout.height = part->size.height;
    if (part->size.width < kMinDimension || part->size.height < kMinDimension) {
        return std::nullopt;  // a window too small for a stream
    }
    applyTransform(held, picture.layout);
    const auto* memory = static_cast<const std::byte*>(data.data) + offset;
    const auto* top = stride < 0 ? memory - stride * (std::int64_t{format_->height} - 1) : memory;
    picture.firstRow = top + part->position.y * stride + part->position.x * std::int64_t{kPixelBytes};
    picture.stride = stride;
    picture.origin = part->position;
    picture.takenAt = momentOf(held);
    return picture;
}

/// Adds a buffer's changes to those since the last picture taken. In doubt, everything has changed.
void PipeWireStream::noteChanges(const spa_buffer& buffer, const std::optional<Picture>& picture) {
    if (!picture) {
        // Its changes are lost, unless it is an update of the pointer only, which has no picture.
        changes_ = buffer.n_datas > 0 && buffer.datas[0].chunk->size == 0 ? changes_ : PictureChanges::all();
        return;
    }
    const bool followed = isNext(buffer, lastNumber_);
    const bool upright = picture->layout.rotation == 0 && !picture->layout.mirrored && picture->stride > 0;
    const spa_point before = std::exchange(changesOrigin_, picture->origin);
    const bool moved = before.x != picture->origin.x || before.y != picture->origin.y;
    if (std::exchange(changesLayout_, picture->layout) != picture->layout || moved || !followed || !upright) {
        changes_ = PictureChanges::all();
        return;
    }
    changes_.add(damageIn(buffer, picture->origin, picture->layout.width, picture->layout.height));
}

void PipeWireStream::removed(const pw_buffer* buffer) {
    if (newest_.buffer == buffer) {
        newest_ = {};
    }
}

void PipeWireStream::fail(const std::string& problem) {
    problem_ = problem_.empty() ? problem : problem_;
    news_.notify();
}

void PipeWireStream::end() {
    ended_ = true;
    news_.notify();
}

}  // namespace verbcast
