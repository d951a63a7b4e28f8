#include "capture/camera/v4l2_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

template <std::size_t N>
std::string textOf(const __u8 (&field)[N]) {
    const auto* begin = reinterpret_cast<const char*>(field);
    return cleanText({begin, ::strnlen(begin, N)});
}

/// ioctl() that retries when interrupted by a signal. Not 0: see errno.
int control(int fd, unsigned long request, void* argument) {
    int result;
    do {
        result = ::ioctl(fd, request, argument);
    } while (result != 0 && errno == EINTR);
    return result;
}

std::uint32_t captureType(bool multiplanar) {
    return multiplanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

/// Frames per second; nullopt if it is not a valid interval.
std::optional<Rational> rateOfInterval(v4l2_fract interval) {
    constexpr std::uint32_t kMax = INT32_MAX;
    if (interval.numerator == 0 || interval.denominator == 0 || interval.numerator > kMax ||
        interval.denominator > kMax) {
        return std::nullopt;
    }
    return Rational{static_cast<std::int32_t>(interval.denominator),
                    static_cast<std::int32_t>(interval.numerator)};
}

std::uint32_t memoryType(CameraMemory memory) {
    return memory == CameraMemory::User ? V4L2_MEMORY_USERPTR : V4L2_MEMORY_MMAP;
}

/// For a failed system call; `code` is its errno.
Error cameraError(const std::string& path, const std::string& call, int code) {
    switch (code) {
        case ENOENT:
        case ENOTDIR:
            return {ErrorKind::Device, fmt::format("there is no camera {}", path),
                    "verbcast devices lists the cameras; is it plugged in?"};
        case ENODEV:
        case ENXIO:
            return {ErrorKind::Device,
                    fmt::format("the camera {} is gone: {} says {}", path, call, errnoText(code)),
                    "plug it in again; verbcast devices lists the cameras"};
        case EACCES:
        case EPERM:
            return {ErrorKind::Device, fmt::format("permission to use the camera {} is refused", path),
                    "join the group that owns it and log in again: sudo usermod -aG video $USER"};
        case EBUSY:
            return {ErrorKind::Device,
                    fmt::format("the camera {} is in use by another program ({})", path, call),
                    fmt::format("end the other program: fuser -v {} names it", path)};
        case ENOSPC:
            return {ErrorKind::Device,
                    fmt::format("the camera {} gets no bandwidth on its bus ({}: {})", path, call,
                                errnoText(code)),
                    "choose a smaller --size or --fps, or plug it into a USB port of its own"};
        default:
            return {ErrorKind::Device,
                    fmt::format("{} on the camera {}: {} ({})", call, path, errnoText(code), code)};
    }
}

/// Asks the driver for a mode.
void ask(auto& picture, const CameraChoice& choice) {
    picture.width = choice.width;
    picture.height = choice.height;
    picture.pixelformat = choice.fourCc;
    picture.field = V4L2_FIELD_NONE;
}

/// What the driver made of it. Without `colours`, their fields hold garbage.
CameraPicture answerOf(const auto& picture, std::uint32_t bytesPerLine, std::uint64_t imageBytes,
                       bool colours) {
    return {.fourCc = picture.pixelformat,
            .width = picture.width,
            .height = picture.height,
            .bytesPerLine = bytesPerLine,
            .imageBytes = imageBytes,
            .field = picture.field,
            .colorspace = picture.colorspace,
            .encoding = colours ? picture.ycbcr_enc : 0U,
            .quantization = colours ? picture.quantization : 0U,
            .transfer = colours ? picture.xfer_func : 0U};
}

constexpr std::uint32_t kMaxModes = 1024;  // guards against drivers whose list never ends

/// The part of a range that we can send; nullopt if there is none.
std::optional<CameraSizes> sendable(CameraSizes sizes) {
    sizes.stepWidth = std::max(1U, sizes.stepWidth);
    sizes.stepHeight = std::max(1U, sizes.stepHeight);
    const auto bound = [](std::uint32_t& least, std::uint32_t& most, std::uint32_t step) {
        if (least < kMinDimension) {
            least += (kMinDimension - least + step - 1) / step * step;
        }
        if (most > kMaxDimension && kMaxDimension >= least) {
            most = least + (kMaxDimension - least) / step * step;
        }
        return least <= most && most <= kMaxDimension;
    };
    if (!bound(sizes.minWidth, sizes.maxWidth, sizes.stepWidth) ||
        !bound(sizes.minHeight, sizes.maxHeight, sizes.stepHeight)) {
        return std::nullopt;
    }
    return sizes;
}

std::vector<CameraSizes> sizesOf(int fd, bool multiplanar, std::uint32_t fourCc) {
    std::vector<CameraSizes> all;
    v4l2_frmsizeenum size{};
    size.pixel_format = fourCc;
    for (; control(fd, VIDIOC_ENUM_FRAMESIZES, &size) == 0 && size.index < kMaxModes; ++size.index) {
        const bool single = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
        const auto sizes =
            sendable(single ? CameraSizes::single(size.discrete.width, size.discrete.height)
                            : CameraSizes{size.stepwise.min_width, size.stepwise.min_height,
                                          size.stepwise.max_width, size.stepwise.max_height,
                                          size.stepwise.step_width, size.stepwise.step_height});
        if (sizes) {
            all.push_back(*sizes);
        }
        if (!single) {
            break;
        }
    }
    if (size.index == 0 && all.empty()) {
        // Receivers of a video signal list no sizes: the signal decides.
        v4l2_format format{};
        format.type = captureType(multiplanar);
        if (control(fd, VIDIOC_G_FMT, &format) == 0) {
            const auto sizes =
                sendable(multiplanar ? CameraSizes::single(format.fmt.pix_mp.width, format.fmt.pix_mp.height)
                                     : CameraSizes::single(format.fmt.pix.width, format.fmt.pix.height));
            if (sizes) {
                all.push_back(*sizes);
            }
        }
    }
    return all;
}

void addRates(int fd, CameraMode& mode) {
    v4l2_frmivalenum interval{};
    interval.pixel_format = mode.fourCc;
    interval.width = mode.sizes.maxWidth;
    interval.height = mode.sizes.maxHeight;
    for (; control(fd, VIDIOC_ENUM_FRAMEINTERVALS, &interval) == 0 && interval.index < kMaxModes;
         ++interval.index) {
        if (interval.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
            if (const auto rate = rateOfInterval(interval.discrete)) {
                mode.rates.push_back(*rate);
            }
            continue;
        }
        const auto slowest = rateOfInterval(interval.stepwise.max);
        const auto fastest = rateOfInterval(interval.stepwise.min);
        if (slowest && fastest && slowest->value() <= fastest->value()) {
            mode.rates = {*slowest, *fastest};
            mode.rateRange = true;
        }
        break;
    }
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
        fail("open");
    }
}

void V4l2Device::identify() {
    v4l2_capability capability{};
    if (control(fd_.get(), VIDIOC_QUERYCAP, &capability) != 0) {
        if (errno == ENODEV) {
            fail("VIDIOC_QUERYCAP");
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

void V4l2Device::fail(const char* call) const {
    throw cameraError(path_, call, errno);
}

std::vector<CameraMode> V4l2Device::modes() const {
    std::vector<CameraMode> modes;
    v4l2_fmtdesc description{};
    description.type = captureType(multiplanar_);
    for (; control(fd_.get(), VIDIOC_ENUM_FMT, &description) == 0 && modes.size() < kMaxModes;
         ++description.index) {
        CameraMode mode;
        mode.fourCc = description.pixelformat;
        mode.pixelFormat = cameraPixelFormat(mode.fourCc);
        if (!mode.isUsable()) {
            modes.push_back(mode);
            continue;
        }
        for (const CameraSizes& sizes : sizesOf(fd_.get(), multiplanar_, mode.fourCc)) {
            mode.sizes = sizes;
            mode.rates.clear();
            addRates(fd_.get(), mode);
            modes.push_back(mode);
        }
    }
    return modes;
}

CameraPicture V4l2Device::setMode(const CameraChoice& choice) {
    v4l2_format format{};
    format.type = captureType(multiplanar_);
    v4l2_pix_format& picture = format.fmt.pix;
    v4l2_pix_format_mplane& planes = format.fmt.pix_mp;
    if (multiplanar_) {
        ask(planes, choice);
        planes.num_planes = 1;
    } else {
        ask(picture, choice);
    }
    if (control(fd_.get(), VIDIOC_S_FMT, &format) != 0) {
        fail("VIDIOC_S_FMT");
    }
    setRate(choice.rate);
    if (multiplanar_) {
        return answerOf(planes, planes.plane_fmt[0].bytesperline, planes.plane_fmt[0].sizeimage, true);
    }
    // Drivers that predate the newer colour fields leave garbage there; the magic number marks the others.
    return answerOf(picture, picture.bytesperline, picture.sizeimage,
                    picture.priv == V4L2_PIX_FMT_PRIV_MAGIC);
}

void V4l2Device::setRate(const std::optional<Rational>& rate) {
    rate_.reset();
    v4l2_streamparm parameters{};
    parameters.type = captureType(multiplanar_);
    if (control(fd_.get(), VIDIOC_G_PARM, &parameters) != 0) {
        return;  // many devices cannot set their rate
    }
    const bool settable = (parameters.parm.capture.capability & V4L2_CAP_TIMEPERFRAME) != 0;
    if (rate && settable) {
        parameters.parm.capture.timeperframe = {static_cast<std::uint32_t>(rate->denominator),
                                                static_cast<std::uint32_t>(rate->numerator)};
        if (control(fd_.get(), VIDIOC_S_PARM, &parameters) != 0) {
            fail("VIDIOC_S_PARM");
        }
    }
    rate_ = rateOfInterval(parameters.parm.capture.timeperframe);
}

std::uint32_t V4l2Device::requestBuffers(CameraMemory memory, std::uint32_t count) {
    unmapBuffers();
    memory_ = memory;
    v4l2_requestbuffers request{};
    request.count = count;
    request.type = captureType(multiplanar_);
    request.memory = memoryType(memory);
    if (control(fd_.get(), VIDIOC_REQBUFS, &request) != 0) {
        if (errno == EINVAL) {
            return 0;
        }
        fail("VIDIOC_REQBUFS");
    }
    if (count > 0 && memory == CameraMemory::Mapped && !mapBuffers(request.count)) {
        fail("mmap");
    }
    return request.count;
}

std::vector<UniqueFd> V4l2Device::exportBuffers(std::uint32_t count) {
    std::vector<UniqueFd> buffers;
    for (std::uint32_t index = 0; index < count; ++index) {
        v4l2_exportbuffer wanted{};
        wanted.type = captureType(multiplanar_);
        wanted.index = index;
        wanted.flags = O_CLOEXEC | O_RDONLY;
        if (control(fd_.get(), VIDIOC_EXPBUF, &wanted) != 0) {
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
        if (control(fd_.get(), VIDIOC_QUERYBUF, &buffer) != 0) {
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
    buffer.type = captureType(multiplanar_);
    buffer.memory = memoryType(memory_);
    buffer.index = index;
    if (multiplanar_) {
        buffer.m.planes = &plane;
        buffer.length = 1;
    }
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
    if (memory_ == CameraMemory::User && multiplanar_) {
        plane.m.userptr = address;
        plane.length = bytes;
    } else if (memory_ == CameraMemory::User) {
        buffer.m.userptr = address;
        buffer.length = bytes;
    }
    return control(fd_.get(), VIDIOC_QBUF, &buffer) == 0 || failed("VIDIOC_QBUF");
}

bool V4l2Device::startStreaming() {
    int type = static_cast<int>(captureType(multiplanar_));
    return control(fd_.get(), VIDIOC_STREAMON, &type) == 0 || failed("VIDIOC_STREAMON");
}

Status V4l2Device::dequeue(FilledBuffer& filled) {
    v4l2_buffer buffer{};
    v4l2_plane plane{};
    prepare(buffer, plane, 0);
    if (control(fd_.get(), VIDIOC_DQBUF, &buffer) != 0) {
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
