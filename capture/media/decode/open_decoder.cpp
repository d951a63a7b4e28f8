#include "capture/media/decode/open_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMaxReferences = 17;  // at worst 16 in any codec, and the picture being decoded
constexpr std::uint32_t kFewReferences =
    4;                                // MPEG-1, 2, 4 and VP8: two or three, and the picture being decoded
constexpr std::uint32_t kMargin = 3;  // one handed out, one waiting for that, and one for hidden frames

// ITU-T H.264, table A-1: macroblocks of the decoded picture buffer by level.
constexpr std::array<std::pair<int, int>, 13> kH264BufferMacroblocks{{{20, 2376},
                                                                      {21, 4752},
                                                                      {30, 8100},
                                                                      {31, 18000},
                                                                      {32, 20480},
                                                                      {41, 32768},
                                                                      {42, 34816},
                                                                      {50, 110400},
                                                                      {51, 184320},
                                                                      {52, 184320},
                                                                      {60, 696320},
                                                                      {61, 696320},
                                                                      {62, 696320}}};

std::uint32_t h264References(const AVCodecParameters& parameters) {
    const int macroblocks = std::max(1, (parameters.width + 15) / 16 * ((parameters.height + 15) / 16));
    for (const auto& [level, buffer] : kH264BufferMacroblocks) {
        if (parameters.level > 0 && parameters.level <= level) {
            return static_cast<std::uint32_t>(std::clamp(buffer / macroblocks, 1, 16)) + 1;
        }
    }
    return kMaxReferences;
}

/// Pictures that a decoder may keep besides those that its threads work on.
std::uint32_t referencePictures(const AVCodecParameters& parameters) {
    const AVCodecDescriptor* description = avcodec_descriptor_get(parameters.codec_id);
    if (description != nullptr && (description->props & AV_CODEC_PROP_INTRA_ONLY) != 0) {
        return 1;
    }
    switch (parameters.codec_id) {
        case AV_CODEC_ID_H264:
            return h264References(parameters);
        case AV_CODEC_ID_MPEG1VIDEO:
        case AV_CODEC_ID_MPEG2VIDEO:
        case AV_CODEC_ID_MPEG4:
        case AV_CODEC_ID_VP8:
        case AV_CODEC_ID_FFV1:
            return kFewReferences;
        default:
            return kMaxReferences;
    }
}

}  // namespace

CodecContextPtr openDecoder(const AVCodecParameters& parameters, const DecoderSetup& setup,
                            SlotAllocator& allocator, const InPlaceRule& rule) {
    const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
    if (codec == nullptr) {
        throw Error(ErrorKind::Input,
                    "this FFmpeg has no decoder for " + setup.what + ", which is " +
                        avcodec_get_name(parameters.codec_id),
                    setup.withoutDecoder);
    }
    CodecContextPtr context(avcodec_alloc_context3(codec));
    if (!context) {
        throw Error(ErrorKind::Resource, "no memory for a decoder");
    }
    avcodec_parameters_to_context(context.get(), &parameters);
    context->pkt_timebase = setup.timeBase;
    context->thread_count = setup.threads;
    context->has_b_frames = std::max(context->has_b_frames, setup.delay);
    if (setup.atOnce) {
        context->flags |= AV_CODEC_FLAG_LOW_DELAY;
        context->thread_type = FF_THREAD_SLICE;  // frame threads would delay by as many frames
    }
    if (setup.wholeOnly) {
        context->err_recognition |= AV_EF_EXPLODE;
    }
    allocator.attach(*context, rule);
    if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0) {
        throw Error(ErrorKind::Input, std::string("the decoder ") + codec->name + " does not take " +
                                          setup.what + ": " + avErrorText(code));
    }
    allocator.setDecoderSlots(static_cast<std::uint32_t>(std::max(1, context->thread_count)) +
                              referencePictures(parameters) + kMargin);
    return context;
}

}  // namespace verbcast
