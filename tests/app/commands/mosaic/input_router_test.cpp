// Viewers' input goes to the picture under the pointer.
#include "app/commands/compose/mosaic/input_router.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

class KeepingInput final : public MosaicInput {
  public:
    KeepingInput() : MosaicInput(nullptr) {}

    bool mayHaveSound() const override { return false; }
    void waitUntilOpen(Deadline /*deadline*/) override {}
    int wakeDescriptor() const override { return -1; }
    void clearWake() override {}
    FrameMailbox& mailbox() override { return mailbox_; }
    void frameShown(const ReceivedFrame& /*frame*/) override {}
    std::string trouble() override { return {}; }
    bool isOver() const override { return false; }
    std::string name() const override { return {}; }
    std::uint64_t sendInput(const InputEvent& event) override {
        events.push_back(event);
        return events.size();
    }

    std::vector<InputEvent> events;

  private:
    FrameMailbox mailbox_;
};

class InputRouterTest : public ::testing::Test {
  protected:
    void SetUp() override {
        // The second covers the right half of the first, at half of its size.
        router_.show({{.id = 1,
                       .input = lower_,
                       .area = {0, 0, 200, 100},
                       .clip = {0, 0, 200, 100},
                       .format = tightFormat(200, 100, PixelFormat::rgba),
                       .focused = true},
                      {.id = 2,
                       .input = upper_,
                       .area = {100, 0, 100, 50},
                       .clip = {100, 0, 100, 50},
                       .format = tightFormat(200, 100, PixelFormat::rgba)}});
    }
    void apply(InputEvent event, std::uint64_t viewer = 1) {
        const ViewerInput input{.serial = ++serial_, .viewer = viewer, .event = std::move(event)};
        router_.apply({&input, 1});
    }

    InputRouter router_;
    const std::shared_ptr<KeepingInput> lower_ = std::make_shared<KeepingInput>();
    const std::shared_ptr<KeepingInput> upper_ = std::make_shared<KeepingInput>();
    std::uint64_t serial_ = 0;
};

TEST_F(InputRouterTest, PointsArePointsOfThePictureUnderThem) {
    apply({.kind = InputKind::PointerMove, .x = 20, .y = 80});
    apply({.kind = InputKind::PointerMove, .x = 150, .y = 25});
    ASSERT_EQ(lower_->events.size(), 2U);
    EXPECT_FLOAT_EQ(lower_->events[0].x, 20);
    EXPECT_FLOAT_EQ(lower_->events[0].y, 80);
    EXPECT_EQ(lower_->events[1].kind, InputKind::ReleaseAll) << "the pointer has left it";
    ASSERT_EQ(upper_->events.size(), 1U);
    EXPECT_FLOAT_EQ(upper_->events[0].x, 100);
    EXPECT_FLOAT_EQ(upper_->events[0].y, 50);
}

TEST_F(InputRouterTest, ADragStaysWhereItBegan) {
    apply({.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 20, .y = 20});
    apply({.kind = InputKind::PointerMove, .x = 150, .y = 25});
    apply({.kind = InputKind::PointerButton, .pressed = false, .code = 1, .x = 150, .y = 25});
    EXPECT_EQ(lower_->events.size(), 3U);
    EXPECT_TRUE(upper_->events.empty());
    apply({.kind = InputKind::PointerMove, .x = 150, .y = 25});
    EXPECT_EQ(upper_->events.size(), 1U);
}

TEST_F(InputRouterTest, KeysGoToTheViewersOwnPicture) {
    apply({.kind = InputKind::Key, .pressed = true, .code = 'a'});
    EXPECT_EQ(lower_->events.size(), 1U) << "at first the one in focus";
    apply({.kind = InputKind::PointerMove, .x = 150, .y = 25}, 2);
    apply({.kind = InputKind::Key, .pressed = true, .code = 'b'}, 2);
    apply({.kind = InputKind::Key, .pressed = true, .code = 'c'}, 1);
    ASSERT_EQ(upper_->events.size(), 2U);
    EXPECT_EQ(upper_->events[1].code, unsigned{'b'});
    EXPECT_EQ(lower_->events.back().code, unsigned{'c'});
}

TEST_F(InputRouterTest, WhatIsBesideAllPicturesIsNoInput) {
    apply({.kind = InputKind::PointerMove, .x = 300, .y = 25});
    EXPECT_TRUE(lower_->events.empty() && upper_->events.empty());
    router_.show({});
    apply({.kind = InputKind::Key, .pressed = true, .code = 'a'});
    EXPECT_TRUE(lower_->events.empty() && upper_->events.empty());
}

TEST_F(InputRouterTest, TellsWhichInputAPictureShows) {
    apply({.kind = InputKind::Key, .pressed = true, .code = 'a'});   // 1: number 1 of the lower
    apply({.kind = InputKind::PointerMove, .x = 150, .y = 25});      // 2: number 1 of the upper
    apply({.kind = InputKind::Key, .pressed = false, .code = 'a'});  // 3: number 2 of the upper
    EXPECT_EQ(router_.shown(), 0U);
    router_.shows(1, 1);
    EXPECT_EQ(router_.shown(), 1U);
    router_.shows(2, 1);
    EXPECT_EQ(router_.shown(), 2U);
    router_.shows(2, 9);
    EXPECT_EQ(router_.shown(), 3U);
}

}  // namespace
}  // namespace verbcast::testing
