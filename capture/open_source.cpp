#include <unistd.h>

#include <string_view>

#include "capture/camera/v4l2_source.h"
#include "capture/convert/ffmpeg_handles.h"
#include "capture/frame_source.h"
#include "capture/media/file_source.h"
#include "capture/media/raw_source.h"
#include "capture/media/stream_head.h"
#include "capture/pattern/pattern_source.h"
#include "capture/screen/open_screen.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

constexpr std::string_view kPattern = "pattern";

constexpr std::string_view kScreen = "screen";

/// "KIND" or "KIND:...".
bool isOfKind(std::string_view source, std::string_view kind) {
    return source == kind || (source.starts_with(kind) && source[kind.size()] == ':');
}

/// What follows "KIND:", or empty.
std::string_view afterKind(std::string_view source, std::string_view kind) {
    return source.substr(std::min(source.size(), kind.size() + 1));
}

void requireHostMemory(const SourceOptions& options) {
    if (options.memory == PictureMemory::Device) {
        throw Error(ErrorKind::Usage,
                    "--memory device keeps what NVIDIA's decoder decodes in its GPU, and " + options.source +
                        " is no media file",
                    "leave it out");
    }
}

void requireWhole(const SourceOptions& options) {
    if (!options.inputFormat.empty()) {
        throw Error(ErrorKind::Usage,
                    "--input-format names the format of a file, and " + options.source + " is no media file",
                    "leave it out");
    }
    if (options.videoTrack) {
        throw Error(ErrorKind::Usage,
                    "--video-track chooses one of a file's, and " + options.source + " is no media file",
                    "leave it out");
    }
    if (options.start.count() > 0 || options.length) {
        throw Error(ErrorKind::Usage,
                    "-ss and -t choose a part of a file, and " + options.source + " is no media file",
                    "leave them out; --seconds ends a stream after a time");
    }
}

/// Opens self-describing media, or raw frames as the options describe them.
std::unique_ptr<FrameSource> openStandardInput(const SourceOptions& options) {
    constexpr const char* kName = "stdin";
    StreamHead head(STDIN_FILENO, kName, options.cancel);
    const bool described = options.width && options.height && options.pixelFormat;
    if (described && !head.namesItself()) {
        requireWhole(options);
        requireHostMemory(options);
        return std::make_unique<RawSource>(options, STDIN_FILENO, kName, head.take());
    }
    quietFfmpeg();
    return std::make_unique<FileSource>(options, head.recognise());
}

}  // namespace

std::unique_ptr<FrameSource> openSource(const SourceOptions& options) {
    const std::string_view source = options.source;
    if (source.empty()) {
        throw Error(ErrorKind::Usage, "no source is named",
                    "name a file, pattern:NAME, v4l2 for a camera, screen, or - for standard input");
    }
    if (source == "-") {
        return openStandardInput(options);
    }
    if (isOfKind(source, kPattern) || isOfKind(source, kScreen) || isCameraName(source)) {
        requireWhole(options);
        requireHostMemory(options);
    }
    if (isOfKind(source, kPattern)) {
        return std::make_unique<PatternSource>(options, afterKind(source, kPattern));
    }
    if (isOfKind(source, kScreen)) {
        return openScreen(options, afterKind(source, kScreen));
    }
    if (isCameraName(source)) {
        return std::make_unique<V4l2Source>(options);
    }
    quietFfmpeg();
    try {
        return std::make_unique<FileSource>(options);
    } catch (const Error& error) {
        // The user may have meant a kind of source, not a file.
        const std::string guess =
            didYouMean(source.substr(0, source.find(':')), {"pattern", "screen", "v4l2"});
        if (guess.empty() || error.kind() != ErrorKind::Input) {
            throw;
        }
        throw Error(error.kind(), error.what(), guess);
    }
}

}  // namespace verbcast
