#include "capture/camera/v4l2_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "capture/camera/camera_error.h"
#include "capture/camera/v4l2_control.h"
#include "capture/camera/v4l2_modes.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

template <std::size_t N>
std::string textOf(const __u8 (&field)[N]) {
    const auto* begin = reinterpret_cast<const char*>(field);
    return cleanText({begin, ::strnlen(begin, N)});
}

std::uint32_t memoryType(CameraMemory memory) {
    return memory == CameraMemory::User ? V4L2_MEMORY_USERPTR : V4L2_MEMORY_MMAP;
}

}  // namespace

V4l2Device::V4l2Device(const std::string& path) : path_(path) {
    open();
    identify();
}

V4l2Device::~V4l2Device() {
    unmapBuffers();
}

void V4l2Device::open() {
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && !S_ISCHR(status.st_mode)) {
        throw NotACamera(path_, "it is no device");
    }
    fd_.reset(::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!fd_) {
        fail("open", errno);
    }
}

void V4l2Device::identify() {
    v4l2_capability capability{};
    if (v4l2Control(fd_.get(), VIDIOC_QUERYCAP, &capability) != 0) {
        if (errno == ENODEV) {
            fail("VIDIOC_QUERYCAP", errno);
        }
        throw NotACamera(path_, "it does not speak Video4Linux2");
    }
    card_ = textOf(capability.card);
    driver_ = textOf(capability.driver);
    bus_ = textOf(capability.bus_info);
    const bool ofNode = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0;
    const std::uint32_t can = ofNode ? capability.device_caps : capability.capabilities;
    multiplanar_ = (can & V4L2_CAP_VIDEO_CAPTURE) == 0;
    if ((can & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)) == 0) {
        throw NotACamera(path_, card_ + " captures no pictures");
    }
    if ((can & V4L2_CAP_STREAMING) == 0) {
        throw NotACamera(path_, card_ + " captures, but does not stream");
    }
}

void V4l2Device::fail(const char* call, int code) const {
    throw cameraError(path_, call, code);
}

std::vector<CameraMode> V4l2Device::modes() const {
    return v4l2Modes(fd_.get(), multiplanar_);
}

CameraPicture V4l2Device::setMode(const CameraChoice& choice) {
    v4l2_format format{};
    format.type = v4l2CaptureType(multiplanar_);
    if (multiplanar_) {
        v4l2_pix_format_mplane& picture = format.fmt.pix_mp;
        picture.width = choice.width;
        picture.height = choice.height;
        picture.pixelformat = choice.fourCc;
        picture.field = V4L2_FIELD_NONE;
        picture.num_planes = 1;
    } else {
        v4l2_pix_format& picture = format.fmt.pix;
        picture.width = choice.width;
        picture.height = choice.height;
        picture.pixelformat = choice.fourCc;
        picture.field = V4L2_FIELD_NONE;
    }
    if (v4l2Control(fd_.get(), VIDIOC_S_FMT, &format) != 0) {
        fail("VIDIOC_S_FMT", errno);
    }
    setRate(choice.rate);
    if (multiplanar_) {
        const v4l2_pix_format_mplane& picture = format.fmt.pix_mp;
        return {.fourCc = picture.pixelformat,
                .width = picture.width,
                .height = picture.height,
                .bytesPerLine = picture.plane_fmt[0].bytesperline,
                .imageBytes = picture.plane_fmt[0].sizeimage,
                .field = picture.field,
                .colorspace = picture.colorspace,
                .encoding = picture.ycbcr_enc,
                .quantization = picture.quantization,
                .transfer = picture.xfer_func};
    }
    const v4l2_pix_format& picture = format.fmt.pix;
    // Drivers that predate the newer colour fields leave garbage there; the magic number marks the others.
    const bool colours = picture.priv == V4L2_PIX_FMT_PRIV_MAGIC;
    return {.fourCc = picture.pixelformat,
            .width = picture.width,
            .height = picture.height,
            .bytesPerLine = picture.bytesperline,
            .imageBytes = picture.sizeimage,
            .field = picture.field,
            .colorspace = picture.colorspace,
            .encoding = colours ? picture.ycbcr_enc : 0,
            .quantization = colours ? picture.quantization : 0,
            .transfer = colours ? picture.xfer_func : 0};
}

void V4l2Device::setRate(const std::optional<Rational>& rate) {
    rate_.reset();
    v4l2_streamparm parameters{};
    parameters.type = v4l2CaptureType(multiplanar_);
    if (v4l2Control(fd_.get(), VIDIOC_G_PARM, &parameters) != 0) {
        return;  // many devices cannot set their rate
    }
    const bool settable = (parameters.parm.capture.capability & V4L2_CAP_TIMEPERFRAME) != 0;
    if (rate && settable) {
        parameters.parm.capture.timeperframe = {static_cast<std::uint32_t>(rate->denominator),
                                                static_cast<std::uint32_t>(rate->numerator)};
        if (v4l2Control(fd_.get(), VIDIOC_S_PARM, &parameters) != 0) {
            fail("VIDIOC_S_PARM", errno);
        }
    }
    rate_ = rateOfInterval(parameters.parm.capture.timeperframe);
}

std::uint32_t V4l2Device::requestBuffers(CameraMemory memory, std::uint32_t count) {
    unmapBuffers();
    memory_ = memory;
    v4l2_requestbuffers request{};
    request.count = count;
    request.type = v4l2CaptureType(multiplanar_);
    request.memory = memoryType(memory);
    if (v4l2Control(fd_.get(), VIDIOC_REQBUFS, &request) != 0) {
        if (errno == EINVAL) {
            return 0;
        }
        fail("VIDIOC_REQBUFS", errno);
    }
    if (count > 0 && memory == CameraMemory::Mapped && !mapBuffers(request.count)) {
        fail("mmap", errno);
    }
    return request.count;
}

std::vector<UniqueFd> V4l2Device::exportBuffers(std::uint32_t count) {
    std::vector<UniqueFd> buffers;
    for (std::uint32_t index = 0; index < count; ++index) {
        v4l2_exportbuffer wanted{};
        wanted.type = v4l2CaptureType(multiplanar_);
        wanted.index = index;
        wanted.flags = O_CLOEXEC | O_RDONLY;
        if (v4l2Control(fd_.get(), VIDIOC_EXPBUF, &wanted) != 0) {
            failed("VIDIOC_EXPBUF");
            return {};
        }
        buffers.emplace_back(wanted.fd);
    }
    return buffers;
}

bool V4l2Device::mapBuffers(std::uint32_t count) {
    for (std::uint32_t index = 0; index < count; ++index) {
        v4l2_buffer buffer{};
        v4l2_plane plane{};
        prepare(buffer, plane, index);
        if (v4l2Control(fd_.get(), VIDIOC_QUERYBUF, &buffer) != 0) {
            return false;
        }
        const std::size_t bytes = multiplanar_ ? plane.length : buffer.length;
        const auto offset = static_cast<off_t>(multiplanar_ ? plane.m.mem_offset : buffer.m.offset);
        void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), offset);
        if (memory == MAP_FAILED) {
            return false;
        }
        mapped_.emplace_back(static_cast<std::byte*>(memory), bytes);
    }
    return true;
}

void V4l2Device::unmapBuffers() {
    for (const std::span<std::byte> buffer : mapped_) {
        ::munmap(buffer.data(), buffer.size());
    }
    mapped_.clear();
}

void V4l2Device::prepare(v4l2_buffer& buffer, v4l2_plane& plane, std::uint32_t index) const {
    buffer.type = v4l2CaptureType(multiplanar_);
    buffer.memory = memoryType(memory_);
    buffer.index = index;
    if (multiplanar_) {
        buffer.m.planes = &plane;
        buffer.length = 1;
    }
}

bool V4l2Device::enqueue(v4l2_buffer& buffer) {
    return v4l2Control(fd_.get(), VIDIOC_QBUF, &buffer) == 0 || failed("VIDIOC_QBUF");
}

bool V4l2Device::failed(const char* call) {
    problemCall_ = call;
    problemCode_ = errno;
    return false;
}

Error V4l2Device::problem() const {
    return cameraError(path_, problemCall_, problemCode_);
}

bool V4l2Device::isGone() const {
    return problemCode_ == ENODEV;
}

bool V4l2Device::queue(std::uint32_t index, std::span<std::byte> userMemory) {
    v4l2_buffer buffer{};
    v4l2_plane plane{};
    prepare(buffer, plane, index);
    const auto address = reinterpret_cast<unsigned long>(userMemory.data());
    const auto bytes = static_cast<std::uint32_t>(userMemory.size());
    if (multiplanar_) {
        plane.m.userptr = address;
        plane.length = bytes;
    } else {
        buffer.m.userptr = address;
        buffer.length = bytes;
    }
    return enqueue(buffer);
}

bool V4l2Device::queue(std::uint32_t index) {
    v4l2_buffer buffer{};
    v4l2_plane plane{};
    prepare(buffer, plane, index);
    return enqueue(buffer);
}

bool V4l2Device::startStreaming() {
    int type = static_cast<int>(v4l2CaptureType(multiplanar_));
    return v4l2Control(fd_.get(), VIDIOC_STREAMON, &type) == 0 || failed("VIDIOC_STREAMON");
}

Status V4l2Device::dequeue(FilledBuffer& filled) {
    v4l2_buffer buffer{};
    v4l2_plane plane{};
    prepare(buffer, plane, 0);
    if (v4l2Control(fd_.get(), VIDIOC_DQBUF, &buffer) != 0) {
        if (errno == EAGAIN) {
            return Status::TimedOut;
        }
        failed("VIDIOC_DQBUF");
        return Status::Closed;
    }
    filled = {.index = buffer.index,
              .bytes = multiplanar_ ? plane.bytesused : buffer.bytesused,
              .sequence = buffer.sequence,
              .takenAt = {},
              .damaged = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0};
    if ((buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) {
        filled.takenAt = TimestampNs{buffer.timestamp.tv_sec} * 1'000'000'000 +
                         TimestampNs{buffer.timestamp.tv_usec} * 1000;
    }
    return Status::Ok;
}

}  // namespace verbcast
