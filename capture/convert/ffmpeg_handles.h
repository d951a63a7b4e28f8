// Owning handles for FFmpeg's objects, and texts for its error codes.
#pragma once

extern "C" {
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

#include "capture/convert/ffmpeg_library.h"

namespace verbcast {

struct AvDelete {
    void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
    void operator()(AVDictionary* dictionary) const { av_dict_free(&dictionary); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(SwrContext* context) const { swr_free(&context); }
    void operator()(SwsContext* context) const { sws_freeContext(context); }
};

using FormatContextPtr = std::unique_ptr<AVFormatContext, AvDelete>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, AvDelete>;
using CodecParametersPtr = std::unique_ptr<AVCodecParameters, AvDelete>;
using BufferPtr = std::unique_ptr<AVBufferRef, AvDelete>;
using DictionaryPtr = std::unique_ptr<AVDictionary, AvDelete>;
using FramePtr = std::unique_ptr<AVFrame, AvDelete>;
using PacketPtr = std::unique_ptr<AVPacket, AvDelete>;
using SwrPtr = std::unique_ptr<SwrContext, AvDelete>;
using SwsPtr = std::unique_ptr<SwsContext, AvDelete>;

/// Empty objects. They throw Error{Resource} if out of memory, as do the next two functions.
FramePtr newFrame();
PacketPtr newPacket();

CodecParametersPtr copyOf(const AVCodecParameters& parameters);

/// A picture of this size and format with its own buffer.
FramePtr newPicture(AVPixelFormat format, int width, int height);

/// Text for a negative return value of an FFmpeg function.
std::string avErrorText(int code);

/// Silences FFmpeg on stderr except for fatal messages: we count and report what it finds wrong.
void quietFfmpeg();

}  // namespace verbcast
