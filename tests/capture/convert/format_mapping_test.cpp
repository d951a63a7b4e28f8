#include "capture/convert/format_mapping.h"

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

TEST(FormatMapping, NamesAgreeWithFfmpeg) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        if (info.format == PixelFormat::v210) {
            EXPECT_EQ(avPixelFormat(info.format), AV_PIX_FMT_NONE);
            continue;
        }
        EXPECT_EQ(av_get_pix_fmt(std::string(info.name).c_str()), avPixelFormat(info.format)) << info.name;
        EXPECT_EQ(directPixelFormat(avPixelFormat(info.format)), info.format);
        const auto nearest = nearestPixelFormat(avPixelFormat(info.format));
        ASSERT_TRUE(nearest);
        EXPECT_EQ(nearest->format, info.format);
        EXPECT_EQ(nearest->loss, "");
    }
}

struct NearestCase {
    const char* source;
    PixelFormat format;
    const char* loss;
};

TEST(FormatMapping, NearestKeepsDepthAndChroma) {
    for (const NearestCase& expected : {
             NearestCase{"yuv440p", PixelFormat::yuv444p, ""},
             {"yuv411p", PixelFormat::yuv422p, ""},
             {"yuv410p", PixelFormat::yuv420p, ""},
             {"yuva420p", PixelFormat::yuv420p, "alpha is lost"},
             {"yuva444p12le", PixelFormat::yuv444p10le, "2 bits of depth and alpha are lost"},
             {"yuv420p12le", PixelFormat::yuv420p10le, "2 bits of depth are lost"},
             {"yuv422p16be", PixelFormat::yuv422p10le, "6 bits of depth are lost"},
             {"yuv420p9le", PixelFormat::yuv420p10le, ""},
             {"yuv444p10be", PixelFormat::yuv444p10le, ""},
             {"nv16", PixelFormat::yuv422p, ""},
             {"nv24", PixelFormat::yuv444p, ""},
             {"nv21", PixelFormat::yuv420p, ""},
             {"yvyu422", PixelFormat::yuv422p, ""},
             {"gray10le", PixelFormat::yuv420p10le, ""},
             {"gray16le", PixelFormat::yuv420p10le, "6 bits of depth are lost"},
             {"ya8", PixelFormat::gray, "alpha is lost"},
             {"monow", PixelFormat::gray, ""},
             {"gbrp", PixelFormat::rgb24, ""},
             {"gbrap", PixelFormat::rgba, ""},
             {"gbrp10le", PixelFormat::x2rgb10le, ""},
             {"rgb48le", PixelFormat::x2rgb10le, "6 bits of depth are lost"},
             {"rgba64le", PixelFormat::x2rgb10le, "6 bits of depth and alpha are lost"},
             {"rgb565le", PixelFormat::rgb24, ""},
             {"bgr24", PixelFormat::rgb24, ""},
             {"bgr0", PixelFormat::bgra, ""},
             {"argb", PixelFormat::rgba, ""},
             {"pal8", PixelFormat::rgba, ""},
         }) {
        const auto nearest = nearestPixelFormat(av_get_pix_fmt(expected.source));
        ASSERT_TRUE(nearest) << expected.source;
        EXPECT_EQ(nearest->format, expected.format) << expected.source;
        EXPECT_EQ(nearest->loss, expected.loss) << expected.source;
    }
}

TEST(FormatMapping, EverySoftwareFormatHasANearest) {
    for (const AVPixFmtDescriptor* description = nullptr;
         (description = av_pix_fmt_desc_next(description)) != nullptr;) {
        const AVPixelFormat format = av_pix_fmt_desc_get_id(description);
        const bool hardware = (description->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
        EXPECT_EQ(nearestPixelFormat(format).has_value(), !hardware) << description->name;
    }
}

}  // namespace
}  // namespace verbcast::testing
