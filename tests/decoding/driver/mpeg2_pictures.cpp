#include "tests/decoding/driver/mpeg2_pictures.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <cstring>

namespace verbcast::testing {
namespace {

constexpr int kPicturesOfB = 3;

class BitWriter {
  public:
    void startCode(std::uint8_t code) {
        while (bits_ % 8 != 0) {
            put(1, 0);
        }
        put(24, 1);
        put(8, code);
    }
    void put(int count, std::uint32_t value) {
        for (int bit = count - 1; bit >= 0; --bit) {
            if (bits_ % 8 == 0) {
                bytes_.push_back(0);
            }
            bytes_.back() |= static_cast<std::uint8_t>(((value >> bit) & 1U) << (7 - bits_ % 8));
            ++bits_;
        }
    }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    std::vector<std::uint8_t> bytes_;
    std::size_t bits_ = 0;
};

void putMatrix(BitWriter& writer, bool load, const std::uint8_t (&matrix)[64]) {
    writer.put(1, load ? 1 : 0);
    for (std::size_t i = 0; load && i < 64; ++i) {
        writer.put(8, matrix[i]);
    }
}

// ISO/IEC 13818-2, 6.2.2.1 and 6.2.2.3. What VA does not pass on (rate, aspect, level) changes no pixel.
void putSequence(BitWriter& writer, const Mpeg2Picture& picture) {
    const auto& parameters = *picture.parameters;
    writer.startCode(0xB3);
    writer.put(12, parameters.horizontal_size & 0xFFFU);
    writer.put(12, parameters.vertical_size & 0xFFFU);
    writer.put(4, 1);
    writer.put(4, 5);
    writer.put(18, 0x3FFFF);
    writer.put(1, 1);
    writer.put(10, 0);
    writer.put(1, 0);
    putMatrix(writer, picture.matrices.load_intra_quantiser_matrix != 0,
              picture.matrices.intra_quantiser_matrix);
    putMatrix(writer, picture.matrices.load_non_intra_quantiser_matrix != 0,
              picture.matrices.non_intra_quantiser_matrix);
    writer.startCode(0xB5);
    writer.put(4, 1);
    writer.put(8, 0x44);
    writer.put(1, 0);
    writer.put(2, 1);  // 4:2:0
    writer.put(2, parameters.horizontal_size >> 12U);
    writer.put(2, parameters.vertical_size >> 12U);
    writer.put(12, 0);
    writer.put(1, 1);
    writer.put(8, 0);
    writer.put(1, 1);  // low delay: pictures are output in coding order
    writer.put(7, 0);
}

// 6.2.3 and 6.2.3.1
void putPicture(BitWriter& writer, const VAPictureParameterBufferMPEG2& parameters) {
    const auto& bits = parameters.picture_coding_extension.bits;
    writer.startCode(0);
    writer.put(10, 0);
    writer.put(3, static_cast<std::uint32_t>(parameters.picture_coding_type));
    writer.put(16, 0xFFFF);
    for (int direction = 2; direction <= parameters.picture_coding_type; ++direction) {
        writer.put(4, 7);
    }
    writer.put(1, 0);
    writer.startCode(0xB5);
    writer.put(4, 8);
    writer.put(16, static_cast<std::uint32_t>(parameters.f_code));
    writer.put(2, bits.intra_dc_precision);
    writer.put(2, bits.picture_structure);
    writer.put(1, bits.top_field_first);
    writer.put(1, bits.frame_pred_frame_dct);
    writer.put(1, bits.concealment_motion_vectors);
    writer.put(1, bits.q_scale_type);
    writer.put(1, bits.intra_vlc_format);
    writer.put(1, bits.alternate_scan);
    writer.put(1, bits.repeat_first_field);
    writer.put(1, bits.progressive_frame);
    writer.put(1, bits.progressive_frame);
    writer.put(1, 0);
}

std::vector<std::uint8_t> streamOf(const Mpeg2Picture& picture) {
    BitWriter writer;
    putSequence(writer, picture);
    putPicture(writer, *picture.parameters);
    std::vector<std::uint8_t> bytes = writer.take();
    bytes.insert(bytes.end(), picture.slices.begin(), picture.slices.end());
    return bytes;
}

void copyAsNv12(const AVFrame& frame, std::span<std::uint8_t> surface, int pitch, int rows) {
    for (int y = 0; y < std::min(frame.height, rows); ++y) {
        std::memcpy(surface.data() + std::ptrdiff_t{y} * pitch,
                    frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0],
                    static_cast<std::size_t>(std::min(frame.width, pitch)));
    }
    std::uint8_t* const chroma = surface.data() + std::ptrdiff_t{pitch} * rows;
    for (int y = 0; y < std::min(frame.height, rows) / 2; ++y) {
        for (int x = 0; x < std::min(frame.width, pitch) / 2; ++x) {
            std::uint8_t* const pair = chroma + std::ptrdiff_t{y} * pitch + std::ptrdiff_t{x} * 2;
            pair[0] = frame.data[1][std::ptrdiff_t{y} * frame.linesize[1] + x];
            pair[1] = frame.data[2][std::ptrdiff_t{y} * frame.linesize[2] + x];
        }
    }
}

}  // namespace

void Mpeg2Decoder::Free::operator()(AVCodecContext* context) const {
    avcodec_free_context(&context);
}
void Mpeg2Decoder::Free::operator()(AVFrame* frame) const {
    av_frame_free(&frame);
}
void Mpeg2Decoder::Free::operator()(AVPacket* packet) const {
    av_packet_free(&packet);
}

Mpeg2Decoder::Mpeg2Decoder()
    : context_(avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MPEG2VIDEO))),
      frame_(av_frame_alloc()),
      packet_(av_packet_alloc()) {
    context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    context_->thread_count = 1;
    avcodec_open2(context_.get(), nullptr, nullptr);
}

Mpeg2Decoder::~Mpeg2Decoder() = default;

bool Mpeg2Decoder::decode(const Mpeg2Picture& picture, std::span<std::uint8_t> surface, int pitch, int rows) {
    constexpr std::uint32_t kFramePicture = 3;
    if (!picture.parameters || picture.parameters->picture_coding_type > kPicturesOfB ||
        picture.parameters->picture_coding_extension.bits.picture_structure != kFramePicture) {
        return false;
    }
    const std::vector<std::uint8_t> stream = streamOf(picture);
    if (av_new_packet(packet_.get(), static_cast<int>(stream.size())) < 0) {
        return false;
    }
    std::memcpy(packet_->data, stream.data(), stream.size());
    const bool decoded = avcodec_send_packet(context_.get(), packet_.get()) == 0 &&
                         avcodec_receive_frame(context_.get(), frame_.get()) == 0;
    av_packet_unref(packet_.get());
    if (decoded) {
        copyAsNv12(*frame_, surface, pitch, rows);
        av_frame_unref(frame_.get());
    }
    return decoded;
}

}  // namespace verbcast::testing
