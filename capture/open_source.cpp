#include <unistd.h>

#include <string_view>

#include "capture/camera/v4l2_source.h"
#include "capture/ffmpeg_handles.h"
#include "capture/file_source.h"
#include "capture/frame_source.h"
#include "capture/pattern_source.h"
#include "capture/raw_source.h"

namespace verbcast {
namespace {

constexpr std::string_view kPattern = "pattern";

bool isPattern(std::string_view source) {
    return source == kPattern || (source.starts_with(kPattern) && source[kPattern.size()] == ':');
}

}  // namespace

std::unique_ptr<FrameSource> openSource(const SourceOptions& options) {
    const std::string_view source = options.source;
    if (source.empty()) {
        throw Error(ErrorKind::Usage, "no source is named",
                    "name a file, pattern:NAME, v4l2 for a camera, or - for raw frames on stdin");
    }
    if (source == "-") {
        return std::make_unique<RawSource>(options, STDIN_FILENO, "stdin");
    }
    if (isPattern(source)) {
        return std::make_unique<PatternSource>(options,
                                               source.substr(std::min(source.size(), kPattern.size() + 1)));
    }
    if (isCameraName(source)) {
        return std::make_unique<V4l2Source>(options);
    }
    quietFfmpeg();
    return std::make_unique<FileSource>(options);
}

}  // namespace verbcast
