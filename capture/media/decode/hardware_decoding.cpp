#include "capture/media/decode/hardware_decoding.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

// Beyond those that the codec needs: the current picture and the last one skipped.
constexpr int kSurfacesHeld = 2;

}  // namespace

std::unique_ptr<HardwareDecoding> HardwareDecoding::open(Decoder decoder, PicturesFor use,
                                                         const AVCodecParameters& parameters,
                                                         AVRational timeBase, std::string& reason) {
    const HardwareCodec codec = hardwareCodec(parameters.codec_id, decoder);
    reason = codec.reason;
    if (codec.codec == nullptr) {
        return nullptr;
    }
    HardwareDevice device = openHardwareDevice(decoder, use);
    reason = device.reason;
    if (!device.context) {
        return nullptr;
    }
    std::unique_ptr<HardwareDecoding> hardware(
        new HardwareDecoding(decoder, codec, parameters, timeBase, std::move(device.context)));
    if (const int code = avcodec_open2(hardware->context_.get(), codec.codec, nullptr); code < 0) {
        reason = fmt::format("the decoder {} does not open: {}", codec.codec->name, avErrorText(code));
        return nullptr;
    }
    return hardware;
}

HardwareDecoding::HardwareDecoding(Decoder decoder, const HardwareCodec& codec,
                                   const AVCodecParameters& parameters, AVRational timeBase, BufferPtr device)
    : decoder_(decoder), surface_(codec.surface), context_(avcodec_alloc_context3(codec.codec)) {
    if (!context_) {
        throw Error(ErrorKind::Resource, "no memory for a decoder");
    }
    avcodec_parameters_to_context(context_.get(), &parameters);
    context_->pkt_timebase = timeBase;
    context_->thread_count = 1;
    context_->hw_device_ctx = device.release();
    context_->extra_hw_frames = kSurfacesHeld;
    context_->opaque = this;
    context_->get_format = &HardwareDecoding::chooseFormat;
}

AVPixelFormat HardwareDecoding::chooseFormat(AVCodecContext* context, const AVPixelFormat* formats) {
    auto* self = static_cast<HardwareDecoding*>(context->opaque);
    AVPixelFormat last = AV_PIX_FMT_NONE;
    for (; *formats != AV_PIX_FMT_NONE; ++formats) {
        if (*formats == self->surface_) {
            self->offered_ = true;
            return self->surface_;
        }
        last = *formats;
    }
    const char* const profile = avcodec_profile_name(context->codec_id, context->profile);
    self->declined_ = fmt::format(
        "{} {} {}{} of {}x{}", nameOf(self->decoder_),
        self->offered_ ? "does not take" : "has no form in FFmpeg for", avcodec_get_name(context->codec_id),
        profile == nullptr ? "" : fmt::format(" {}", profile), context->coded_width, context->coded_height);
    return last;  // the software format; another decoder decodes this picture again
}

AVPixelFormat pixelFormatOf(const AVFrame& picture) {
    return isSurface(picture)
               ? reinterpret_cast<const AVHWFramesContext*>(picture.hw_frames_ctx->data)->sw_format
               : static_cast<AVPixelFormat>(picture.format);
}

int bringToMemory(AVFrame& surface, SlotAllocator& allocator) {
    const FramePtr picture = newFrame();
    picture->format = pixelFormatOf(surface);
    picture->width = surface.width;
    picture->height = surface.height;
    int code = allocator.placePicture(*picture) ? 0 : av_frame_get_buffer(picture.get(), 0);
    code = code < 0 ? code : av_hwframe_transfer_data(picture.get(), &surface, 0);
    code = code < 0 ? code : av_frame_copy_props(picture.get(), &surface);
    if (code < 0) {
        return code;
    }
    av_frame_unref(&surface);
    av_frame_move_ref(&surface, picture.get());
    return av_frame_apply_cropping(&surface, 0);  // FFmpeg crops surfaces only at the right and bottom
}

}  // namespace verbcast
