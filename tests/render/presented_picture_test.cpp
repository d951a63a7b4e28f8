// Pictures that software OpenGL passes to the X server: used only after they were verified to be what was
// drawn.
#include "app/preload/presented_picture.h"

#include <cstring>
#include <vector>

#include "core/memory/frame_pool.h"
#include "tests/render/gl_support.h"

namespace verbcast::testing {
namespace {

constexpr int kColumns = 20, kRows = 10;
constexpr std::uint64_t kWindow = 7;
constexpr std::size_t kImageStride = (kColumns + 3) * 4;  // of the image

class Presented : public GlTest {
  protected:
    /// Clears the framebuffer, and the lower half (of the window) to another colour.
    void draw(const Rgb& upper, const Rgb& lower) {
        canvas_.emplace(context(), kColumns, kRows);
        clear(upper);
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, kColumns, kRows / 2);
        clear(lower);
        glDisable(GL_SCISSOR_TEST);
    }

    /// What was drawn, as the X server receives it: rows from the top, the fourth byte undefined.
    PresentedImage image() {
        const RgbaImage drawn = canvas_->read();
        memory_.assign(kImageStride * kRows, std::byte{0x11});
        for (std::size_t row = 0; row < kRows; ++row) {
            for (std::size_t x = 0; x < kColumns; ++x) {
                const std::uint8_t* pixel = &drawn.pixels[4 * (row * kColumns + x)];
                const std::uint8_t shown[4] = {pixel[2], pixel[1], pixel[0], 0x11};
                std::memcpy(&memory_[row * kImageStride + 4 * x], shown, sizeof shown);
            }
        }
        return {kWindow, memory_.data(), kImageStride, kColumns, kRows};
    }

    /// A swap whose picture is compared.
    void compare(const PresentedImage& presented) {
        picture_.expectDrawn();
        picture_.presents(presented);
        EXPECT_FALSE(picture_.swapped().has_value());
    }

    PresentedPicture picture_{true, kWindow, kColumns, kRows};
    std::vector<std::byte> memory_;

  private:
    static void clear(const Rgb& colour) {
        const auto part = [](int value) { return static_cast<float>(value) / 255; };
        glClearColor(part(colour.red), part(colour.green), part(colour.blue), 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }

    std::optional<Canvas> canvas_;
};

TEST_F(Presented, AreTakenOnceTheyWereWhatWasDrawn) {
    draw({255, 0, 0}, {0, 0, 255});
    compare(image());
    ASSERT_TRUE(picture_.proven());

    draw({10, 20, 30}, {200, 100, 50});
    const auto pool = FramePool::create({.slotBytes = 8192, .slotCount = 1});
    constexpr std::size_t kPlaceInSlot = 64, kSlotRow = 4 * kColumns + 16;
    picture_.expectInto(*pool->tryAcquire(), kPlaceInSlot, kSlotRow, {.number = 5});
    const PresentedImage shown = image();
    picture_.presents(
        {kWindow + 1, shown.pixels, shown.stride, shown.width, shown.height});  // another window's
    picture_.presents(shown);
    const auto frame = picture_.swapped();
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->stamp.number, 5U);
    const auto pixel = [&](std::size_t x, std::size_t y) {
        std::uint32_t value = 0;
        std::memcpy(&value, frame->lease.data() + kPlaceInSlot + y * kSlotRow + 4 * x, sizeof value);
        return value;
    };
    EXPECT_EQ(pixel(0, 0), 0xFF0A141EU) << "opaque";
    EXPECT_EQ(pixel(kColumns - 1, kRows / 2 - 1), 0xFF0A141EU);
    EXPECT_EQ(pixel(0, kRows / 2), 0xFFC86432U);
    EXPECT_EQ(pixel(kColumns - 1, kRows - 1), 0xFFC86432U);
}

TEST_F(Presented, OthersThanWasDrawnAreNot) {
    draw({255, 0, 0}, {0, 0, 255});
    for (int swap = 0; swap < 3; ++swap) {
        EXPECT_TRUE(picture_.unproven()) << "a window that is being resized may be right later";
        PresentedImage other = image();
        memory_[kImageStride * (kRows - 1) + 4 * (kColumns - 1)] ^= std::byte{1};  // the last pixel
        compare(other);
        EXPECT_FALSE(picture_.proven());
    }
    EXPECT_FALSE(picture_.unproven()) << "given up";
}

TEST_F(Presented, PicturesThatTellNothingProveNothing) {
    for (const auto& [upper, lower] : {std::pair{Rgb{90, 90, 90}, Rgb{10, 10, 10}},   // reveals no byte order
                                       std::pair{Rgb{0, 0, 255}, Rgb{0, 0, 255}}}) {  // reveals no row order
        draw(upper, lower);
        compare(image());
        EXPECT_TRUE(picture_.unproven());
    }
    draw({255, 0, 0}, {0, 0, 255});
    compare(image());
    EXPECT_TRUE(picture_.proven());
}

TEST_F(Presented, OneThatDoesNotComeGivesItsSlotBack) {
    draw({255, 0, 0}, {0, 0, 255});
    compare(image());
    const auto pool = FramePool::create({.slotBytes = 8192, .slotCount = 1});
    picture_.expectInto(*pool->tryAcquire(), 0, 4 * kColumns, {});
    PresentedImage small = image();
    small.height = kRows - 1;
    picture_.presents(small);
    EXPECT_FALSE(picture_.swapped().has_value());
    EXPECT_TRUE(pool->tryAcquire().has_value());
    EXPECT_TRUE(picture_.unproven()) << "compared again before others are taken";
}

}  // namespace
}  // namespace verbcast::testing
