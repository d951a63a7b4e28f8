#include "tests/capture/screen/portal/picture_producer.h"

#include <spa/buffer/meta.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/base/os/clock.h"
#include "core/pipewire/loop_lock.h"
#include "tests/support/child_process.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kPodBytes = 2048;
// Nothing but the time that a test takes depends on it.
constexpr std::chrono::milliseconds kAgain{500};

enum class Choice { None, Open, Fixated };

const spa_pod* format(spa_pod_builder& builder, const ProducerOptions& options, Choice modifier) {
    spa_pod_frame object{}, choice{};
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(&builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
                        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
                        SPA_POD_Id(SPA_VIDEO_FORMAT_BGRx), 0);
    if (modifier == Choice::Open) {
        spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_modifier,
                             SPA_POD_PROP_FLAG_MANDATORY | SPA_POD_PROP_FLAG_DONT_FIXATE);
        spa_pod_builder_push_choice(&builder, &choice, SPA_CHOICE_Enum, 0);
        spa_pod_builder_long(&builder, options.modifier);
        spa_pod_builder_long(&builder, options.modifier);
        spa_pod_builder_pop(&builder, &choice);
    } else if (modifier == Choice::Fixated) {
        spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_modifier, SPA_POD_PROP_FLAG_MANDATORY);
        spa_pod_builder_long(&builder, options.modifier);
    }
    const spa_rectangle size{options.width, options.height};
    const spa_fraction whenItChanges{0, 1}, most{1000, 1};
    spa_pod_builder_add(&builder, SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), SPA_FORMAT_VIDEO_framerate,
                        SPA_POD_Fraction(&whenItChanges), SPA_FORMAT_VIDEO_maxFramerate,
                        SPA_POD_CHOICE_RANGE_Fraction(&most, &whenItChanges, &most), 0);
    return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
}

}  // namespace

const pw_stream_events PictureProducer::kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* data, pw_stream_state, pw_stream_state state, const char*) {
        auto* self = static_cast<PictureProducer*>(data);
        self->state_ = state;
        self->signal();
    };
    events.param_changed = [](void* data, std::uint32_t id, const spa_pod* parameter) {
        if (id == SPA_PARAM_Format && parameter != nullptr) {
            static_cast<PictureProducer*>(data)->negotiated(parameter);
        }
    };
    events.add_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PictureProducer*>(self)->add(buffer);
    };
    events.remove_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PictureProducer*>(self)->remove(buffer);
    };
    events.trigger_done = [](void* data) {
        auto* self = static_cast<PictureProducer*>(data);
        ++self->done_;
        self->signal();
    };
    return events;
}();

PictureProducer::PictureProducer(UniqueFd remote, const ProducerOptions& options) : options_(options) {
    pw_init(nullptr, nullptr);
    loop_.reset(pw_thread_loop_new("producer", nullptr));
    context_.reset(pw_context_new(pw_thread_loop_get_loop(loop_.get()), nullptr, 0));
    if (!context_ || pw_thread_loop_start(loop_.get()) < 0) {
        throw std::runtime_error("the producer cannot use PipeWire");
    }
    running_.reset(loop_.get());
    const LoopLock lock(loop_.get());
    core_.reset(pw_context_connect_fd(context_.get(), remote.release(), nullptr, 0));
    if (!core_) {
        throw std::runtime_error("the producer does not reach PipeWire");
    }
    stream_.reset(pw_stream_new(core_.get(), "producer",
                                pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source", nullptr)));
    pw_stream_add_listener(stream_.get(), &listener_, &kEvents, this);
    std::array<std::uint8_t, kPodBytes> memory{};
    spa_pod_builder builder{};
    spa_pod_builder_init(&builder, memory.data(), kPodBytes);
    auto offered = formats(builder);
    const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_ALLOC_BUFFERS);
    if (pw_stream_connect(stream_.get(), PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, offered.data(),
                          static_cast<std::uint32_t>(offered.size())) < 0 ||
        !await([this] { return pw_stream_get_node_id(stream_.get()) != SPA_ID_INVALID; })) {
        throw std::runtime_error("PipeWire does not take the producer");
    }
    node_ = pw_stream_get_node_id(stream_.get());
}

/// With the lock. False if it has not happened in time.
template <typename Done>
bool PictureProducer::await(Done&& done, std::chrono::nanoseconds patience) const {
    timespec until{};
    pw_thread_loop_get_time(loop_.get(), &until, patience.count());
    while (!done()) {
        if (pw_thread_loop_timed_wait_full(loop_.get(), &until) != 0) {
            return done();
        }
    }
    return true;
}

std::vector<const spa_pod*> PictureProducer::formats(spa_pod_builder& builder) const {
    std::vector<const spa_pod*> offered;
    if (options_.offersDmaBufs && !withdrawn_) {
        if (fixated_) {
            offered.push_back(format(builder, options_, Choice::Fixated));
        }
        offered.push_back(format(builder, options_, Choice::Open));
    }
    offered.push_back(format(builder, options_, Choice::None));
    return offered;
}

void PictureProducer::offer() {
    std::array<std::uint8_t, kPodBytes> memory{};
    spa_pod_builder builder{};
    spa_pod_builder_init(&builder, memory.data(), kPodBytes);
    auto offered = formats(builder);
    pw_stream_update_params(stream_.get(), offered.data(), static_cast<std::uint32_t>(offered.size()));
}

void PictureProducer::negotiated(const spa_pod* agreed) {
    const spa_pod_prop* modifier = spa_pod_find_prop(agreed, nullptr, SPA_FORMAT_VIDEO_modifier);
    if (modifier != nullptr && (modifier->flags & SPA_POD_PROP_FLAG_DONT_FIXATE) != 0) {
        fixated_ = !options_.withdraws;
        withdrawn_ = options_.withdraws;
        return offer();
    }
    spa_video_info_raw info{};
    spa_format_video_raw_parse(agreed, &info);
    agreedWidth_ = info.size.width;
    agreedHeight_ = info.size.height;
    inDmaBufs_ = modifier != nullptr;
    askForBuffers();
    signal();
}

void PictureProducer::askForBuffers() {
    std::array<std::uint8_t, kPodBytes> memory{};
    spa_pod_builder builder{};
    spa_pod_builder_init(&builder, memory.data(), kPodBytes);
    spa_pod_frame object{};
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers);
    spa_pod_builder_add(&builder, SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(2, 2, options_.most),
                        SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
                        SPA_POD_Int(static_cast<int>(bytes())), SPA_PARAM_BUFFERS_stride,
                        SPA_POD_Int(static_cast<int>(stride())), SPA_PARAM_BUFFERS_dataType,
                        SPA_POD_CHOICE_FLAGS_Int(1 << (inDmaBufs_ ? SPA_DATA_DmaBuf : SPA_DATA_MemFd)), 0);
    const spa_pod* buffers = static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
    pw_stream_update_params(stream_.get(), &buffers, 1);
}

void PictureProducer::add(pw_buffer* buffer) {
    spa_data& data = buffer->buffer->datas[0];
    Buffer made{.buffer = buffer, .descriptor = {}, .bytes = bytes()};
    if (inDmaBufs_) {
        made.descriptor = options_.makeBuffer(bytes());
    } else {
        made.descriptor.reset(::memfd_create("shared", MFD_CLOEXEC));
        if (::ftruncate(made.descriptor.get(), static_cast<off_t>(bytes())) != 0) {
            throw std::runtime_error("ftruncate");
        }
    }
    void* const memory =
        ::mmap(nullptr, made.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.descriptor.get(), 0);
    if (memory == MAP_FAILED) {
        throw std::runtime_error("the producer cannot map its buffer");
    }
    made.memory = static_cast<std::byte*>(memory);
    data.type = inDmaBufs_ ? SPA_DATA_DmaBuf : SPA_DATA_MemFd;
    data.flags = SPA_DATA_FLAG_READWRITE;
    data.fd = made.descriptor.get();
    data.mapoffset = 0;
    data.maxsize = static_cast<std::uint32_t>(bytes());
    data.data = nullptr;
    buffers_.push_back(std::move(made));
    signal();
}

void PictureProducer::remove(const pw_buffer* buffer) {
    std::erase_if(buffers_, [&](const Buffer& each) {
        if (each.buffer == buffer) {
            ::munmap(each.memory, each.bytes);
        }
        return each.buffer == buffer;
    });
    ++removed_;
    signal();
}

std::uint32_t PictureProducer::pixel(std::uint32_t seed, std::uint32_t x, std::uint32_t y) {
    return (seed * 2654435761U + y * 40503U + x * 9973U) & 0xFFFFFFU;
}

void PictureProducer::paint(pw_buffer* buffer, std::uint32_t seed) {
    const auto found =
        std::ranges::find_if(buffers_, [&](const Buffer& each) { return each.buffer == buffer; });
    options_.beforeDrawing(found->descriptor.get());
    for (std::uint32_t y = 0; y < options_.height; ++y) {
        for (std::uint32_t x = 0; x < options_.width; ++x) {
            const std::uint32_t value = pixel(seed, x, y);
            std::memcpy(found->memory + options_.offset + std::size_t{y} * stride() + std::size_t{x} * 4,
                        &value, sizeof value);
        }
    }
    spa_chunk& chunk = *buffer->buffer->datas[0].chunk;
    chunk.offset = options_.offset;
    chunk.stride = static_cast<std::int32_t>(stride());
    chunk.size = static_cast<std::uint32_t>(bytes() - options_.offset);
    chunk.flags = SPA_CHUNK_FLAG_NONE;
}

/// Runs a cycle and waits for its end, or for other buffers. Each cycle tells its end; one without a picture
/// tells its beginning, too. A cycle that begins before both nodes are in PipeWire's graph is ignored, or
/// stays unfinished until the next one begins (node_ready() of its impl-node.c), and no event tells that: so
/// another is begun. That may leave "done"s over, and a picture on its way, which nudge() moves on.
void PictureProducer::runCycle(bool withPicture) {
    const std::uint64_t enough = done_ + (withPicture ? 1 : 2), given = removed_;
    const auto ended = [&] { return done_ >= enough || removed_ != given || !isStreaming(); };
    const auto deadline = TestClock::now() + kPatience;
    do {
        pw_stream_trigger_process(stream_.get());
    } while (!await(ended, kAgain) && TestClock::now() < deadline);
}

bool PictureProducer::draw(std::uint32_t seed) {
    const LoopLock lock(loop_.get());
    const auto deadline = TestClock::now() + kPatience;
    pw_buffer* buffer = nullptr;
    while (buffer == nullptr) {
        if (!await([this] { return isStreaming(); })) {
            throw std::runtime_error("nobody takes the producer's pictures");
        }
        if (!std::exchange(triggers_, true)) {
            runCycle(false);  // from the first trigger on, queued buffers do not trigger by themselves
            continue;         // there may be other buffers now
        }
        for (const Buffer& each : buffers_) {
            if (void* busy =
                    spa_buffer_find_meta_data(each.buffer->buffer, SPA_META_Busy, sizeof(spa_meta_busy));
                busy != nullptr && options_.ignoresUsers) {
                static_cast<spa_meta_busy*>(busy)->count = 0;
            }
        }
        buffer = pw_stream_dequeue_buffer(stream_.get());
        if (buffer == nullptr) {
            if (TestClock::now() >= deadline) {
                return false;
            }
            runCycle(false);  // a consumer returns one buffer in each
        }
    }
    paint(buffer, seed);
    pw_stream_queue_buffer(stream_.get(), buffer);
    runCycle(true);
    return true;
}

void PictureProducer::nudge() {
    const LoopLock lock(loop_.get());
    if (isStreaming()) {
        pw_stream_trigger_process(stream_.get());
    }
}

void PictureProducer::resize(std::uint32_t width, std::uint32_t height) {
    const LoopLock lock(loop_.get());
    options_.width = width;
    options_.height = height;
    offer();
    if (!await([&] { return agreedWidth_ == width && agreedHeight_ == height; })) {
        throw std::runtime_error("nobody agrees on the new size");
    }
}

bool PictureProducer::inDmaBufs() const {
    const LoopLock lock(loop_.get());
    return inDmaBufs_;
}

std::size_t PictureProducer::bufferCount() const {
    const LoopLock lock(loop_.get());
    return buffers_.size();
}

std::vector<std::uint64_t> PictureProducer::inodes() const {
    const LoopLock lock(loop_.get());
    std::vector<std::uint64_t> numbers;
    for (const Buffer& buffer : buffers_) {
        struct stat status {};
        ::fstat(buffer.descriptor.get(), &status);
        numbers.push_back(status.st_ino);
    }
    return numbers;
}

}  // namespace verbcast::testing
