// Measures how fast this machine uploads frames into textures.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/bench/report/bench_report.h"
#include "core/video/video_format.h"

namespace verbcast {

struct UploadRate {
    std::string path;  ///< see nameOf(UploadPath)
    PartCost cost;     ///< per frame
};

/// Uploads frames for about a second from a ring larger than the caches, waiting each time until OpenGL is
/// done with it. `inGpu`: from a ring in the memory of the GPU that draws. Throws Error{Display} without
/// OpenGL, Error{Resource} if there is no memory for the ring, Error{Device} without such a GPU.
UploadRate measureUpload(const VideoFormat& format, bool inGpu);

/// The same as {renderer, path, gigabytes_per_second, frames_per_second}, for the median frame.
nlohmann::json measureUploadRate(const VideoFormat& format);

}  // namespace verbcast
