// FFmpeg's objects as owned C++ values, and its error codes as text.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace verbcast {

struct AvDelete {
    void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(SwsContext* context) const { sws_freeContext(context); }
};

using FormatContextPtr = std::unique_ptr<AVFormatContext, AvDelete>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, AvDelete>;
using FramePtr = std::unique_ptr<AVFrame, AvDelete>;
using PacketPtr = std::unique_ptr<AVPacket, AvDelete>;
using SwsPtr = std::unique_ptr<SwsContext, AvDelete>;

/// Empty objects; throw Error{Resource} without memory.
FramePtr newFrame();
PacketPtr newPacket();

/// A picture of that size and format with memory of its own.
FramePtr newPicture(AVPixelFormat format, int width, int height);

/// Text for a negative return value of an FFmpeg function.
std::string avErrorText(int code);

/// FFmpeg's own messages go to stderr only when they are fatal: what it finds wrong is counted and reported
/// by us.
void quietFfmpeg();

}  // namespace verbcast
