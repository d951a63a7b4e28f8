// How fast this machine takes frames into its textures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/report/bench_report.h"
#include "core/video/video_format.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// "direct", "persistent PBO" or "not chosen yet".
std::string uploadPathName(UploadPath path);

struct UploadRate {
    std::string path;  ///< see uploadPathName()
    PartCost cost;     ///< of a frame
};

/// Uploads frames for about a second, out of a ring that no cache holds, each until OpenGL is done with it.
/// Throws Error{Display} when there is no OpenGL, Error{Resource} when there is no room for the ring.
UploadRate measureUpload(const VideoFormat& format);

/// The same as {renderer, path, gigabytes_per_second, frames_per_second}, of the median frame.
nlohmann::json measureUploadRate(const VideoFormat& format);

}  // namespace verbcast
