#include "capture/camera/v4l2_control.h"

#include <linux/videodev2.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace verbcast {

int v4l2Control(int fd, unsigned long request, void* argument) {
    int result;
    do {
        result = ::ioctl(fd, request, argument);
    } while (result != 0 && errno == EINTR);
    return result;
}

std::uint32_t v4l2CaptureType(bool multiplanar) {
    return multiplanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

std::optional<Rational> rateOfInterval(v4l2_fract interval) {
    constexpr std::uint32_t kMax = INT32_MAX;
    if (interval.numerator == 0 || interval.denominator == 0 || interval.numerator > kMax ||
        interval.denominator > kMax) {
        return std::nullopt;
    }
    return Rational{static_cast<std::int32_t>(interval.denominator),
                    static_cast<std::int32_t>(interval.numerator)};
}

}  // namespace verbcast
