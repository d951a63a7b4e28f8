// Verbcast's C++ interface, C++17: verbcast.h with destructors and exceptions. Needs only this file and the C
// library.
#pragma once

#include <verbcast/verbcast.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace vc {

/// what() says what failed and how to fix it.
struct Error : std::runtime_error {
    Error() : std::runtime_error(vc_error()) {}
};

/// Throws Error for VC_ERROR.
inline vc_status checked(vc_status status) {
    if (status == VC_ERROR) {
        throw Error();
    }
    return status;
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

class Sender;

/// A slot of the sender's ring. Returned unsent if it is destroyed without Sender::submit().
class Frame {
  public:
    Frame(Frame&& other) noexcept : sender_(other.sender_), frame_(std::exchange(other.frame_, none())) {}
    Frame& operator=(Frame&& other) noexcept {
        std::swap(sender_, other.sender_);
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~Frame() {
        if (frame_.reserved != nullptr) {
            vc_frame_discard(sender_, &frame_);
        }
    }
    /// planes, strides, rows and bytes to fill; pts, input_serial and changed to set.
    vc_frame& operator*() { return frame_; }
    vc_frame* operator->() { return &frame_; }

  private:
    friend class Sender;
    Frame(vc_sender* sender, const vc_frame& frame) : sender_(sender), frame_(frame) {}
    static vc_frame none() { return VC_FRAME_INIT; }

    vc_sender* sender_;
    vc_frame frame_;
};

/// See verbcast.h for what each function does and from which threads. Must outlive its frames.
class Sender {
  public:
    static vc_sender_options defaults() { return VC_SENDER_OPTIONS_INIT; }
    explicit Sender(const vc_sender_options& options = defaults()) : sender_(vc_sender_open(&options)) {
        if (sender_ == nullptr) {
            throw Error();
        }
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;
    ~Sender() { vc_sender_close(sender_); }

    std::string addresses() const { return vc_sender_addresses(sender_); }
    std::uint32_t receivers() const { return vc_sender_receivers(sender_); }
    vc_status wait(int timeoutMs = -1) { return checked(vc_sender_wait(sender_, timeoutMs)); }
    void format(const std::string& pixelFormat, std::uint32_t width, std::uint32_t height,
                std::int32_t fpsNumerator = 60, std::int32_t fpsDenominator = 1) {
        checked(vc_sender_format(sender_, pixelFormat.c_str(), width, height, fpsNumerator, fpsDenominator));
    }
    /// std::nullopt if no slot was free in time.
    std::optional<Frame> acquire(int timeoutMs = -1) {
        vc_frame frame = Frame::none();
        if (checked(vc_frame_acquire(sender_, &frame, timeoutMs)) != VC_OK) {
            return std::nullopt;
        }
        return Frame(sender_, frame);
    }
    vc_status submit(Frame&& frame) { return checked(vc_frame_submit(sender_, &frame.frame_)); }
    vc_status sendSound(const vc_sound& sound) { return checked(vc_sender_send_sound(sender_, &sound)); }
    std::optional<vc_input> takeInput(int timeoutMs = 0) {
        vc_input event = VC_INPUT_INIT;
        if (checked(vc_input_take(sender_, &event, timeoutMs)) != VC_OK) {
            return std::nullopt;
        }
        return event;
    }
    vc_status finish(const std::string& reason, int timeoutMs = -1) {
        return checked(vc_sender_finish(sender_, reason.c_str(), timeoutMs));
    }

    /// For functions of the C interface; still owned by this object.
    vc_sender* handle() { return sender_; }

  private:
    vc_sender* sender_;
};

}  // namespace vc
