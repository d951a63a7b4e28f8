#include <unistd.h>

#include <array>
#include <string_view>

#include "capture/camera/camera_list.h"
#include "capture/camera/v4l2_source.h"
#include "capture/convert/ffmpeg_handles.h"
#include "capture/frame_source.h"
#include "capture/media/file_source.h"
#include "capture/media/input/stream_head.h"
#include "capture/media/raw_source.h"
#include "capture/pattern/pattern_source.h"
#include "capture/screen/monitors.h"
#include "capture/screen/open_screen.h"
#include "capture/source_schemes.h"
#include "core/base/text/names_in.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

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

std::unique_ptr<FrameSource> openFile(const SourceOptions& options) {
    quietFfmpeg();
    try {
        return std::make_unique<FileSource>(options);
    } catch (const NoVideo&) {
        throw;
    } catch (const Error& error) {
        // The user may have meant a kind of source, not a file.
        const std::string guess = didYouMean(options.source.substr(0, options.source.find(':')),
                                             namesIn(kSourceSchemes, &SourceScheme::name));
        if (guess.empty() || error.kind() != ErrorKind::Input) {
            throw;
        }
        throw Error(error.kind(), error.what(), guess);
    }
}

template <typename Source>
std::unique_ptr<FrameSource> make(const SourceOptions& options, std::string_view part) {
    return std::make_unique<Source>(options, part);
}

using Open = std::unique_ptr<FrameSource> (*)(const SourceOptions&, std::string_view part);

/// In the order of kSourceSchemes.
constexpr std::array<Open, kSourceSchemes.size()> kOpen{make<PatternSource>, make<V4l2Source>, openScreen};

}  // namespace

std::unique_ptr<FrameSource> openSource(const SourceOptions& options) {
    if (options.source.empty()) {
        throw Error(ErrorKind::Usage, "no source is named",
                    "name a file, pattern:NAME, v4l2 for a camera, screen, or - for standard input");
    }
    if (options.source == "-") {
        return openStandardInput(options);
    }
    const SourceScheme* const scheme = sourceSchemeOf(options.source);
    if (scheme == nullptr) {
        return openFile(options);
    }
    requireWhole(options);
    requireHostMemory(options);
    return kOpen.at(static_cast<std::size_t>(scheme - kSourceSchemes.data()))(options,
                                                                              scheme->partOf(options.source));
}

std::vector<SourceDevices> sourceDevices() {
    return {{"Capture devices", cameraLines()},
            {"Desktop's portal (verbcast send screen:portal)", {portalSupport().detail}},
            {"Monitors (verbcast send screen:monitor=NAME)", monitorLines()}};
}

}  // namespace verbcast
