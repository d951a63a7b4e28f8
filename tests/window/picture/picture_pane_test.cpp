// What a window does with a frame that the sender takes back while the window reads it.
#include <gtest/gtest.h>

#include "app/window/picture/picture_pane.h"
#include "tests/core/session/core_support.h"
#include "tests/render/gl_support.h"

namespace verbcast::testing {
namespace {

/// Two viewers of one sender over shared memory: one keeps up, the other belongs to a window.
class PaneTest : public GlTest {
  protected:
    static SenderOptions options() {
        SenderOptions options = senderOptions({"shm", "shm://test-pane-#"}, Policy::Latest);
        options.slots = kSlots;
        return options;
    }
    void SetUp() override {
        GlTest::SetUp();
        if (!IsSkipped()) {
            pane_ = std::make_unique<PicturePane>(UploadPath::Direct);
            mailbox_.belongsTo(window_);
            pane_->setMailbox(&mailbox_);
            ASSERT_TRUE(eventually([&] { return sender_.receiverCount() == 2; }));
        }
    }
    void TearDown() override {
        pane_.reset();
        GlTest::TearDown();
    }
    void sendOne() {
        ASSERT_EQ(source_.send(sender_), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(other_.receiveNewest(frame, kLimit), Status::Ok);
    }
    ReceivedFrame received() {
        ReceivedFrame frame;
        EXPECT_EQ(window_.receive(frame, kLimit), Status::Ok);
        return frame;
    }
    /// Shows the next frame as a window does. Returns whether there is a frame to report as shown.
    bool showNext() {
        auto frame = pane_->nextFrame();
        if (!frame) {
            return false;
        }
        pane_->show(std::move(*frame));
        return pane_->takeDrawn().has_value();
    }

    static constexpr std::uint32_t kSlots = 4;  // one of them for slow viewers
    TestSource source_{tightFormat(160, 120, PixelFormat::rgba), kSlots};
    Broadcast sender_{options()};
    FrameReceiver window_{receiverOptions(sender_)};
    FrameReceiver other_{receiverOptions(sender_)};
    FrameMailbox mailbox_;
    std::unique_ptr<PicturePane> pane_;
};

TEST_F(PaneTest, AFrameThatIsTakenBackLeavesThePictureBefore) {
    source_.next = 0x0101;  // what frames are filled with
    sendOne();
    mailbox_.put(received());
    ASSERT_TRUE(showNext());
    const RgbaImage before = pane_->readPicture();
    const std::uint64_t sequence = pane_->sequence();

    source_.next = 0x7070;
    sendOne();
    ReceivedFrame held = received();
    const std::uint64_t number = static_cast<std::uint64_t>(held.info.pts);
    // The window's viewer is disconnected, and the slot that it holds is overwritten.
    while (isWhole(held) && source_.next < number + 1000 && !HasFatalFailure()) {
        sendOne();
    }
    ASSERT_FALSE(isWhole(held));
    mailbox_.put(std::move(held));
    EXPECT_FALSE(showNext()) << "torn, and counted as shown";
    EXPECT_EQ(pane_->sequence(), sequence);
    EXPECT_TRUE(pane_->readPicture().pixels == before.pixels);
    EXPECT_GE(window_.stats().framesDropped, 1U);
}

TEST_F(PaneTest, FramesThatStayAreShown) {
    for (int i = 0; i < 20; ++i) {
        sendOne();
        ReceivedFrame frame = received();
        const auto number = static_cast<std::uint8_t>(frame.info.pts);
        mailbox_.put(std::move(frame));
        ASSERT_TRUE(showNext());
        EXPECT_EQ(pane_->readPicture().pixels[0], number);
    }
}

TEST_F(PaneTest, WhatChangedInFramesThatWereNotShownChangesWithTheNext) {
    const auto sendWith = [&](std::uint64_t content, std::vector<FrameRect> rects) {
        source_.next = content;
        sendOne();
        ReceivedFrame frame = received();
        frame.info.rectCount = static_cast<std::uint16_t>(rects.size());
        std::ranges::copy(rects, frame.info.rects.begin());
        return frame;
    };
    pane_->show(sendWith(0x0101, {}));
    for (int i = 0; i < 4; ++i) {  // into every texture that may exist
        pane_->show(sendWith(0x0101, {{0, 0, 2, 2}}));
    }
    const RgbaImage before = pane_->readPicture();
    pane_->miss(sendWith(0x7070, {{0, 0, 160, 60}}).info);
    pane_->show(sendWith(0x7070, {{0, 60, 160, 60}}));
    const RgbaImage mended = pane_->readPicture();
    pane_->show(sendWith(0x7070, {}));
    EXPECT_EQ(mended.pixels, pane_->readPicture().pixels);
    EXPECT_NE(before.pixels, mended.pixels);
}

}  // namespace
}  // namespace verbcast::testing
