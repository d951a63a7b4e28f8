#include "core/api/python/sender.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
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

class SenderObject {
  public:
    explicit SenderObject(const vc_sender_options& options)
        : sender(options), lossless_(options.policy == VC_LOSSLESS) {}
    SenderObject(const SenderObject&) = delete;
    SenderObject& operator=(const SenderObject&) = delete;
    ~SenderObject() { close(); }

    void close() {
        const WithoutGil released;
        closed = true;
        vc_sender_close(sender.handle());
    }
    void interrupt(bool on) {
        interrupted_ = on;
        sender.interrupt(on);
    }
    /// Makes a call that waits for receivers if the sender is lossless, without the GIL, and ends it for
    /// signals. Throws vc::Error.
    template <typename Call>
    vc_status submit(Call&& call);

    vc::Sender sender;
    std::array<vc_pixel_format, VC_MAX_TRACKS> pixelFormats{};
    std::atomic<bool> closed{false};

  private:
    const bool lossless_;
    std::atomic<bool> interrupted_{false};
};

// Such a call has no timeout. So it is made on a thread of its own, while this one looks for signals.
template <typename Call>
vc_status SenderObject::submit(Call&& call) {
    if (!lossless_) {
        const WithoutGil released;
        return call();
    }
    auto made = std::async(std::launch::async, std::forward<Call>(call));
    for (;;) {
        {
            const WithoutGil released;
            if (made.wait_for(std::chrono::milliseconds(kSignalCheckMs)) == std::future_status::ready) {
                return made.get();
            }
        }
        if (PyErr_CheckSignals() != 0) {
            const py::error_already_set raised;
            {
                const WithoutGil released;
                vc_sender_interrupt(sender.handle(), 1);
                made.wait();
                vc_sender_interrupt(sender.handle(), interrupted_ ? 1 : 0);
            }
            throw raised;
        }
    }
}

/// A slot that was acquired. Its views share it, so that its memory is there as long as they are.
class Slot {
  public:
    Slot(py::object sender, vc::Slot&& slot, vc_pixel_format format)
        : sender_(std::move(sender)), slot_(std::make_shared<vc::Slot>(std::move(slot))), format_(format) {}

    /// Throws Refusal after submit() and discard().
    vc_slot& fields() const { return slot_ ? **slot_ : throw Refusal{"the frame was sent or discarded"}; }
    std::vector<Buffer> buffers() const { return planeBuffers(fields(), format_, false, slot_); }
    vc_pixel_format pixelFormat() const { return format_; }
    static dlpack::Device device() { return dlpack::kCpu; }
    void setChanged(const std::optional<py::list>& rects);
    py::object changed() const;
    void submit();
    void discard() { slot_.reset(); }

  private:
    py::object sender_;               // kept open as long as the slot
    std::shared_ptr<vc::Slot> slot_;  // null: sent or discarded
    vc_pixel_format format_;
    std::optional<std::vector<vc_rect>> changed_;
};

void Slot::setChanged(const std::optional<py::list>& rects) {
    static_cast<void>(fields());
    if (!rects) {
        changed_.reset();
        return;
    }
    std::vector<vc_rect> changed;
    for (const py::handle rect : *rects) {
        changed.push_back(rectFrom(rect));
    }
    changed_ = std::move(changed);
}

py::object Slot::changed() const {
    if (!changed_) {
        return py::none();
    }
    py::list list;
    for (const vc_rect& rect : *changed_) {
        list.append(tupleOf(rect));
    }
    return list;
}

// A view that is left could write what is being sent, and read memory that is no more.
void Slot::submit() {
    vc_slot& told = fields();
    if (const auto views = slot_.use_count() - 1; views > 0) {
        throw py::buffer_error(
            std::to_string(views) +
            " arrays or buffers still refer to the frame: it is sent when they are gone (del)");
    }
    const vc_rect nothing{};
    told.changed = changed_ ? (changed_->empty() ? &nothing : changed_->data()) : nullptr;
    told.changed_count = changed_ ? changed_->size() : 0;
    auto slot = std::exchange(slot_, nullptr);  // nobody else's meanwhile
    auto& object = sender_.cast<SenderObject&>();
    try {
        static_cast<void>(happened(object.submit([&] { return object.sender.submit(*slot); })));
    } catch (...) {
        if (*slot) {
            slot_ = std::move(slot);
        }
        throw;
    }
}

vc_policy policyFrom(const std::string& name) {
    if (name == "latest") {
        return VC_LATEST;
    }
    if (name == "lossless") {
        return VC_LOSSLESS;
    }
    throw py::value_error("policy: " + name + ": one of latest, lossless expected");
}

std::unique_ptr<SenderObject> openSender(const std::optional<std::string>& url, bool connect,
                                         const std::string& policy, std::uint32_t slots, bool poll,
                                         bool allowInput, const std::optional<std::string>& name,
                                         const std::optional<std::filesystem::path>& keyFile, bool encrypt,
                                         bool open, bool sound) {
    vc_sender_options options = vc::Sender::defaults();
    options.url = url ? url->c_str() : nullptr;
    options.connect = connect ? 1 : 0;
    options.policy = policyFrom(policy);
    options.slots = slots;
    options.poll = poll ? 1 : 0;
    options.allow_input = allowInput ? 1 : 0;
    options.name = name ? name->c_str() : nullptr;
    options.key_file = keyFile ? keyFile->c_str() : nullptr;
    options.encrypt = encrypt ? 1 : 0;
    options.open = open ? 1 : 0;
    options.sound = sound ? 1 : 0;
    const WithoutGil released;
    return std::make_unique<SenderObject>(options);
}

void setFormat(SenderObject& s, const vc_video_format& format, std::uint32_t track) {
    {
        const WithoutGil released;  // another thread may be allocating the ring
        s.sender.setFormat(format, track);
    }
    s.pixelFormats.at(track) = format.pixel_format;
}

/// None: no slot was free in time.
py::object acquire(const py::object& self, std::uint32_t track, const Timeout& timeout) {
    auto& s = self.cast<SenderObject&>();
    vc_slot acquired = VC_INIT(vc_slot);
    const vc_status status = waitFor(timeout, s.closed, [&](int ms) {
        return vc_sender_acquire(s.sender.handle(), track, &acquired, ms);
    });
    vc::Slot slot(acquired);
    return happened(status) ? py::cast(Slot(self, std::move(slot), s.pixelFormats.at(track))) : py::none();
}

/// From an array of floats, samples x channels or samples.
void sendSound(SenderObject& s, const py::buffer& samples, std::uint32_t rate, std::int64_t time,
               std::uint64_t layout, std::int64_t capturedAt) {
    const py::buffer_info info = samples.request();
    constexpr Py_ssize_t kSample = sizeof(float);
    if (info.format != py::format_descriptor<float>::format() || info.ndim < 1 || info.ndim > 2) {
        throw py::value_error("sound: float32 of samples x channels expected");
    }
    const Py_ssize_t channels = info.ndim == 2 ? info.shape[1] : 1;
    vc_sound sound = VC_INIT(vc_sound);
    sound.rate = rate;
    sound.channels = static_cast<std::uint32_t>(channels);
    sound.samples = static_cast<std::uint32_t>(info.shape[0]);
    sound.time = time;
    sound.captured_at = capturedAt;
    sound.layout = layout;
    const auto* const first = static_cast<const std::byte*>(info.ptr);
    std::vector<const float*> planes;
    if (info.strides[0] == kSample) {
        for (Py_ssize_t channel = 0; channel < channels; ++channel) {
            const Py_ssize_t offset = info.ndim == 2 ? channel * info.strides[1] : 0;
            planes.push_back(reinterpret_cast<const float*>(first + offset));
        }
        sound.planes = planes.data();
    } else if (info.ndim == 2 && info.strides[1] == kSample && info.strides[0] == channels * kSample) {
        sound.interleaved = reinterpret_cast<const float*>(first);
    } else {
        throw py::value_error("sound: samples without gaps expected: numpy.ascontiguousarray() makes them");
    }
    static_cast<void>(happened(s.submit([&] { return s.sender.sendSound(sound); })));
}

py::list viewers(const SenderObject& s) {
    using namespace py::literals;
    const auto known = [](double value) { return value < 0 ? py::object(py::none()) : py::float_(value); };
    py::list list;
    for (std::uint32_t index = 0; const auto viewer = s.sender.viewer(index); ++index) {
        list.append(py::dict(
            "id"_a = viewer->id, "name"_a = textFrom(viewer->name), "address"_a = textFrom(viewer->address),
            "transport"_a = textFrom(viewer->transport), "key_name"_a = textFrom(viewer->key_name),
            "protection"_a = protectionName(viewer->protection), "frames_sent"_a = viewer->frames_sent,
            "frames_dropped"_a = viewer->frames_dropped, "frames_lost"_a = viewer->frames_lost,
            "bytes"_a = viewer->bytes, "frames_shown"_a = viewer->frames_shown,
            "frames_skipped"_a = viewer->frames_skipped, "latency_p50"_a = known(viewer->latency_p50),
            "latency_p99"_a = known(viewer->latency_p99)));
    }
    return list;
}

/// None: nothing came in time.
py::object takeInput(SenderObject& s, const Timeout& timeout) {
    vc_input event = VC_INIT(vc_input);
    const vc_status status = waitFor(
        timeout, s.closed, [&](int ms) { return vc_sender_take_input(s.sender.handle(), &event, ms); });
    return happened(status) ? py::object(tupleOf(event)) : py::none();
}

/// A field of a slot that is there to be set.
template <auto Member>
auto field(const Slot& slot) {
    return slot.fields().*Member;
}
template <auto Member, typename Value>
void setField(const Slot& slot, Value value) {
    slot.fields().*Member = value;
}

void addSlot(py::module_& module) {
    py::class_<Slot> type(module, "Slot");
    type.def_property("pts", &field<&vc_slot::pts>, &setField<&vc_slot::pts, std::int64_t>)
        .def_property("captured_at", &field<&vc_slot::captured_at>,
                      &setField<&vc_slot::captured_at, std::int64_t>)
        .def_property("input_serial", &field<&vc_slot::input_serial>,
                      &setField<&vc_slot::input_serial, std::uint64_t>)
        .def_property(
            "damaged", [](const Slot& slot) { return slot.fields().damaged != 0; },
            &setField<&vc_slot::damaged, bool>)
        .def_property("changed", &Slot::changed, &Slot::setChanged)
        .def_property_readonly("track", &field<&vc_slot::track>)
        .def("submit", &Slot::submit)
        .def("discard", &Slot::discard)
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](Slot& slot, const py::object& error, const py::args&) {
            try {
                if (error.is_none()) {
                    slot.submit();
                }
            } catch (...) {
                slot.discard();
                throw;
            }
            slot.discard();
        });
    addViews(type);
}

}  // namespace

void addSender(py::module_& module) {
    using namespace py::literals;
    addSlot(module);
    py::class_<SenderObject>(module, "Sender")
        .def(py::init(&openSender), "url"_a = py::none(), py::kw_only(), "connect"_a = false,
             "policy"_a = "latest", "slots"_a = 0, "poll"_a = false, "allow_input"_a = false,
             "name"_a = py::none(), "key_file"_a = py::none(), "encrypt"_a = false, "open"_a = false,
             "sound"_a = false)
        .def("close", &SenderObject::close)
        .def("interrupt", &SenderObject::interrupt, "on"_a = true)
        .def("_addresses", [](const SenderObject& s) { return textFrom(s.sender.addresses().c_str()); })
        .def(
            "wait",
            [](SenderObject& s, const Timeout& timeout) {
                return happened(waitFor(timeout, s.closed, [&](int ms) { return s.sender.wait(ms); }));
            },
            "timeout"_a = py::none())
        .def("_set_format", &setFormat)
        .def("_acquire", &acquire)
        .def("_send_sound", &sendSound)
        .def(
            "finish",
            [](SenderObject& s, const std::string& reason, const Timeout& timeout) {
                return happened(
                    waitFor(timeout, s.closed, [&](int ms) { return s.sender.finish(reason, ms); }));
            },
            "reason"_a = "end of stream", "timeout"_a = py::none())
        .def("_viewers", &viewers)
        .def("_take_input", &takeInput)
        .def("stats", [](const SenderObject& s) { return dictOf(s.sender.stats()); })
        .def("_stats_json", [](const SenderObject& s) { return textFrom(s.sender.statsJson().c_str()); });
}

}  // namespace verbcast::python
