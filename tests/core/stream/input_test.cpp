// The reverse channel: viewers' events, their order, who may send them, and the frame that shows their
// effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>
#include <vector>

#include "core/session/messages/input_queue.h"
#include "core/session/messages/messages.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

std::vector<InputEvent> oneOfEachKind() {
    return {{.kind = InputKind::Key, .pressed = true, .code = 0xff0d},
            {.kind = InputKind::PointerMove, .x = 12.5F, .y = -3},
            {.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 7, .y = 8},
            {.kind = InputKind::Wheel, .x = 1, .y = 2, .dx = -0.5F, .dy = 1},
            {.kind = InputKind::Touch, .pressed = true, .code = 3, .x = 100, .y = 200},
            {.kind = InputKind::Application, .data = std::vector<std::byte>(kMaxInputData, std::byte{7})},
            {.kind = InputKind::ReleaseAll}};
}

/// Takes events until there are `count` in total.
std::vector<ViewerInput> takeInput(Broadcast& sender, std::size_t count) {
    std::vector<ViewerInput> events;
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (events.size() < count && std::chrono::steady_clock::now() < deadline) {
        sender.inputAvailable().arm();
        const std::size_t before = events.size();
        sender.takeInput(events);
        if (events.size() == before) {
            waitReadable({sender.inputAvailable().descriptor()}, 1s);
        }
        sender.inputAvailable().disarm();
    }
    return events;
}

class Input : public TransportSuite {
  protected:
    SenderOptions senderOptions() const {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.allowInput = true;
        options.peerTimeout = 5s;
        return options;
    }
    static ReceiverOptions receiverOptions(const Broadcast& sender, const std::string& name = "") {
        ReceiverOptions options;
        options.url = parseUrl(sender.listenAddresses().front());
        options.name = name;
        options.peerTimeout = 5s;
        return options;
    }
    void submit(Broadcast& sender, std::uint64_t inputSequence) {
        FrameInfo info;
        info.inputSequence = inputSequence;
        info.capturedAt = nowNs();
        auto lease = pool_->acquire(10s);
        ASSERT_TRUE(lease);
        ASSERT_EQ(sender.submit(std::move(*lease), format_, info, never_), Status::Ok);
    }
    VideoFormat format_ = tightFormat(64, 48, PixelFormat::rgba);
    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = 8});
    Event never_;
};

TEST_P(Input, ArrivesInOrderAndTheFrameThatShowsItSaysSo) {
    Broadcast sender(senderOptions());
    FrameReceiver receiver(receiverOptions(sender, "wall"));
    ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
    submit(sender, 0);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    EXPECT_EQ(frame.info.inputSequence, 0U);
    ASSERT_TRUE(receiver.inputAllowed());

    const std::vector<InputEvent> sent = oneOfEachKind();
    for (std::size_t i = 0; i < sent.size(); ++i) {
        ASSERT_EQ(receiver.sendInput(sent[i]), i + 1);
    }
    const std::vector<ViewerInput> got = takeInput(sender, sent.size());
    ASSERT_EQ(got.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(got[i].event, sent[i]) << i;
        EXPECT_EQ(got[i].serial, i + 1);
        EXPECT_EQ(got[i].viewerName, "wall");
    }
    // Frames that reflect the first three, then all.
    for (const std::size_t applied : {std::size_t{3}, sent.size()}) {
        submit(sender, got[applied - 1].serial);
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        EXPECT_EQ(frame.info.inputSequence, applied);
        receiver.frameShown(frame);
        EXPECT_EQ(receiver.stats().inputToPicture.count, applied);
    }
}

TEST_P(Input, TwoViewersAreToldApartAndEachHearsOfItsOwn) {
    Broadcast sender(senderOptions());
    FrameReceiver left(receiverOptions(sender, "left"));
    ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
    FrameReceiver right(receiverOptions(sender, "right"));
    while (sender.receiverCount() < 2) {
        std::this_thread::yield();
    }
    std::array<ReceivedFrame, 2> frames;
    submit(sender, 0);
    ASSERT_EQ(left.receive(frames[0], 10s), Status::Ok);
    ASSERT_EQ(right.receive(frames[1], 10s), Status::Ok);

    ASSERT_EQ(left.sendInput({.kind = InputKind::Key, .pressed = true, .code = 'a'}), 1U);
    auto events = takeInput(sender, 1);
    ASSERT_EQ(right.sendInput({.kind = InputKind::Key, .pressed = true, .code = 'b'}), 1U);
    ASSERT_EQ(right.sendInput({.kind = InputKind::Key, .pressed = false, .code = 'b'}), 2U);
    for (ViewerInput& event : takeInput(sender, 2)) {
        events.push_back(std::move(event));
    }
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].viewerName, "left");
    EXPECT_EQ(events[1].viewerName, "right");
    EXPECT_EQ(events[1].viewer, events[2].viewer);
    EXPECT_NE(events[0].viewer, events[1].viewer);

    submit(sender, events[1].serial);
    ASSERT_EQ(left.receive(frames[0], 10s), Status::Ok);
    ASSERT_EQ(right.receive(frames[1], 10s), Status::Ok);
    EXPECT_EQ(frames[0].info.inputSequence, 1U);
    EXPECT_EQ(frames[1].info.inputSequence, 1U);
    submit(sender, events[2].serial);
    ASSERT_EQ(left.receive(frames[0], 10s), Status::Ok);
    ASSERT_EQ(right.receive(frames[1], 10s), Status::Ok);
    EXPECT_EQ(frames[0].info.inputSequence, 1U);
    EXPECT_EQ(frames[1].info.inputSequence, 2U);
}

TEST_P(Input, IsNotTakenUnlessTheSenderAllowsIt) {
    SenderOptions options = senderOptions();
    options.allowInput = false;
    Broadcast sender(options);
    FrameReceiver receiver(receiverOptions(sender));
    EXPECT_EQ(receiver.sendInput({.kind = InputKind::ReleaseAll}), 0U) << "nobody is there yet";
    ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
    submit(sender, 77);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    EXPECT_FALSE(receiver.inputAllowed());
    EXPECT_EQ(receiver.sendInput({.kind = InputKind::ReleaseAll}), 0U);
    EXPECT_EQ(frame.info.inputSequence, 77U) << "a source's own use of the field stays as it is";
}

TEST_P(Input, WhatAViewerHeldIsReleasedWhenItLeaves) {
    Broadcast sender(senderOptions());
    std::uint64_t viewer = 0;
    {
        FrameReceiver receiver(receiverOptions(sender));
        ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
        submit(sender, 0);
        ReceivedFrame frame;
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        ASSERT_EQ(receiver.sendInput({.kind = InputKind::Key, .pressed = true, .code = 'w'}), 1U);
        const auto events = takeInput(sender, 1);
        ASSERT_EQ(events.size(), 1U);
        viewer = events[0].viewer;
    }
    const auto events = takeInput(sender, 1);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].event.kind, InputKind::ReleaseAll);
    EXPECT_EQ(events[0].viewer, viewer);
}

TEST_P(Input, OfThousandsOfSensorMessagesNoneIsLost) {
    Broadcast sender(senderOptions());
    FrameReceiver receiver(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(10s, never_), Status::Ok);
    submit(sender, 0);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    constexpr std::uint64_t kEvents = 2000;
    std::jthread sending([&] {
        for (std::uint64_t i = 0; i < kEvents;) {
            InputEvent event{.kind = InputKind::Application, .data = std::vector<std::byte>(100)};
            std::memcpy(event.data.data(), &i, sizeof i);
            if (receiver.sendInput(event) != 0) {
                ++i;
            } else {
                std::this_thread::sleep_for(1ms);  // the queue is full
            }
        }
    });
    const auto events = takeInput(sender, kEvents);
    ASSERT_EQ(events.size(), kEvents);
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        std::uint64_t number = 0;
        std::memcpy(&number, events[i].event.data.data(), sizeof number);
        ASSERT_EQ(number, i);
    }
}

VERBCAST_OVER_TRANSPORTS(Input, transportsUnderTest());

TEST(InputQueue, ALostReleaseIsMadeUpForByReleasingAll) {
    InputQueue queue;
    std::uint64_t pushed = 0;
    for (; pushed < 20'000; ++pushed) {
        queue.push(5, "flood", {.kind = InputKind::PointerMove});
    }
    std::vector<ViewerInput> events;
    queue.take(events);
    ASSERT_LT(events.size(), pushed);
    EXPECT_EQ(events.back().event.kind, InputKind::ReleaseAll);
    EXPECT_EQ(events.back().viewer, 5U);
    EXPECT_GT(events.back().serial, pushed);
    events.clear();
    queue.take(events);
    EXPECT_TRUE(events.empty());
}

TEST(InputQueue, ViewersWhoseEventsAllCameTooLateAreForgotten) {
    InputQueue queue;
    std::vector<ViewerInput> events;
    queue.push(1, "typist", {.kind = InputKind::Key, .pressed = true, .code = 'a'});
    queue.take(events);
    for (int move = 0; move < 20'000; ++move) {
        queue.push(2, "flood", {.kind = InputKind::PointerMove});
    }
    // Nobody takes anything while viewers come and go.
    for (std::uint64_t viewer = 3; viewer < 20'000; ++viewer) {
        queue.push(viewer, "passer-by", {.kind = InputKind::Key, .pressed = true, .code = 'a'});
        queue.push(viewer, "passer-by", {.kind = InputKind::ReleaseAll});
    }
    queue.push(1, "typist", {.kind = InputKind::ReleaseAll});
    events.clear();
    queue.take(events);
    ASSERT_GT(events.size(), 2U);
    std::vector<std::uint64_t> released;
    for (const ViewerInput& each : events) {
        if (each.event.kind == InputKind::ReleaseAll) {
            released.push_back(each.viewer);
        }
    }
    EXPECT_EQ(released, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(std::ranges::count(events, 2U, &ViewerInput::viewer) + 1, std::ssize(events));
}

TEST(InputMessages, ComeBackAsTheyWereSent) {
    for (const InputEvent& event : oneOfEachKind()) {
        const auto bytes = encodeMessage(InputMessage{9, event});
        ByteReader reader(std::span<const std::byte>(bytes).subspan(1));
        const InputMessage back = decodeMessage<InputMessage>(reader);
        EXPECT_EQ(back.sequence, 9U);
        EXPECT_EQ(back.event, event);
        EXPECT_EQ(reader.remaining(), 0U);
    }
}

TEST(InputMessages, ImpossibleEventsAreThePeersFault) {
    const auto refused = [](const InputEvent& event) {
        const auto bytes = encodeMessage(InputMessage{1, event});
        ByteReader reader(std::span<const std::byte>(bytes).subspan(1));
        EXPECT_THROW(decodeMessage<InputMessage>(reader), Error);
    };
    refused({.kind = static_cast<InputKind>(0)});
    refused({.kind = static_cast<InputKind>(8)});
    refused({.kind = InputKind::PointerMove, .x = std::numeric_limits<float>::quiet_NaN()});
    refused({.kind = InputKind::PointerMove, .y = std::numeric_limits<float>::infinity()});
    refused({.kind = InputKind::Wheel, .dy = 1e7F});
    refused({.kind = InputKind::Application, .data = std::vector<std::byte>(kMaxInputData + 1)});
}

}  // namespace
}  // namespace verbcast::testing
