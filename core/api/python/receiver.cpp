#include "core/api/python/receiver.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <verbcast/verbcast.hpp>

#include "core/api/python/buffers.h"
#include "core/api/python/errors.h"
#include "core/api/python/formats.h"
#include "core/api/python/input.h"
#include "core/api/python/statistics.h"
#include "core/api/python/waiting.h"

namespace py = pybind11;

namespace verbcast::python {
namespace {

// ---- What was taken ----

/// A vc_frame or vc_sound_block. Its memory is readable as long as it, or a view of it, holds the lease.
template <typename Held, typename Told>
struct Taken {
    explicit Taken(Held&& held) : told(*held), lease(std::make_shared<Held>(std::move(held))) {}

    /// Throws Refusal once it was released.
    std::shared_ptr<const Held> held() const {
        return lease ? lease : throw Refusal{"it was released: nothing of it can be read any more"};
    }
    bool intact() const { return vc_lease_intact((*held())->lease) != 0; }

    Told told;
    std::shared_ptr<const Held> lease;  // null: released
};

struct Frame : Taken<vc::Frame, vc_frame> {
    Frame(vc::Frame&& held, py::object itsFormat, dlpack::Device where)
        : Taken(std::move(held)), format(std::move(itsFormat)), device_(where) {}

    vc_pixel_format pixelFormat() const { return format.cast<const vc_video_format&>().pixel_format; }
    dlpack::Device device() const { return device_; }
    std::vector<Buffer> buffers() const { return planeBuffers(told, pixelFormat(), true, held(), device_); }
    /// None: not known, or all over.
    py::object changed() const {
        const auto readable = held();
        if (told.changed == nullptr) {
            return py::none();
        }
        py::list list;
        for (std::size_t i = 0; i < told.changed_count; ++i) {
            list.append(tupleOf(told.changed[i]));
        }
        return list;
    }

    py::object format;  // shared with the frames of the same format

  private:
    dlpack::Device device_;
};

struct SoundBlock : Taken<vc::SoundBlock, vc_sound_block> {
    using Taken::Taken;
    Buffer buffer() const { return soundBuffer(told, held()); }
};

// ---- Receivers ----

/// Numbers of tracks, or a dictionary from them to regions, where None is all of the picture.
std::vector<vc_track_wish> wishesFrom(const py::object& tracks) {
    std::vector<vc_track_wish> wishes;
    for (const py::handle track : tracks) {
        vc_track_wish wish = VC_INIT(vc_track_wish);
        wish.track = track.cast<std::uint32_t>();
        if (py::isinstance<py::dict>(tracks)) {
            const py::object region = tracks[track];
            wish.region = region.is_none() ? vc_rect{} : rectFrom(region);
        }
        wishes.push_back(wish);
    }
    return wishes;
}

vc_follow followFrom(const std::string& name) {
    if (name == "forever") {
        return VC_FOLLOW_FOREVER;
    }
    if (name == "stream") {
        return VC_FOLLOW_STREAM;
    }
    if (name == "connection") {
        return VC_FOLLOW_CONNECTION;
    }
    throw py::value_error("follow: " + name + ": one of forever, stream, connection expected");
}

const char* stateName(vc_state state) {
    constexpr std::array kNames{"waiting", "connecting", "connected", "streaming", "lost", "ended", "failed"};
    const auto number = static_cast<std::size_t>(state);
    return number < kNames.size() ? kNames[number] : "unknown";
}

/// A vc_receiver, and what the frame of each track before had.
class ReceiverObject {
  public:
    explicit ReceiverObject(const vc_receiver_options& options)
        : receiver(options),
          device_(options.memory == VC_MEMORY_CUDA ? dlpack::Device{dlpack::kCuda, options.gpu}
                                                   : dlpack::kCpu) {}
    ReceiverObject(const ReceiverObject&) = delete;
    ReceiverObject& operator=(const ReceiverObject&) = delete;
    ~ReceiverObject() { close(); }

    void close() {
        const WithoutGil released;
        closed_ = true;
        vc_receiver_close(receiver.handle());
    }
    py::object take(bool newest, const Timeout& timeout, std::uint32_t track);
    py::object takeSound(const Timeout& timeout);
    py::object nextEvent(const Timeout& timeout);
    py::dict connection() const;

    vc::Receiver receiver;

  private:
    bool came(vc_status status) const;

    struct Track {
        std::mutex taking;  // of a frame and of its format, which belong together
        std::uint32_t serial = 0;
        py::object format;  // guarded by the GIL
    };
    std::array<Track, VC_MAX_TRACKS> tracks_;
    const dlpack::Device device_;  // of frames
    std::atomic<bool> closed_{false};
};

/// As happened(), but tells how the stream ended.
bool ReceiverObject::came(vc_status status) const {
    if (status != VC_CLOSED) {
        return happened(status);
    }
    const vc_connection last = receiver.connection();
    throw Unavailable{status, *last.reason != '\0' ? last.reason : last.text};
}

py::object ReceiverObject::take(bool newest, const Timeout& timeout, std::uint32_t track) {
    if (track >= VC_MAX_TRACKS) {
        throw py::value_error("track: 0 to " + std::to_string(VC_MAX_TRACKS - 1) + " expected");
    }
    Track& taken = tracks_[track];
    const std::unique_lock turn(taken.taking, std::try_to_lock);
    if (!turn) {
        throw Refusal{"take: another thread is taking frames of this track"};
    }
    vc::Frame frame;
    const auto which = newest ? VC_TAKE_NEWEST : VC_TAKE_NEXT;
    if (!came(waitFor(timeout, closed_, [&](int ms) { return receiver.take(frame, ms, which, track); }))) {
        return py::none();
    }
    if (!taken.format || taken.serial != frame->format_serial) {
        taken.format = py::cast(receiver.format(track).value());
        taken.serial = frame->format_serial;
    }
    return py::cast(Frame(std::move(frame), taken.format, device_));
}

py::object ReceiverObject::takeSound(const Timeout& timeout) {
    vc::SoundBlock block;
    if (!came(waitFor(timeout, closed_, [&](int ms) { return receiver.takeSound(block, ms); }))) {
        return py::none();
    }
    return py::cast(SoundBlock(std::move(block)));
}

py::object ReceiverObject::nextEvent(const Timeout& timeout) {
    vc_event event = VC_INIT(vc_event);
    if (!came(waitFor(timeout, closed_, [&](int ms) { return receiver.nextEvent(event, ms); }))) {
        return py::none();
    }
    constexpr std::array kEventKinds{"none", "state", "format", "sound-format"};
    const auto kind = static_cast<std::size_t>(event.kind);
    return py::make_tuple(kind < kEventKinds.size() ? kEventKinds[kind] : "unknown", event.track,
                          stateName(event.state), textFrom(event.text), textFrom(event.reason));
}

py::dict ReceiverObject::connection() const {
    using namespace py::literals;
    const vc_connection now = receiver.connection();
    return py::dict("state"_a = stateName(now.state), "text"_a = textFrom(now.text),
                    "reason"_a = textFrom(now.reason), "peer_name"_a = textFrom(now.peer_name),
                    "peer_address"_a = textFrom(now.peer_address), "transport"_a = textFrom(now.transport),
                    "transport_reason"_a = textFrom(now.transport_reason),
                    "key_name"_a = textFrom(now.key_name), "protection"_a = protectionName(now.protection),
                    "over"_a = now.over != 0, "input_allowed"_a = now.input_allowed != 0,
                    "has_sound"_a = now.has_sound != 0);
}

const char* pointerTo(const std::optional<std::string>& text) {
    return text ? text->c_str() : nullptr;
}

std::unique_ptr<ReceiverObject> openReceiver(const std::optional<std::string>& url, bool listen,
                                             const std::string& follow, std::uint32_t slots,
                                             std::uint64_t maxMemory, bool poll,
                                             const std::optional<std::string>& name, double peerTimeout,
                                             const std::optional<std::filesystem::path>& keyFile,
                                             bool encrypt, bool open, bool sound, const py::object& tracks,
                                             const std::optional<int>& gpu) {
    if (!(peerTimeout >= 0 && peerTimeout < 1e6)) {
        throw py::value_error("peer_timeout: seconds expected");
    }
    vc_receiver_options options = vc::Receiver::defaults();
    options.url = pointerTo(url);
    options.listen = listen ? 1 : 0;
    options.follow = followFrom(follow);
    options.slots = slots;
    options.max_memory = maxMemory;
    options.poll = poll ? 1 : 0;
    options.name = pointerTo(name);
    options.peer_timeout_ms = static_cast<int>(peerTimeout * 1e3);
    options.key_file = keyFile ? keyFile->c_str() : nullptr;
    options.encrypt = encrypt ? 1 : 0;
    options.open = open ? 1 : 0;
    options.sound = sound ? 1 : 0;
    options.memory = gpu ? VC_MEMORY_CUDA : VC_MEMORY_HOST;
    options.gpu = gpu.value_or(0);
    const vc_track_wish none = VC_INIT(vc_track_wish);
    std::vector<vc_track_wish> wishes;
    if (!tracks.is_none()) {
        wishes = wishesFrom(tracks);
        options.tracks = wishes.empty() ? &none : wishes.data();
        options.track_count = wishes.size();
    }
    const WithoutGil released;
    return std::make_unique<ReceiverObject>(options);
}

py::object sendInput(ReceiverObject& r, const std::string& kind, bool pressed, std::uint32_t code, float x,
                     float y, float dx, float dy, const std::string& data) {
    const std::uint64_t serial = r.receiver.sendInput(inputFrom(kind, pressed, code, x, y, dx, dy, data));
    return serial != 0 ? py::object(py::int_(serial)) : py::none();
}

void shown(ReceiverObject& r, const Frame& frame, const std::optional<std::int64_t>& at) {
    vc::checked(vc_receiver_shown(r.receiver.handle(), (*frame.held())->lease, at.value_or(vc_now())));
}

// ---- Python's classes ----

template <auto Member, typename Object>
auto told(const Object& object) {
    return object.told.*Member;
}

template <typename Object>
void addRelease(py::class_<Object>& type) {
    type.def("release", [](Object& object) { object.lease.reset(); })
        .def_property_readonly("intact", &Object::intact)
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](Object& object, const py::args&) { object.lease.reset(); });
}

void addFrame(py::module_& module) {
    py::class_<Frame> type(module, "Frame");
    type.def_readonly("format", &Frame::format)
        .def_property_readonly("track", &told<&vc_frame::track, Frame>)
        .def_property_readonly("format_serial", &told<&vc_frame::format_serial, Frame>)
        .def_property_readonly("sequence", &told<&vc_frame::sequence, Frame>)
        .def_property_readonly("missing", &told<&vc_frame::missing, Frame>)
        .def_property_readonly("skipped", &told<&vc_frame::skipped, Frame>)
        .def_property_readonly("pts", &told<&vc_frame::pts, Frame>)
        .def_property_readonly("time", &told<&vc_frame::time, Frame>)
        .def_property_readonly("captured_at", &told<&vc_frame::captured_at, Frame>)
        .def_property_readonly("submitted_at", &told<&vc_frame::submitted_at, Frame>)
        .def_property_readonly("arrived_at", &told<&vc_frame::arrived_at, Frame>)
        .def_property_readonly("input_serial", &told<&vc_frame::input_serial, Frame>)
        .def_property_readonly("damaged", [](const Frame& frame) { return frame.told.damaged != 0; })
        .def_property_readonly("region", [](const Frame& frame) { return tupleOf(frame.told.region); })
        .def_property_readonly("picture_size",
                               [](const Frame& frame) {
                                   return py::make_tuple(frame.told.picture_width, frame.told.picture_height);
                               })
        .def_property_readonly("changed", &Frame::changed)
        .def("__repr__", [](const Frame& frame) {
            return py::str("<verbcast.Frame {}: {}>").format(frame.told.sequence, py::str(frame.format));
        });
    addRelease(type);
    addViews(type);
}

void addSoundBlock(py::module_& module) {
    py::class_<SoundBlock> type(module, "SoundBlock");
    type.def_property_readonly("rate", &told<&vc_sound_block::rate, SoundBlock>)
        .def_property_readonly("channels", &told<&vc_sound_block::channels, SoundBlock>)
        .def_property_readonly("samples", &told<&vc_sound_block::samples, SoundBlock>)
        .def_property_readonly("layout", &told<&vc_sound_block::layout, SoundBlock>)
        .def_property_readonly("time", &told<&vc_sound_block::time, SoundBlock>)
        .def_property_readonly("captured_at", &told<&vc_sound_block::captured_at, SoundBlock>)
        .def_property_readonly("arrived_at", &told<&vc_sound_block::arrived_at, SoundBlock>)
        .def_property_readonly("sequence", &told<&vc_sound_block::sequence, SoundBlock>)
        .def_property_readonly("missing", &told<&vc_sound_block::missing, SoundBlock>)
        .def_property_readonly("buffer", &SoundBlock::buffer)
        .def_property_readonly("array", [](const SoundBlock& block) { return arrayOn(block.buffer()); })
        .def("__repr__", [](const SoundBlock& block) {
            return py::str("<verbcast.SoundBlock {}: {} samples of {} channels at {}/s>")
                .format(block.told.sequence, block.told.samples, block.told.channels, block.told.rate);
        });
    addRelease(type);
}

}  // namespace

void addReceiver(py::module_& module) {
    using namespace py::literals;
    addFrame(module);
    addSoundBlock(module);
    py::class_<ReceiverObject>(module, "Receiver")
        .def(py::init(&openReceiver), "url"_a = py::none(), py::kw_only(), "listen"_a = false,
             "follow"_a = "stream", "slots"_a = 0, "max_memory"_a = 0, "poll"_a = false,
             "name"_a = py::none(), "peer_timeout"_a = 0., "key_file"_a = py::none(), "encrypt"_a = false,
             "open"_a = false, "sound"_a = false, "tracks"_a = py::none(), "gpu"_a = py::none())
        .def("close", &ReceiverObject::close)
        .def(
            "interrupt", [](ReceiverObject& r, bool on) { r.receiver.interrupt(on); }, "on"_a = true)
        .def("descriptor", [](const ReceiverObject& r) { return r.receiver.descriptor(); })
        .def("_addresses", [](const ReceiverObject& r) { return textFrom(r.receiver.addresses().c_str()); })
        .def("take", &ReceiverObject::take, "newest"_a = false, "timeout"_a = py::none(), "track"_a = 0)
        .def("take_sound", &ReceiverObject::takeSound, "timeout"_a = py::none())
        .def("_next_event", &ReceiverObject::nextEvent)
        .def("_connection", &ReceiverObject::connection)
        .def("_send_input", &sendInput)
        .def("shown", &shown, "frame"_a, "at"_a = py::none())
        .def(
            "stats",
            [](const ReceiverObject& r, std::uint32_t track) { return dictOf(r.receiver.stats(track)); },
            "track"_a = 0)
        .def("_stats_json", [](const ReceiverObject& r) { return textFrom(r.receiver.statsJson().c_str()); });
}

}  // namespace verbcast::python
