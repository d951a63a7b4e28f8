// Verbcast's C++ interface, C++17: verbcast.h with destructors and exceptions. Needs only this file and the C
// library. See verbcast.h for what each function does and from which threads.
#pragma once

#include <verbcast/verbcast.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace vc {

/// what() says what failed and how to fix it.
struct Error : std::runtime_error {
    Error() : std::runtime_error(vc_error()), kind(vc_error_code()) {}
    vc_error_kind kind;
};

/// Throws Error for VC_ERROR.
inline vc_status checked(vc_status status) {
    if (status == VC_ERROR) {
        throw Error();
    }
    return status;
}
/// Throws Error for null.
template <typename T>
T* checked(T* pointer) {
    if (pointer == nullptr) {
        throw Error();
    }
    return pointer;
}

using LogCallback = std::function<void(vc_log_level level, std::string_view message)>;

/// Passes the library's messages of `level` and more severe ones to `callback`: see vc_log_callback for what
/// it may do. An empty one turns messages off. Called by one thread at a time.
inline void setLog(LogCallback callback, vc_log_level level = VC_LOG_WARNING) {
    static LogCallback& current = *new LogCallback;  // never destroyed: messages may come until the end
    vc_set_log(nullptr, nullptr, level);
    current = std::move(callback);
    if (current) {
        vc_set_log([](void*, vc_log_level of, const char* message) { current(of, message); }, nullptr, level);
    }
}

inline vc_video_format videoFormat(vc_pixel_format pixelFormat, std::uint32_t width, std::uint32_t height,
                                   vc_rational frameRate = {60, 1}) {
    vc_video_format format = VC_INIT(vc_video_format);
    format.pixel_format = pixelFormat;
    format.width = width;
    format.height = height;
    format.frame_rate = frameRate;
    return format;
}

/// A struct of the C interface that holds something of the library's, which is returned with it.
template <typename Struct, auto Id, void (*GiveBack)(Struct*)>
class Held {
  public:
    Held() = default;
    explicit Held(const Struct& held) : held_(held) {}
    Held(Held&& other) noexcept : held_(std::exchange(other.held_, VC_INIT(Struct))) {}
    Held& operator=(Held&& other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~Held() {
        if (*this) {
            GiveBack(&held_);
        }
    }
    explicit operator bool() const { return held_.*Id != 0; }
    Struct& operator*() { return held_; }
    Struct* operator->() { return &held_; }
    const Struct& operator*() const { return held_; }
    const Struct* operator->() const { return &held_; }

  private:
    Struct held_ = VC_INIT(Struct);
};

template <typename Struct>
void releaseLease(Struct* held) {
    vc_lease_release(held->lease);
}
/// A place in a sender's ring: returned unsent if it is destroyed without Sender::submit().
using Slot = Held<vc_slot, &vc_slot::id, &vc_slot_discard>;
/// Received frames and sound: readable as long as they live, which may be longer than their receiver.
using Frame = Held<vc_frame, &vc_frame::lease, &releaseLease<vc_frame>>;
using SoundBlock = Held<vc_sound_block, &vc_sound_block::lease, &releaseLease<vc_sound_block>>;

/// Memory of the program for frames: see vc_memory.
class Memory {
  public:
    static vc_memory_options defaults() { return VC_INIT(vc_memory_options); }
    explicit Memory(const vc_memory_options& options) : memory_(checked(vc_memory_open(&options))) {}

    /// For functions of the C interface; still owned by this object.
    vc_memory* handle() const { return memory_.get(); }

  private:
    struct Close {
        void operator()(vc_memory* memory) const { vc_memory_close(memory); }
    };
    std::unique_ptr<vc_memory, Close> memory_;
};

class Sender {
  public:
    static vc_sender_options defaults() { return VC_INIT(vc_sender_options); }
    explicit Sender(const vc_sender_options& options = defaults())
        : sender_(checked(vc_sender_open(&options))) {}
    Sender(Sender&& other) noexcept : sender_(std::exchange(other.sender_, nullptr)) {}
    Sender& operator=(Sender&& other) noexcept {
        std::swap(sender_, other.sender_);
        return *this;
    }
    ~Sender() { vc_sender_close(sender_); }

    std::string addresses() const { return vc_sender_addresses(sender_); }
    vc_status wait(int timeoutMs = -1) { return checked(vc_sender_wait(sender_, timeoutMs)); }
    void interrupt(bool on) { checked(vc_sender_interrupt(sender_, on ? 1 : 0)); }
    void setFormat(const vc_video_format& format, std::uint32_t track = VC_PICTURE_TRACK) {
        checked(vc_sender_set_format(sender_, track, &format));
    }
    /// Empty if no slot was free in time.
    Slot acquire(int timeoutMs = -1, std::uint32_t track = VC_PICTURE_TRACK) {
        vc_slot slot = VC_INIT(vc_slot);
        checked(vc_sender_acquire(sender_, track, &slot, timeoutMs));
        return Slot(slot);
    }
    /// Empty while the memory's previous frame has not been released.
    Slot lend(const Memory& memory, std::uint32_t track = VC_PICTURE_TRACK) {
        vc_slot slot = VC_INIT(vc_slot);
        checked(vc_sender_lend(sender_, track, memory.handle(), &slot));
        return Slot(slot);
    }
    vc_status submit(Slot& slot) { return checked(vc_sender_submit(sender_, &*slot)); }
    vc_status submit(Slot&& slot) { return submit(slot); }
    vc_status sendSound(const vc_sound& sound) { return checked(vc_sender_send_sound(sender_, &sound)); }
    vc_status finish(const std::string& reason, int timeoutMs = -1) {
        return checked(vc_sender_finish(sender_, reason.c_str(), timeoutMs));
    }

    std::uint32_t viewers() const { return vc_sender_viewers(sender_); }
    std::optional<vc_viewer> viewer(std::uint32_t index) const {
        vc_viewer viewer = VC_INIT(vc_viewer);
        return checked(vc_sender_viewer(sender_, index, &viewer)) == VC_OK ? std::optional(viewer)
                                                                           : std::nullopt;
    }
    std::optional<vc_input> takeInput(int timeoutMs = 0) {
        vc_input event = VC_INIT(vc_input);
        return checked(vc_sender_take_input(sender_, &event, timeoutMs)) == VC_OK ? std::optional(event)
                                                                                  : std::nullopt;
    }
    vc_stats stats() const {
        vc_stats stats = VC_INIT(vc_stats);
        checked(vc_sender_stats(sender_, &stats));
        return stats;
    }
    std::string statsJson() const { return checked(vc_sender_stats_json(sender_)); }

    /// For functions of the C interface; still owned by this object.
    vc_sender* handle() const { return sender_; }

  private:
    vc_sender* sender_;
};

class Receiver {
  public:
    static vc_receiver_options defaults() { return VC_INIT(vc_receiver_options); }
    explicit Receiver(const vc_receiver_options& options = defaults())
        : receiver_(checked(vc_receiver_open(&options))) {}
    Receiver(Receiver&& other) noexcept : receiver_(std::exchange(other.receiver_, nullptr)) {}
    Receiver& operator=(Receiver&& other) noexcept {
        std::swap(receiver_, other.receiver_);
        return *this;
    }
    ~Receiver() { vc_receiver_close(receiver_); }

    std::string addresses() const { return vc_receiver_addresses(receiver_); }
    void interrupt(bool on) { checked(vc_receiver_interrupt(receiver_, on ? 1 : 0)); }
    /// The caller closes it.
    int descriptor() const {
        const int descriptor = vc_receiver_descriptor(receiver_);
        return descriptor >= 0 ? descriptor : throw Error();
    }

    /// VC_OK: there is a frame; what it held before is released.
    vc_status take(Frame& frame, int timeoutMs = -1, vc_take which = VC_TAKE_NEXT,
                   std::uint32_t track = VC_PICTURE_TRACK) {
        vc_frame taken = VC_INIT(vc_frame);
        const vc_status status = checked(vc_receiver_take(receiver_, track, which, &taken, timeoutMs));
        frame = Frame(taken);
        return status;
    }
    vc_status takeSound(SoundBlock& block, int timeoutMs = -1) {
        vc_sound_block taken = VC_INIT(vc_sound_block);
        const vc_status status = checked(vc_receiver_take_sound(receiver_, &taken, timeoutMs));
        block = SoundBlock(taken);
        return status;
    }
    void shown(const Frame& frame, std::int64_t at = vc_now()) {
        checked(vc_receiver_shown(receiver_, frame->lease, at));
    }
    /// Empty before the first frame.
    std::optional<vc_video_format> format(std::uint32_t track = VC_PICTURE_TRACK) const {
        vc_video_format format = VC_INIT(vc_video_format);
        return checked(vc_receiver_format(receiver_, track, &format)) == VC_OK ? std::optional(format)
                                                                               : std::nullopt;
    }

    vc_connection connection() const {
        vc_connection connection = VC_INIT(vc_connection);
        checked(vc_receiver_connection(receiver_, &connection));
        return connection;
    }
    vc_status nextEvent(vc_event& event, int timeoutMs = -1) {
        event = VC_INIT(vc_event);
        return checked(vc_receiver_next_event(receiver_, &event, timeoutMs));
    }
    /// The event's number; 0: the sender takes none now.
    std::uint64_t sendInput(const vc_input& event) {
        std::uint64_t serial = 0;
        checked(vc_receiver_send_input(receiver_, &event, &serial));
        return serial;
    }
    vc_stats stats(std::uint32_t track = VC_PICTURE_TRACK) const {
        vc_stats stats = VC_INIT(vc_stats);
        checked(vc_receiver_stats(receiver_, track, &stats));
        return stats;
    }
    std::string statsJson() const { return checked(vc_receiver_stats_json(receiver_)); }

    /// For functions of the C interface; still owned by this object.
    vc_receiver* handle() const { return receiver_; }

  private:
    vc_receiver* receiver_;
};

}  // namespace vc
