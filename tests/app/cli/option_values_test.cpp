// Values of options as users type them.
#include "app/cli/options/values.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

using Size = std::pair<std::uint32_t, std::uint32_t>;

Size sizeOf(const std::string& text) {
    const PictureSize size = sizeValue().parse("--size", text);
    return {size.width, size.height};
}

TEST(SizeOption, IsTwoNumbersOrAName) {
    for (const char* text : {"1920x1080", "1920X1080", "1920\u00d71080", "1080p", "1080P"}) {
        EXPECT_EQ(sizeOf(text), Size(1920, 1080)) << text;
    }
    for (const char* text : {"4K", "4k", "2160p"}) {
        EXPECT_EQ(sizeOf(text), Size(3840, 2160)) << text;
    }
    EXPECT_EQ(sizeOf("720p"), Size(1280, 720));
    EXPECT_EQ(sizeOf("1440p"), Size(2560, 1440));
    EXPECT_EQ(sizeOf("8K"), Size(7680, 4320));
    EXPECT_EQ(sizeOf("16x16384"), Size(16, 16384));
}

TEST(SizeOption, IsNothingElse) {
    for (const char* text :
         {"", "x", "1920", "1920x", "x1080", "1920*1080", "1920x1080p", "1920x1080x3", "15x16", "16x16385",
          "-64x64", "64x-64", "99999999999x16", "3K", "4Kx2K", "1080", "1920\u00d7"}) {
        EXPECT_THROW(sizeOf(text), Error) << text;
    }
}

}  // namespace
}  // namespace verbcast::testing
