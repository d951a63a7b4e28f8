#include "capture/media/decode/hardware_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "capture/media/input/ffmpeg_log.h"
#include "core/base/os/folder.h"
#include "core/gpu/gpu_devices.h"

namespace verbcast {
namespace {

AVHWDeviceType typeOf(Decoder decoder) {
    return av_hwdevice_find_type_by_name(std::string(nameOf(decoder)).c_str());
}

/// The surface format of a native FFmpeg decoder for such devices. Others (h264_cuvid) are wrappers: if they
/// fail, nothing tells which picture it was.
std::optional<AVPixelFormat> surfaceOf(const AVCodec& codec, AVHWDeviceType type) {
    if (av_codec_is_decoder(&codec) == 0 || codec.wrapper_name != nullptr) {
        return std::nullopt;
    }
    const AVCodecHWConfig* config = nullptr;
    for (int index = 0; (config = avcodec_get_hw_config(&codec, index)) != nullptr; ++index) {
        if (config->device_type == type && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0) {
            return config->pix_fmt;
        }
    }
    return std::nullopt;
}

std::vector<std::string> codecsOf(AVHWDeviceType type) {
    std::set<std::string> names;
    void* position = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&position)) {
        if (surfaceOf(*codec, type)) {
            names.insert(avcodec_get_name(codec->id));
        }
    }
    return {names.begin(), names.end()};
}

std::string codecLibrary() {
    return fmt::format("libavcodec {}.{}", AV_VERSION_MAJOR(avcodec_version()),
                       AV_VERSION_MINOR(avcodec_version()));
}

bool hasRenderNode() {
    return std::ranges::any_of(namesIn("/dev/dri"),
                               [](const std::string& name) { return name.starts_with("renderD"); });
}

bool isSet(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

// AV_CUDA_USE_PRIMARY_CONTEXT of libavutil/hwcontext_cuda.h, which needs CUDA's header.
constexpr int kUsePrimaryContext = 1;

/// FFmpeg asks the X server only if it is named.
int createDevice(AVBufferRef*& context, AVHWDeviceType type, PicturesFor use) {
    const int flags = use == PicturesFor::GpuCopies ? kUsePrimaryContext : 0;
    const std::string gpu = type == AV_HWDEVICE_TYPE_CUDA && gpuIsChosen() ? std::to_string(chosenGpu()) : "";
    int code = av_hwdevice_ctx_create(&context, type, gpu.empty() ? nullptr : gpu.c_str(), nullptr, flags);
    if (code < 0 && type == AV_HWDEVICE_TYPE_VAAPI && isSet("DISPLAY")) {
        code = av_hwdevice_ctx_create(&context, type, std::getenv("DISPLAY"), nullptr, 0);
    }
    return code;
}

}  // namespace

HardwareCodec hardwareCodec(AVCodecID codec, Decoder decoder) {
    const AVHWDeviceType type = typeOf(decoder);
    void* position = nullptr;
    while (const AVCodec* each = type != AV_HWDEVICE_TYPE_NONE ? av_codec_iterate(&position) : nullptr) {
        if (each->id == codec) {
            if (const auto surface = surfaceOf(*each, type)) {
                return {each, *surface, ""};
            }
        }
    }
    return {nullptr, AV_PIX_FMT_NONE,
            fmt::format("{} was built without {} for {}", codecLibrary(), nameOf(decoder),
                        avcodec_get_name(codec))};
}

HardwareDevice openHardwareDevice(Decoder decoder, PicturesFor use) {
    const AVHWDeviceType type = typeOf(decoder);
    if (type == AV_HWDEVICE_TYPE_NONE) {
        return {nullptr, fmt::format("FFmpeg was built without {}", nameOf(decoder))};
    }
    // No render node means no such hardware, so the X server is left alone, unless the user names a driver.
    if (decoder == Decoder::Vaapi && !hasRenderNode() && !isSet("LIBVA_DRIVER_NAME")) {
        return {nullptr, "there is no /dev/dri/renderD128"};
    }
    const LastFfmpegError logged;
    AVBufferRef* context = nullptr;
    if (const int code = createDevice(context, type, use); code < 0) {
        return {nullptr, logged.textOr(code)};
    }
    return {BufferPtr(context), ""};
}

std::vector<Decoder> hardwareToTry(Decoder wish) {
    switch (wish) {
        case Decoder::Software:
            return {};
        case Decoder::Auto:
            return {Decoder::Cuda, Decoder::Vaapi, Decoder::Vulkan};
        default:
            return {wish};
    }
}

std::string remedyFor(Decoder decoder) {
    constexpr const char* kElse = "leave out --decoder: auto takes what there is (verbcast devices lists it)";
    switch (decoder) {
        case Decoder::Vaapi:
            return fmt::format(
                "install the card's VA driver (mesa-va-drivers, intel-media-va-driver) and see that "
                "this user may open /dev/dri/renderD*; or {}",
                kElse);
        case Decoder::Cuda:
            return fmt::format("install NVIDIA's driver with its decoder (libcuda1, libnvcuvid1); or {}",
                               kElse);
        case Decoder::Vulkan:
            return fmt::format(
                "FFmpeg 6.1 or later, and a Vulkan driver that decodes video, are needed; or {}", kElse);
        default:
            return kElse;
    }
}

std::vector<HardwareDecoder> hardwareDecoders() {
    quietFfmpeg();
    std::vector<HardwareDecoder> decoders;
    for (const Decoder decoder : hardwareToTry(Decoder::Auto)) {
        const AVHWDeviceType type = typeOf(decoder);
        HardwareDecoder& each = decoders.emplace_back();
        each.decoder = decoder;
        each.codecs = type == AV_HWDEVICE_TYPE_NONE ? std::vector<std::string>{} : codecsOf(type);
        if (each.codecs.empty()) {
            each.reason = codecLibrary() + " was built without it";
            continue;
        }
        const HardwareDevice device = openHardwareDevice(decoder);
        each.works = device.context != nullptr;
        each.reason = device.reason;
    }
    return decoders;
}

}  // namespace verbcast
