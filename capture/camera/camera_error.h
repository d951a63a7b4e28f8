// Why a camera could not be used, in words that name the remedy.
#pragma once

#include <string>

#include "core/base/error.h"

namespace verbcast {

/// For a system call on a camera's device that failed with `code` (errno).
Error cameraError(const std::string& path, const std::string& call, int code);

/// A node that is there and is something else: an output, metadata, a file.
class NotACamera : public Error {
  public:
    NotACamera(const std::string& path, const std::string& why)
        : Error(ErrorKind::Device, path + " is not a camera: " + why, "verbcast devices lists the cameras") {}
};

}  // namespace verbcast
