// What FFmpeg was built to decode on graphics hardware.
#include <algorithm>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>
}

#include "capture/frame_source.h"

namespace verbcast {
namespace {

std::vector<std::string> codecsOf(AVHWDeviceType type) {
    std::vector<std::string> names;
    void* position = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&position)) {
        if (av_codec_is_decoder(codec) == 0) {
            continue;
        }
        const AVCodecHWConfig* config = nullptr;
        for (int index = 0; (config = avcodec_get_hw_config(codec, index)) != nullptr; ++index) {
            if (config->device_type == type) {
                names.emplace_back(avcodec_get_name(codec->id));
                break;
            }
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

std::vector<HardwareDecoder> hardwareDecoders() {
    std::vector<HardwareDecoder> decoders;
    for (AVHWDeviceType type = av_hwdevice_iterate_types(AV_HWDEVICE_TYPE_NONE);
         type != AV_HWDEVICE_TYPE_NONE; type = av_hwdevice_iterate_types(type)) {
        decoders.push_back({av_hwdevice_get_type_name(type), codecsOf(type)});
    }
    return decoders;
}

}  // namespace verbcast
