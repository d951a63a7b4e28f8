#include "capture/convert/ffmpeg_handles.h"

extern "C" {
#include <libavutil/ffversion.h>
}

#include <fmt/format.h>

#include "capture/frame_source.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

template <typename T>
T* orOutOfMemory(T* object, const char* what) {
    if (object == nullptr) {
        throw Error(ErrorKind::Resource, std::string("no memory for ") + what);
    }
    return object;
}

}  // namespace

FramePtr newFrame() {
    return FramePtr(orOutOfMemory(av_frame_alloc(), "a picture"));
}

PacketPtr newPacket() {
    return PacketPtr(orOutOfMemory(av_packet_alloc(), "a packet"));
}

CodecParametersPtr copyOf(const AVCodecParameters& parameters) {
    CodecParametersPtr copy(orOutOfMemory(avcodec_parameters_alloc(), "a codec's parameters"));
    if (const int code = avcodec_parameters_copy(copy.get(), &parameters); code < 0) {
        throw Error(ErrorKind::Resource, "no memory for a codec's parameters: " + avErrorText(code));
    }
    return copy;
}

FramePtr newPicture(AVPixelFormat format, int width, int height) {
    FramePtr picture = newFrame();
    picture->format = format;
    picture->width = width;
    picture->height = height;
    if (const int code = av_frame_get_buffer(picture.get(), 0); code < 0) {
        throw Error(ErrorKind::Resource,
                    fmt::format("no memory for a picture of {}x{}: {}", width, height, avErrorText(code)));
    }
    return picture;
}

std::string avErrorText(int code) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(code, text, sizeof text);
    return text;
}

void quietFfmpeg() {
    av_log_set_level(AV_LOG_FATAL);
}

std::string ffmpegVersion() {
    return av_version_info();
}

std::string ffmpegVersionCompiledWith() {
    return FFMPEG_VERSION;
}

}  // namespace verbcast
