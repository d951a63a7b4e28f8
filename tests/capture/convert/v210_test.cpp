#include "capture/convert/v210.h"

#include <random>

#include "tests/capture/ffmpeg_reference.h"

namespace verbcast::testing {
namespace {

struct Samples {
    explicit Samples(std::uint32_t width) : luma(width), cb((width + 1) / 2), cr((width + 1) / 2) {}
    std::vector<std::uint16_t> luma, cb, cr;
};

TEST(V210, UnpacksWhatItPacked) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> legal(4, 1019);
    for (std::uint32_t width = 16; width < 80; ++width) {
        Samples in(width), out(width);
        for (auto* row : {&in.luma, &in.cb, &in.cr}) {
            for (auto& sample : *row) {
                sample = static_cast<std::uint16_t>(legal(random));
            }
        }
        const std::size_t bytes = (width + 47) / 48 * 128;
        std::vector<std::byte> packed(bytes + 16, std::byte{0xAA});
        packV210Row(in.luma.data(), in.cb.data(), in.cr.data(), width, packed.data(), bytes);
        for (std::size_t i = bytes; i < packed.size(); ++i) {
            ASSERT_EQ(packed[i], std::byte{0xAA}) << "wrote beyond the row";
        }
        unpackV210Row(packed.data(), width, out.luma.data(), out.cb.data(), out.cr.data());
        EXPECT_EQ(in.luma, out.luma) << width;
        EXPECT_EQ(in.cb, out.cb) << width;
        EXPECT_EQ(in.cr, out.cr) << width;
    }
}

TEST(V210, LimitsToTheCodesOfSdi) {
    Samples in(16), out(16);
    in.luma.assign(16, 0);
    in.cb.assign(8, 1023);
    in.cr.assign(8, 3);
    std::vector<std::byte> packed(128);
    packV210Row(in.luma.data(), in.cb.data(), in.cr.data(), 16, packed.data(), packed.size());
    unpackV210Row(packed.data(), 16, out.luma.data(), out.cb.data(), out.cr.data());
    EXPECT_EQ(out.luma, std::vector<std::uint16_t>(16, 4));
    EXPECT_EQ(out.cb, std::vector<std::uint16_t>(8, 1019));
    EXPECT_EQ(out.cr, std::vector<std::uint16_t>(8, 4));
}

class V210Reference : public FfmpegTest {};

// FFmpeg's encoder accepts even widths only.
TEST_F(V210Reference, SameBytesAsFfmpegsEncoder) {
    for (const int width : {16, 18, 20, 48, 50, 96, 322, 1280, 1920}) {
        SCOPED_TRACE(width);
        const std::string path = file("clip.mkv");
        ffmpeg("-f lavfi -i testsrc2=s=" + std::to_string(width) +
               "x34 -vf noise=alls=80:allf=t -frames:v 3 -c:v ffv1 -pix_fmt yuv422p10le " + path);
        const auto source = openSource({.source = path, .pixelFormat = PixelFormat::v210});
        EXPECT_EQ(source->format().pixelFormat, PixelFormat::v210);
        EXPECT_EQ(takeSums(*source), ffmpegFrameSums("-i " + path + " -c:v v210"));
        EXPECT_EQ(source->counters().pixelCopies, 3U);
    }
}

}  // namespace
}  // namespace verbcast::testing
