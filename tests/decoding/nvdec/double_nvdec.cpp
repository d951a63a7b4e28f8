// A libnvcuvid.so.1 over host memory and the double of libcuda.so.1, for tests: decodes MPEG-2 as NVIDIA's
// decoder does, with pictures in "the GPU". As strict as that double: what only a mistake asks for ends the
// program. CUDA_DOUBLE_FAIL makes its calls fail, too.
//
// A mapped picture is there once the default stream has come so far, as NVIDIA's is.
#include <cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tests/core/gpu/driver/double_state.h"
#include "tests/decoding/driver/mpeg2_pictures.h"

using namespace verbcast::testing;

namespace {

constexpr std::size_t kPitchAlignment = 256;

/// NV12: luma rows, then chroma rows.
struct Picture {
    std::vector<std::uint8_t> bytes;
    bool decoded = false;
};

struct Decoder {
    std::size_t pitch = 0;
    int width = 0, rows = 0;
    std::vector<Picture> pictures;
    std::vector<CUdeviceptr> unmapped;       // output surfaces
    std::map<CUdeviceptr, Picture*> mapped;  // and those in use
    Mpeg2Decoder mpeg2;
};

std::map<void*, std::unique_ptr<Decoder>>& decoders() {
    static std::map<void*, std::unique_ptr<Decoder>> all;
    return all;
}

Decoder& decoderOf(CUvideodecoder decoder, const char* call) {
    const auto found = decoders().find(decoder);
    if (found == decoders().end()) {
        misuse("%s: no such decoder", call);
    }
    return *found->second;
}

Picture& pictureOf(Decoder& decoder, int index, const char* call) {
    if (index < 0 || static_cast<std::size_t>(index) >= decoder.pictures.size()) {
        misuse("%s: picture %d of %zu", call, index, decoder.pictures.size());
    }
    return decoder.pictures[static_cast<std::size_t>(index)];
}

/// The result that a test wants, or success.
CUresult enter(const char* call) {
    const Entry entry(call, Needs::Context);
    return entry.result;
}

/// The order in which a stream has the entries of a matrix (ISO/IEC 13818-2, figure 7-2).
constexpr std::array<std::uint8_t, 64> kZigzag{
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

Mpeg2Picture asForVa(const Decoder& decoder, const CUVIDPICPARAMS& given) {
    const CUVIDMPEG2PICPARAMS& from = given.CodecSpecific.mpeg2;
    Mpeg2Picture picture;
    VAPictureParameterBufferMPEG2 parameters{};
    parameters.horizontal_size = static_cast<std::uint16_t>(decoder.width);
    parameters.vertical_size = static_cast<std::uint16_t>(decoder.rows);
    parameters.picture_coding_type = from.picture_coding_type;
    parameters.f_code =
        (from.f_code[0][0] << 12) | (from.f_code[0][1] << 8) | (from.f_code[1][0] << 4) | from.f_code[1][1];
    auto& bits = parameters.picture_coding_extension.bits;
    bits.intra_dc_precision = static_cast<unsigned>(from.intra_dc_precision);
    bits.picture_structure = 3;
    bits.top_field_first = static_cast<unsigned>(from.top_field_first);
    bits.frame_pred_frame_dct = static_cast<unsigned>(from.frame_pred_frame_dct);
    bits.concealment_motion_vectors = static_cast<unsigned>(from.concealment_motion_vectors);
    bits.q_scale_type = static_cast<unsigned>(from.q_scale_type);
    bits.intra_vlc_format = static_cast<unsigned>(from.intra_vlc_format);
    bits.alternate_scan = static_cast<unsigned>(from.alternate_scan);
    bits.progressive_frame = 1;
    picture.parameters = parameters;
    picture.matrices.load_intra_quantiser_matrix = 1;
    picture.matrices.load_non_intra_quantiser_matrix = 1;
    for (std::size_t i = 0; i < kZigzag.size(); ++i) {
        picture.matrices.intra_quantiser_matrix[i] = from.QuantMatrixIntra[kZigzag.at(i)];
        picture.matrices.non_intra_quantiser_matrix[i] = from.QuantMatrixInter[kZigzag.at(i)];
    }
    picture.slices.assign(given.pBitstreamData, given.pBitstreamData + given.nBitstreamDataLen);
    return picture;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuvidGetDecoderCaps(CUVIDDECODECAPS* caps) {
    const CUresult result = enter("cuvidGetDecoderCaps");
    caps->bIsSupported = caps->eCodecType == cudaVideoCodec_MPEG2 &&
                         caps->eChromaFormat == cudaVideoChromaFormat_420 && caps->nBitDepthMinus8 == 0;
    caps->nOutputFormatMask = 1U << cudaVideoSurfaceFormat_NV12;
    caps->nMinWidth = caps->nMinHeight = 48;
    caps->nMaxWidth = caps->nMaxHeight = 4080;
    caps->nMaxMBCount = 65280;
    return result;
}

CUresult CUDAAPI cuvidCreateDecoder(CUvideodecoder* decoder, CUVIDDECODECREATEINFO* info) {
    if (const CUresult result = enter("cuvidCreateDecoder"); result != CUDA_SUCCESS) {
        return result;
    }
    if (info->CodecType != cudaVideoCodec_MPEG2 || info->OutputFormat != cudaVideoSurfaceFormat_NV12) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (info->ulNumDecodeSurfaces == 0 || info->ulNumOutputSurfaces == 0) {
        misuse("cuvidCreateDecoder: %lu surfaces to decode, %lu to map", info->ulNumDecodeSurfaces,
               info->ulNumOutputSurfaces);
    }
    auto made = std::make_unique<Decoder>();
    made->width = static_cast<int>(info->ulWidth);
    made->rows = static_cast<int>(info->ulHeight + 1) / 2 * 2;
    made->pitch = (info->ulWidth + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    const std::size_t bytes = made->pitch * static_cast<std::size_t>(made->rows) * 3 / 2;
    made->pictures.resize(info->ulNumDecodeSurfaces);
    for (Picture& picture : made->pictures) {
        picture.bytes.resize(bytes);
    }
    for (unsigned long i = 0; i < info->ulNumOutputSurfaces; ++i) {
        CUdeviceptr surface = 0;
        if (const CUresult result = cuMemAlloc_v2(&surface, bytes); result != CUDA_SUCCESS) {
            for (const CUdeviceptr one : made->unmapped) {
                cuMemFree_v2(one);
            }
            return result;
        }
        made->unmapped.push_back(surface);
    }
    *decoder = made.get();
    decoders().emplace(made.get(), std::move(made));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuvidDestroyDecoder(CUvideodecoder decoder) {
    const CUresult result = enter("cuvidDestroyDecoder");
    const Decoder& gone = decoderOf(decoder, "cuvidDestroyDecoder");
    if (!gone.mapped.empty()) {
        misuse("cuvidDestroyDecoder: %zu pictures are mapped", gone.mapped.size());
    }
    for (const CUdeviceptr surface : gone.unmapped) {
        cuMemFree_v2(surface);
    }
    decoders().erase(decoder);
    return result;
}

CUresult CUDAAPI cuvidDecodePicture(CUvideodecoder decoder, CUVIDPICPARAMS* given) {
    const CUresult result = enter("cuvidDecodePicture");
    Decoder& one = decoderOf(decoder, "cuvidDecodePicture");
    Picture& picture = pictureOf(one, given->CurrPicIdx, "cuvidDecodePicture");
    const auto isShown = [&](const auto& mapped) { return mapped.second == &picture; };
    if (std::ranges::any_of(one.mapped, isShown)) {
        misuse("cuvidDecodePicture: picture %d is mapped", given->CurrPicIdx);
    }
    if (result != CUDA_SUCCESS) {
        return result;
    }
    picture.decoded =
        one.mpeg2.decode(asForVa(one, *given), picture.bytes, static_cast<int>(one.pitch), one.rows);
    return picture.decoded ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuvidGetDecodeStatus(CUvideodecoder, int, CUVIDGETDECODESTATUS*) {
    misuse("cuvidGetDecodeStatus: nobody asks for it");
}

CUresult CUDAAPI cuvidReconfigureDecoder(CUvideodecoder, CUVIDRECONFIGUREDECODERINFO*) {
    misuse("cuvidReconfigureDecoder: nobody asks for it");
}

CUresult CUDAAPI cuvidMapVideoFrame64(CUvideodecoder decoder, int index, unsigned long long* address,
                                      unsigned* pitch, CUVIDPROCPARAMS* how) {
    const CUresult result = enter("cuvidMapVideoFrame");
    Decoder& one = decoderOf(decoder, "cuvidMapVideoFrame");
    Picture& picture = pictureOf(one, index, "cuvidMapVideoFrame");
    if (!picture.decoded || how->output_stream != nullptr) {
        misuse("cuvidMapVideoFrame: picture %d was not decoded, or is wanted in a stream", index);
    }
    if (result != CUDA_SUCCESS || one.unmapped.empty()) {
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_MAP_FAILED;
    }
    const CUdeviceptr surface = one.unmapped.back();
    one.unmapped.pop_back();
    one.mapped[surface] = &picture;
    *address = surface;
    *pitch = static_cast<unsigned>(one.pitch);
    return cuMemcpyHtoDAsync_v2(surface, picture.bytes.data(), picture.bytes.size(), nullptr);
}

CUresult CUDAAPI cuvidUnmapVideoFrame64(CUvideodecoder decoder, unsigned long long address) {
    const CUresult result = enter("cuvidUnmapVideoFrame");
    Decoder& one = decoderOf(decoder, "cuvidUnmapVideoFrame");
    if (one.mapped.erase(address) == 0) {
        misuse("cuvidUnmapVideoFrame: %llx is not mapped", address);
    }
    cuStreamSynchronize(nullptr);  // for a picture that nobody has read
    {
        const std::lock_guard lock(driver().mutex);
        std::size_t offset = 0;
        refuseWaitingCopies(holding(address, 1, "cuvidUnmapVideoFrame", offset), "cuvidUnmapVideoFrame");
    }
    one.unmapped.push_back(address);
    return result;
}
}  // extern "C"

// FFmpeg's decoders do not load without these, and do not call them.
#define NVDEC_DOUBLE_ABSENT(name)                                \
    extern "C" void name() {                                     \
        misuse(#name " is not needed by FFmpeg's own decoders"); \
    }
NVDEC_DOUBLE_ABSENT(cuvidCtxLockCreate)
NVDEC_DOUBLE_ABSENT(cuvidCtxLockDestroy)
NVDEC_DOUBLE_ABSENT(cuvidCtxLock)
NVDEC_DOUBLE_ABSENT(cuvidCtxUnlock)
NVDEC_DOUBLE_ABSENT(cuvidCreateVideoSource)
NVDEC_DOUBLE_ABSENT(cuvidCreateVideoSourceW)
NVDEC_DOUBLE_ABSENT(cuvidDestroyVideoSource)
NVDEC_DOUBLE_ABSENT(cuvidSetVideoSourceState)
NVDEC_DOUBLE_ABSENT(cuvidGetVideoSourceState)
NVDEC_DOUBLE_ABSENT(cuvidGetSourceVideoFormat)
NVDEC_DOUBLE_ABSENT(cuvidGetSourceAudioFormat)
NVDEC_DOUBLE_ABSENT(cuvidCreateVideoParser)
NVDEC_DOUBLE_ABSENT(cuvidParseVideoData)
NVDEC_DOUBLE_ABSENT(cuvidDestroyVideoParser)
