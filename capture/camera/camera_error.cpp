#include "capture/camera/camera_error.h"

#include <fmt/format.h>

#include <cerrno>

namespace verbcast {

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

}  // namespace verbcast
