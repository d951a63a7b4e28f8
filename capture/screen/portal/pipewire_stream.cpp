#include "capture/screen/portal/pipewire_stream.h"

#include <fmt/format.h>
#include <spa/debug/types.h>
#include <spa/param/video/format-utils.h>
#include <spa/param/video/type-info.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/memory/dma_buf.h"
#include "core/pipewire/loop_lock.h"

namespace verbcast {
namespace {

// One that it draws into, two on their way, and one to spare: producers try their buffers in turn, and leave
// a picture out when the next one is in use.
constexpr std::uint32_t kLeftToProducer = 4;

[[noreturn]] void throwProblem(const std::string& problem) {
    throw Error(ErrorKind::Display, problem, kCheckPipeWire);
}

template <typename Handle>
void requireMade(const Handle& handle, const char* call) {
    if (!handle) {
        throwErrno(ErrorKind::Display, call, "PipeWire", errno, kCheckPipeWire);
    }
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
        if (id == self->node_.id) {
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
    events.add_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PipeWireStream*>(self)->added(buffer);
    };
    events.remove_buffer = [](void* self, pw_buffer* buffer) {
        static_cast<PipeWireStream*>(self)->removed(buffer);
    };
    events.process = [](void* self) { static_cast<PipeWireStream*>(self)->process(); };
    return events;
}();

PipeWireStream::PipeWireStream(UniqueFd remote, const PipeWireNode& node, std::chrono::milliseconds patience,
                               const Event* cancel)
    : node_(node) {
    initialisePipeWire();
    loop_.reset(pw_thread_loop_new("verbcast-screen", nullptr));
    requireMade(loop_, "pw_thread_loop_new");
    context_.reset(pw_context_new(pw_thread_loop_get_loop(loop_.get()), nullptr, 0));
    requireMade(context_, "pw_context_new");
    if (const int result = pw_thread_loop_start(loop_.get()); result < 0) {
        throwErrno(ErrorKind::Resource, "pw_thread_loop_start", "PipeWire", -result);
    }
    running_.reset(loop_.get());
    connect(std::move(remote));
    agreed_ = awaitFormat(patience, cancel);
}

void PipeWireStream::connect(UniqueFd remote) {
    const LoopLock lock(loop_.get());
    // Goes with the loop.
    const auto collect = [](void* self, int, std::uint32_t) {
        static_cast<PipeWireStream*>(self)->collectReturned();
    };
    requireMade(pw_loop_add_io(pw_thread_loop_get_loop(loop_.get()), returned_->descriptor(), SPA_IO_IN,
                               false, collect, this),
                "pw_loop_add_io");
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
    FormatOffer offer(node_.fastest, node_.inDmaBufs);
    const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                                    PW_STREAM_FLAG_DONT_RECONNECT);
    const int result =
        pw_stream_connect(stream_.get(), PW_DIRECTION_INPUT, node_.id, flags, offer.data(), offer.count());
    if (result < 0) {
        throwErrno(ErrorKind::Display, "pw_stream_connect", "the screen's node", -result, kCheckPipeWire);
    }
}

PictureLayout PipeWireStream::awaitFormat(std::chrono::milliseconds patience, const Event* cancel) const {
    const Deadline deadline = Deadline::in(patience);
    for (;;) {
        if (const auto layout = expected()) {
            return *layout;
        }
        if (hasEnded()) {
            throwProblem("the desktop has stopped the screen cast before its first picture");
        }
        if (cancel != nullptr && cancel->isSet()) {
            throwProblem("the screen's pictures were not waited for");
        }
        if (deadline.passed() ||
            !waitReadable({news_.descriptor(), cancel != nullptr ? cancel->descriptor() : -1}, deadline)) {
            throwProblem(fmt::format("PipeWire does not deliver the screen's pictures within {} s",
                                     std::chrono::ceil<std::chrono::seconds>(patience).count()));
        }
        clearNews();
    }
}

std::optional<PipeWireStream::Waiting> PipeWireStream::waiting() const {
    const LoopLock lock(loop_.get());
    return newest_.buffer != nullptr ? std::optional(Waiting{newest_.rows.layout, newest_.slot.has_value()})
                                     : std::nullopt;
}

std::optional<PictureLayout> PipeWireStream::expected() const {
    const LoopLock lock(loop_.get());
    return newest_.buffer != nullptr ? std::optional(newest_.rows.layout) : format_;
}

bool PipeWireStream::hasEnded() const {
    const LoopLock lock(loop_.get());
    if (!problem_.empty()) {
        throw Error(ErrorKind::Display, problem_, kCheckPipeWire);
    }
    return ended_;
}

std::optional<PipeWireStream::Taken> PipeWireStream::take(const PictureLayout& layout, std::byte* target) {
    const LoopLock lock(loop_.get());
    if (newest_.buffer == nullptr || newest_.slot || newest_.rows.layout != layout) {
        return std::nullopt;
    }
    copyRows(newest_.rows, static_cast<const std::byte*>(newest_.buffer->buffer->datas[0].data), target);
    const Taken taken{newest_.rows.takenAt, std::exchange(changes_, PictureChanges::none())};
    giveBack(std::exchange(newest_, {}).buffer);
    return taken;
}

std::optional<PipeWireStream::Loan> PipeWireStream::borrow(const PictureLayout& layout) {
    std::optional<Loan> loan;
    int descriptor = -1;
    {
        const LoopLock lock(loop_.get());
        if (newest_.buffer == nullptr || !newest_.slot || newest_.rows.layout != layout) {
            return std::nullopt;
        }
        const Picture picture = std::exchange(newest_, {});
        auto lease = lender_->lend(*picture.slot);
        if (!lease) {
            changes_ = PictureChanges::all();
            giveBack(picture.buffer);
            return std::nullopt;
        }
        const bool guarded = lender_->isGuarded(*picture.slot);
        if (guarded) {
            giveBack(picture.buffer);
        }
        descriptor = lender_->descriptor(*picture.slot);
        loan.emplace(Loan{.lease = std::move(*lease),
                          .picture = picture.rows,
                          .taken = {picture.rows.takenAt, std::exchange(changes_, PictureChanges::none())},
                          .mustBeCopied = {}});
        const std::size_t count = lender_->count();
        if (!format_ || !picture.rows.isWholeOf(*format_)) {
            loan->mustBeCopied = "the picture is a part of its buffer";
        } else if (!guarded) {
            loan->mustBeCopied = "the desktop may draw into buffers that are being read";
        } else if (count < kLeftToProducer + 2) {
            loan->mustBeCopied =
                fmt::format("the desktop has {} buffers and needs {} itself", count, kLeftToProducer);
        } else if (lender_->lent() + kLeftToProducer > count) {
            loan->mustBeCopied = fmt::format("too few of the desktop's {} buffers are left to it", count);
            loan->shortage = true;
        }
    }
    if (!beginDmaBufRead(descriptor)) {
        const std::string why = fmt::format("DMA_BUF_IOCTL_SYNC: {}", std::strerror(errno));
        const LoopLock lock(loop_.get());
        refuseDmaBufs(why);
        return std::nullopt;
    }
    return loan;
}

bool PipeWireStream::stillLends(const FrameLease& lease) const {
    const LoopLock lock(loop_.get());
    return lender_ && lender_->owns(lease);
}

std::string PipeWireStream::whyNoDmaBufs() const {
    const LoopLock lock(loop_.get());
    return whyNoDmaBufs_;
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
    const AgreedModifier modifier = modifierOf(parameter);
    kind_ = modifier.kind;
    if (modifier.value.value_or(kLinearModifier) != kLinearModifier) {
        return refuseDmaBufs(fmt::format("they are tiled (modifier {:#x})", *modifier.value));
    }
    format_ =
        PictureLayout{.width = info.size.width, .height = info.size.height, .pixelFormat = *pixelFormat};
    BufferRequest request(kind_);
    pw_stream_update_params(stream_.get(), request.data(), request.count());
    news_.notify();
}

void PipeWireStream::refuseDmaBufs(const std::string& why) {
    if (!whyNoDmaBufs_.empty()) {
        return;
    }
    whyNoDmaBufs_ = why;
    changes_ = PictureChanges::all();
    if (newest_.slot) {
        giveBack(std::exchange(newest_, {}).buffer);
    }
    FormatOffer offer(node_.fastest, false);
    pw_stream_update_params(stream_.get(), offer.data(), offer.count());
    news_.notify();
}

void PipeWireStream::process() {
    bool news = false;
    while (pw_buffer* buffer = pw_stream_dequeue_buffer(stream_.get())) {
        const std::optional<Picture> picture = understood(buffer);
        noteChanges(*buffer->buffer, picture);
        if (!picture) {
            giveBack(buffer);
            continue;
        }
        if (newest_.buffer != nullptr) {
            giveBack(newest_.buffer);
        }
        newest_ = *picture;
        news = true;
    }
    if (news) {
        news_.notify();
    }
}

void PipeWireStream::collectReturned() {
    returned_->clear();
    if (lender_) {
        for (pw_buffer* buffer : lender_->takeReturned()) {
            giveBack(buffer);
        }
    }
}

std::optional<PipeWireStream::Picture> PipeWireStream::understood(pw_buffer* buffer) {
    const spa_buffer& held = *buffer->buffer;
    if (!format_ || held.n_datas == 0) {
        return std::nullopt;
    }
    if (held.datas[0].type == SPA_DATA_DmaBuf) {
        return inDmaBuf(buffer);
    }
    if (held.datas[0].data == nullptr) {
        return std::nullopt;
    }
    const auto rows = pictureIn(held, *format_, 0, held.datas[0].maxsize);
    return rows ? std::optional(Picture{.buffer = buffer, .rows = *rows, .slot = {}}) : std::nullopt;
}

std::optional<PipeWireStream::Picture> PipeWireStream::inDmaBuf(pw_buffer* buffer) {
    if (!lender_ || kind_ != BufferKind::DmaBuf || !whyNoDmaBufs_.empty()) {
        return std::nullopt;
    }
    if (const std::string problem = lender_->map(rowBytes(*format_) * format_->height); !problem.empty()) {
        refuseDmaBufs(problem);
        return std::nullopt;
    }
    const auto slot = lender_->slotOf(buffer);
    if (!slot) {
        return std::nullopt;
    }
    const auto rows =
        pictureIn(*buffer->buffer, *format_, buffer->buffer->datas[0].mapoffset, lender_->memoryBytes());
    return rows ? std::optional(Picture{.buffer = buffer, .rows = *rows, .slot = slot}) : std::nullopt;
}

/// Adds a buffer's changes to those since the last picture taken. In doubt, everything has changed.
void PipeWireStream::noteChanges(const spa_buffer& buffer, const std::optional<Picture>& picture) {
    if (!picture) {
        // Its changes are lost, unless it is an update of the pointer only, which has no picture.
        changes_ = buffer.n_datas > 0 && buffer.datas[0].chunk->size == 0 ? changes_ : PictureChanges::all();
        return;
    }
    const BufferPicture& rows = picture->rows;
    const bool followed = isNext(buffer, lastNumber_);
    const bool upright = rows.layout.rotation == 0 && !rows.layout.mirrored && rows.stride > 0;
    const spa_point before = std::exchange(changesOrigin_, rows.origin);
    const bool moved = before.x != rows.origin.x || before.y != rows.origin.y;
    if (std::exchange(changesLayout_, rows.layout) != rows.layout || moved || !followed || !upright) {
        changes_ = PictureChanges::all();
        return;
    }
    changes_.add(damageIn(buffer, rows.origin, rows.layout.width, rows.layout.height));
}

void PipeWireStream::added(pw_buffer* buffer) {
    const spa_buffer& held = *buffer->buffer;
    if (held.n_datas > 0 && held.datas[0].type == SPA_DATA_DmaBuf) {
        if (lender_ && lender_->isMapped()) {
            newest_ = newest_.slot ? Picture{} : newest_;
            lender_.reset();  // PipeWire replaces all buffers or none
        }
        if (!lender_) {
            lender_ = std::make_shared<ProducerBuffers>(returned_);
        }
        lender_->add(buffer);
    }
}

void PipeWireStream::removed(const pw_buffer* buffer) {
    if (newest_.buffer == buffer) {
        newest_ = {};
    }
    if (lender_) {
        lender_->remove(buffer);
        if (lender_->isEmpty()) {
            lender_.reset();  // the next format brings others
        }
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
