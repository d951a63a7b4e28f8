// What a desktop reports as changed, valid or not.
#include "capture/screen/portal/buffer_picture.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kPictureWidth = 640, kPictureHeight = 480;

/// A buffer with the given rectangles of damage, and a header.
class MadeUpBuffer {
  public:
    explicit MadeUpBuffer(std::vector<spa_meta_region> damage, std::uint64_t number = 0,
                          std::uint32_t flags = 0)
        : damage_(std::move(damage)) {
        header_.seq = number;
        header_.flags = flags;
        metas_[0] = {SPA_META_Header, sizeof header_, &header_};
        metas_[1] = {SPA_META_VideoDamage,
                     static_cast<std::uint32_t>(damage_.size() * sizeof(spa_meta_region)), damage_.data()};
        buffer_.n_metas = static_cast<std::uint32_t>(metas_.size());
        buffer_.metas = metas_.data();
    }
    MadeUpBuffer(const MadeUpBuffer&) = delete;
    MadeUpBuffer& operator=(const MadeUpBuffer&) = delete;
    const spa_buffer& get() const { return buffer_; }
    void dropDamage() { buffer_.n_metas = 1; }

  private:
    std::vector<spa_meta_region> damage_;
    spa_meta_header header_{};
    std::array<spa_meta, 2> metas_{};
    spa_buffer buffer_{};
};

spa_meta_region region(std::int32_t x, std::int32_t y, std::uint32_t width, std::uint32_t height) {
    return {{{x, y}, {width, height}}};
}

PictureChanges damageOf(const MadeUpBuffer& buffer, const spa_point& origin = {0, 0}) {
    return damageIn(buffer.get(), origin, kPictureWidth, kPictureHeight);
}

TEST(BufferNews, DamageEndsWithTheFirstEmptyRectangle) {
    const MadeUpBuffer buffer(
        {region(1, 2, 3, 4), region(100, 100, 50, 60), region(9, 9, 0, 9), region(8, 8, 8, 8)});
    const PictureChanges changes = damageOf(buffer);
    ASSERT_EQ(changes.rects().size(), 2U);
    EXPECT_EQ(changes.rects()[0], (FrameRect{1, 2, 3, 4}));
    EXPECT_EQ(changes.rects()[1], (FrameRect{100, 100, 50, 60}));
}

TEST(BufferNews, WhoTellsNothingMayHaveChangedAll) {
    EXPECT_TRUE(damageOf(MadeUpBuffer({})).isAll());
    EXPECT_TRUE(damageOf(MadeUpBuffer({region(0, 0, 0, 0), region(1, 1, 1, 1)})).isAll())
        << "memory of zeros";
    MadeUpBuffer without({region(1, 1, 1, 1)});
    without.dropDamage();
    EXPECT_TRUE(damageOf(without).isAll());
}

TEST(BufferNews, DamageIsCutToThePicture) {
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint32_t kHuge = std::numeric_limits<std::uint32_t>::max();
    const PictureChanges cut = damageOf(MadeUpBuffer({region(-5, 470, 15, 50)}));
    ASSERT_EQ(cut.rects().size(), 1U);
    EXPECT_EQ(cut.rects()[0], (FrameRect{0, 470, 10, 10}));
    const PictureChanges all = damageOf(MadeUpBuffer({region(kLeast, kLeast, kHuge, kHuge)}));
    ASSERT_EQ(all.rects().size(), 1U);
    EXPECT_EQ(all.rects()[0], (FrameRect{0, 0, kPictureWidth, kPictureHeight}));
    EXPECT_TRUE(damageOf(MadeUpBuffer({region(kHighest, 3, kHuge, 1)})).isNone()) << "outside";
    // The picture is a part of the buffer.
    const PictureChanges moved = damageOf(MadeUpBuffer({region(110, 60, 5, 5)}), {100, 50});
    ASSERT_EQ(moved.rects().size(), 1U);
    EXPECT_EQ(moved.rects()[0], (FrameRect{10, 10, 5, 5}));
}

TEST(BufferNews, PicturesThatWereLeftOutAreNoticed) {
    std::uint64_t last = 0;
    EXPECT_TRUE(isNext(MadeUpBuffer({}, 1).get(), last));
    EXPECT_TRUE(isNext(MadeUpBuffer({}, 2).get(), last));
    EXPECT_FALSE(isNext(MadeUpBuffer({}, 4).get(), last));
    EXPECT_TRUE(isNext(MadeUpBuffer({}, 5).get(), last));
    EXPECT_FALSE(isNext(MadeUpBuffer({}, 6, SPA_META_HEADER_FLAG_DISCONT).get(), last));
    EXPECT_TRUE(isNext(MadeUpBuffer({}, 0).get(), last)) << "a producer that does not number";
    EXPECT_TRUE(isNext(MadeUpBuffer({}, 0).get(), last));
}

}  // namespace
}  // namespace verbcast::testing
