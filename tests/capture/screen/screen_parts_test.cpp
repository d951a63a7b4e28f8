// The parts of the screen source that need no screen: its syntax, and drawing the pointer into a picture.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "capture/screen/cursor_blend.h"
#include "capture/screen/screen_selection.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

TEST(ScreenSelection, UnderstandsEveryForm) {
    EXPECT_EQ(parseScreenSelection(""), ScreenSelection(WholeScreen{}));
    EXPECT_EQ(parseScreenSelection("monitor=HDMI-1"), ScreenSelection(NamedMonitor{"HDMI-1"}));
    EXPECT_EQ(parseScreenSelection("monitor=a=b"), ScreenSelection(NamedMonitor{"a=b"}));
    EXPECT_EQ(parseScreenSelection("window=0x1400007"), ScreenSelection(OneWindow{0x1400007}));
    EXPECT_EQ(parseScreenSelection("window=20971527"), ScreenSelection(OneWindow{0x1400007}));
    EXPECT_EQ(parseScreenSelection("rect=1280x720+10+20"), ScreenSelection(FixedPart{{10, 20, 1280, 720}}));
    EXPECT_EQ(describe(parseScreenSelection("rect=1280x720+10+20")), "1280x720+10+20");
    EXPECT_EQ(describe(parseScreenSelection("window=255")), "window 0xff");
}

TEST(ScreenSelection, RefusesTheRest) {
    for (const char* what : {"monitor",
                             "monitor=",
                             "window",
                             "window=",
                             "window=0",
                             "window=0x",
                             "window=12a",
                             "window=0x100000000",
                             "rect",
                             "rect=",
                             "rect=64",
                             "rect=64x64",
                             "rect=64x64+1",
                             "rect=64x64+1+",
                             "rect=64x64+1+2+3",
                             "rect=64x64-1+2",
                             "rect=-64x64+0+0",
                             "rect=99999x64+0+0",
                             "all",
                             "="}) {
        try {
            parseScreenSelection(what);
            ADD_FAILURE() << what << " is taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage) << what;
            EXPECT_NE(error.remedy(), "") << what;
        }
    }
}

struct Canvas32 {
    explicit Canvas32(PixelFormat pixelFormat, std::uint32_t fill)
        : format(tightFormat(16, 16, pixelFormat)), pixels(16 * 16, fill) {}
    std::byte* data() { return reinterpret_cast<std::byte*>(pixels.data()); }
    std::uint32_t at(int x, int y) const { return pixels[static_cast<std::size_t>(y * 16 + x)]; }

    VideoFormat format;
    std::vector<std::uint32_t> pixels;
};

// Opaque red, green at half alpha, transparent, opaque white; colours are premultiplied.
constexpr std::array<std::uint32_t, 4> kCursor{0xFFFF0000, 0x80008000, 0x00000000, 0xFFFFFFFF};

TEST(CursorBlend, LaysTheCursorOverThePicture) {
    Canvas32 canvas(PixelFormat::bgra, 0x00204060);
    blendCursor(kCursor, {5, 7, 2, 2}, {0, 0, 16, 16}, {0, 0, 16, 16}, canvas.format, canvas.data());
    EXPECT_EQ(canvas.at(5, 7), 0xFFFF0000U);
    // 0x20 * 127/255 = 15.9, 0x80 + 0x40 * 127/255 = 159.9, 0x60 * 127/255 = 47.8
    EXPECT_EQ(canvas.at(6, 7), 0xFF10A030U);
    EXPECT_EQ(canvas.at(5, 8), 0x00204060U);
    EXPECT_EQ(canvas.at(6, 8), 0xFFFFFFFFU);
    EXPECT_EQ(canvas.at(7, 7), 0x00204060U);
}

TEST(CursorBlend, KnowsTheOtherLayouts) {
    Canvas32 rgba(PixelFormat::rgba, 0);
    blendCursor(kCursor, {0, 0, 2, 2}, {0, 0, 16, 16}, {0, 0, 16, 16}, rgba.format, rgba.data());
    EXPECT_EQ(rgba.at(0, 0), 0xFF0000FFU);
    Canvas32 deep(PixelFormat::x2rgb10le, 0xFFFFFFFF);
    blendCursor(kCursor, {0, 0, 2, 2}, {0, 0, 16, 16}, {0, 0, 16, 16}, deep.format, deep.data());
    EXPECT_EQ(deep.at(0, 0), 0xFFF00000U);
    // 1023 * 127/255 = 509.5 for red and blue; 0x80 * 1023/255 = 513.5, and 509.5 more for green
    EXPECT_EQ(deep.at(1, 0), 0xC0000000U | 509U << 20 | 1023U << 10 | 509U);
}

TEST(CursorBlend, LeavesOutWhatIsOutside) {
    for (const Rectangle& place : {Rectangle{-1, -1, 2, 2}, Rectangle{15, 15, 2, 2}, Rectangle{-9, 3, 2, 2},
                                   Rectangle{16, 0, 2, 2}, Rectangle{3, 99, 2, 2}}) {
        Canvas32 canvas(PixelFormat::bgra, 7);
        blendCursor(kCursor, place.movedBy(100, 50), {100, 50, 16, 16}, {100, 50, 16, 16}, canvas.format,
                    canvas.data());
        for (int y = 0; y < 16; ++y) {
            for (int x = 0; x < 16; ++x) {
                const bool inside = overlap(place, {x, y, 1, 1});
                const auto index = static_cast<std::size_t>((y - place.y) * 2 + x - place.x);
                const bool drawn = inside && kCursor[index] != 0;
                EXPECT_EQ(canvas.at(x, y) != 7, drawn) << x << ", " << y;
            }
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
