// Decoders for files: the CPU, or graphics hardware that FFmpeg supports.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

enum class Decoder {
    Auto,      ///< hardware if it can decode the file, else software
    Software,  ///< the CPU, directly into the ring
    Vaapi,
    Cuda,
    Vulkan
};

struct DecoderName {
    Decoder decoder;
    std::string_view name;
    std::string_view summary;
};
/// In the order of Decoder.
inline constexpr std::array<DecoderName, 5> kDecoderNames{{
    {Decoder::Auto, "auto", "Hardware where it decodes the file, else the processors"},
    {Decoder::Software, "software", "The processors"},
    {Decoder::Vaapi, "vaapi", "Graphics cards of AMD and Intel"},
    {Decoder::Cuda, "cuda", "NVIDIA's decoder (NVDEC)"},
    {Decoder::Vulkan, "vulkan", "Any graphics card whose Vulkan driver decodes video"},
}};

constexpr std::string_view nameOf(Decoder decoder) {
    return kDecoderNames.at(static_cast<std::size_t>(decoder)).name;
}

/// A hardware decoder that --decoder can name, and its state on this machine.
struct HardwareDecoder {
    Decoder decoder = Decoder::Vaapi;
    bool works = false;               ///< its device can be opened
    std::string reason;               ///< why not: "there is no /dev/dri/renderD128"
    std::vector<std::string> codecs;  ///< that FFmpeg was built to decode on it: "av1", "h264", ...; sorted
};
/// Lists all of them. Opens and closes each device, which takes up to a second if there are drivers. Which
/// profiles and sizes of a codec a device decodes shows only when a file is opened.
std::vector<HardwareDecoder> hardwareDecoders();

}  // namespace verbcast
