#include "capture/media/input/open_media.h"

#include <fmt/format.h>

#include "capture/media/input/ffmpeg_log.h"
#include "capture/media/input/input_limits.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

[[noreturn]] void throwCannotOpen(const std::string& path, int code, const std::string& logged) {
    const std::string reason = avErrorText(code) + (logged.empty() ? "" : " (" + logged + ")");
    if (code == AVERROR_INVALIDDATA) {
        throw Error(ErrorKind::Input, path + " is not a media file that FFmpeg knows: " + reason,
                    path.starts_with("tcp://") ? "if a viewer waits there, send to it: --to " + path
                                               : "see what FFmpeg makes of it: ffprobe " + path);
    }
    throw Error(ErrorKind::Input, "cannot open " + path + ": " + reason,
                code == AVERROR(ENOENT)   ? "check the path; a pattern is named pattern:NAME"
                : code == AVERROR(EISDIR) ? "name one file in that folder"
                                          : "");
}

[[noreturn]] void throwLeftOut(const std::string& path, bool piped) {
    throw Error(
        ErrorKind::Input,
        path + " is a list of other files or addresses, such as HLS, DASH or concat, and is not followed",
        piped ? "name the address of the list itself"
              : "if you trust it, name its format: --input-format hls, dash, concat or sdp");
}

/// Null: detected when opening.
const AVInputFormat* formatFor(const MediaOpening& opening) {
    if (opening.inputFormat.empty()) {
        return opening.knownFormat;
    }
    const AVInputFormat* format = av_find_input_format(opening.inputFormat.c_str());
    if (format == nullptr) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--input-format {}: FFmpeg has no format of that name", opening.inputFormat),
                    "ffmpeg -demuxers lists them");
    }
    return format;
}

}  // namespace

OpenedMedia openMedia(const MediaOpening& opening) {
    const bool piped = opening.pipe != nullptr;
    const AVInputFormat* const format = formatFor(opening);
    AVFormatContext* context = avformat_alloc_context();
    if (context == nullptr) {
        throw Error(ErrorKind::Resource, "no memory to open " + opening.path);
    }
    context->interrupt_callback = opening.interrupt;
    context->pb = opening.pipe;
    const std::string url = piped ? opening.path : urlOf(opening.path);
    AVDictionary* limits = inputLimits(url, piped, opening.inputFormat).release();
    const LastFfmpegError logged;
    const int code = avformat_open_input(&context, url.c_str(), format, &limits);
    const DictionaryPtr rest(limits);
    if (code < 0) {  // avformat_open_input() has freed the context
        isLeftOut(logged.text()) ? throwLeftOut(opening.path, piped)
                                 : throwCannotOpen(opening.path, code, logged.text());
    }
    OpenedMedia opened{.context = FormatContextPtr(context)};
    if (const int found = avformat_find_stream_info(context, nullptr); found < 0) {
        throwCannotOpen(opening.path, found, logged.text());
    }
    opened.cutOff = logged.endedEarly();
    return opened;
}

bool canSeek(const AVFormatContext& context) {
    const bool timed = (context.iformat->flags & (AVFMT_NOTIMESTAMPS | AVFMT_GENERIC_INDEX)) == 0;
    const bool seekable = context.pb == nullptr || (context.pb->seekable & AVIO_SEEKABLE_NORMAL) != 0;
    return timed && seekable;
}

std::int64_t startOf(const AVFormatContext& context) {
    return context.start_time != AV_NOPTS_VALUE ? context.start_time : 0;
}

}  // namespace verbcast
