// One Video4Linux2 capture device: wraps its ioctls, for the single- and multi-planar interface alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/camera/camera_format.h"
#include "capture/camera/camera_mode.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"

struct v4l2_buffer;
struct v4l2_plane;

namespace verbcast {

/// The node exists but is not a camera: an output, metadata, a file.
class NotACamera : public Error {
  public:
    NotACamera(const std::string& path, const std::string& why)
        : Error(ErrorKind::Device, path + " is not a camera: " + why, "verbcast devices lists the cameras") {}
};

/// Where a device's buffers are.
enum class CameraMemory {
    User,    ///< in our own memory: the device or its driver writes directly into it
    Shared,  ///< in the driver's memory, exported as dma-bufs
    Mapped,  ///< in the driver's memory, mapped for reading
};

/// A buffer that the device has filled and returned.
struct FilledBuffer {
    std::uint32_t index = 0;
    std::uint64_t bytes = 0;
    std::uint32_t sequence = 0;          ///< counts the pictures taken: a gap means lost frames
    std::optional<TimestampNs> takenAt;  ///< set if the driver uses our clock
    bool damaged = false;                ///< V4L2_BUF_FLAG_ERROR
};

/// Used by one thread. Closing the device stops streaming; queued user memory must stay valid until then.
class V4l2Device {
  public:
    /// Opens a device that captures and streams. Throws Error{Device} with the remedy: no such device,
    /// permission refused, in use, not a camera.
    explicit V4l2Device(const std::string& path);
    ~V4l2Device();
    V4l2Device(const V4l2Device&) = delete;
    V4l2Device& operator=(const V4l2Device&) = delete;

    const std::string& path() const { return path_; }
    const std::string& card() const { return card_; }      ///< "Integrated Camera"
    const std::string& driver() const { return driver_; }  ///< "uvcvideo"
    const std::string& bus() const { return bus_; }        ///< "usb-0000:00:14.0-1"
    int descriptor() const { return fd_.get(); }           ///< readable when dequeue() has something

    /// All formats in the device's own order, each in every size that we can send, with the rates at that
    /// size. Unusable formats are listed once, without sizes.
    std::vector<CameraMode> modes() const;

    /// Sets a mode and returns what the driver made of it. Throws Error{Device} if another program uses it.
    CameraPicture setMode(const CameraChoice& choice);
    /// The device's frame rate; nullopt if it does not tell.
    std::optional<Rational> rate() const { return rate_; }

    /// Requests buffers and returns how many there are; 0 if the driver does not support such memory. A count
    /// of 0 frees all buffers. Throws Error{Device} if another program has the stream.
    std::uint32_t requestBuffers(CameraMemory memory, std::uint32_t count);
    /// Exports all Shared buffers as read-only dma-bufs, which outlive the device. Empty: see problem().
    std::vector<UniqueFd> exportBuffers(std::uint32_t count);
    /// Queues a buffer, a User one with its memory. False: see problem().
    bool queue(std::uint32_t index, std::span<std::byte> userMemory = {});
    /// A Mapped buffer; valid until the buffers are freed or the device is closed.
    std::span<const std::byte> mapped(std::uint32_t index) const { return mapped_[index]; }

    /// False: see problem().
    bool startStreaming();
    /// Ok. TimedOut: nothing is ready. Closed: the device is gone or has failed, see problem().
    Status dequeue(FilledBuffer& filled);

    /// Why exportBuffers(), queue(), startStreaming() or dequeue() last failed.
    Error problem() const;
    /// Whether it failed because the device is gone.
    bool isGone() const;

  private:
    void open();
    void identify();
    [[noreturn]] void fail(const char* call) const;
    void setRate(const std::optional<Rational>& rate);
    bool mapBuffers(std::uint32_t count);
    void unmapBuffers();
    void prepare(v4l2_buffer& buffer, v4l2_plane& plane, std::uint32_t index) const;
    bool failed(const char* call);

    std::string path_, card_, driver_, bus_;
    UniqueFd fd_;
    bool multiplanar_ = false;
    CameraMemory memory_ = CameraMemory::User;
    std::optional<Rational> rate_;
    std::vector<std::span<std::byte>> mapped_;
    const char* problemCall_ = "";
    int problemCode_ = 0;
};

}  // namespace verbcast
