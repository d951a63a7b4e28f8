// Error messages for cameras, with the remedy.
#pragma once

#include <string>

#include "core/base/error.h"

namespace verbcast {

/// The error for a failed system call on a camera's device; `code` is its errno.
Error cameraError(const std::string& path, const std::string& call, int code);

/// The node exists but is not a camera: an output, metadata, a file.
class NotACamera : public Error {
  public:
    NotACamera(const std::string& path, const std::string& why)
        : Error(ErrorKind::Device, path + " is not a camera: " + why, "verbcast devices lists the cameras") {}
};

}  // namespace verbcast
