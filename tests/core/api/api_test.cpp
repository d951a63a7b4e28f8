// The C interface against a real receiver.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/session/trust/pairing.h"
#include "tests/core/api/api_sender.h"
#include "tests/core/session/core_support.h"
#include "tests/support/expectations.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

TEST_F(Api, FramesArriveAsTheyWereWritten) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    EXPECT_STREQ(vc_sender_addresses(sender.get()), url_.c_str());
    EXPECT_EQ(vc_sender_wait(sender.get(), 0), VC_TIMEOUT);
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_NV12, 321, 241, {30000, 1001}), VC_OK) << vc_error();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    EXPECT_EQ(vc_sender_viewers(sender.get()), 1U);
    for (int i = 1; i <= 20; ++i) {
        send(sender.get(), i);
        ReceivedFrame frame;
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        EXPECT_EQ(frame.format->pixelFormat, PixelFormat::nv12);
        EXPECT_EQ(frame.format->width, 321U);
        EXPECT_EQ(frame.format->frameRate, (Rational{30000, 1001}));
        EXPECT_EQ(frame.info.pts, i - 1);
        for (std::uint64_t at = 0; at < frame.format->payloadBytes; ++at) {
            ASSERT_EQ(frame.lease.data()[at], static_cast<std::byte>(i)) << at;
        }
    }
}

TEST_F(Api, TheFormatMayChangeInMidStream) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    for (const std::uint32_t width : {64U, 640U, 320U}) {
        ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, width, 48, {60, 1}), VC_OK) << vc_error();
        send(sender.get(), 7);
        ReceivedFrame frame;
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        EXPECT_EQ(frame.format->width, width);
    }
}

TEST_F(Api, InputComesInAndItsSerialGoesBack) {
    options_.allow_input = 1;
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, 64, 48, {60, 1}), VC_OK);
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK);
    send(sender.get(), 0);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    vc_input event = VC_INIT(vc_input);
    EXPECT_EQ(vc_sender_take_input(sender.get(), &event, 0), VC_TIMEOUT);
    std::string data, name;
    auto taken = std::async(std::launch::async, [&] {
        const vc_status status = vc_sender_take_input(sender.get(), &event, -1);
        data.assign(static_cast<const char*>(event.data), event.data_bytes);
        name = event.viewer_name;
        return status;
    });
    EXPECT_EQ(taken.wait_for(50ms), std::future_status::timeout) << "a negative timeout never expires";
    const std::string text = "sensor 5: 0.25";
    InputEvent sent{.kind = InputKind::Application};
    sent.data.resize(text.size());
    std::memcpy(sent.data.data(), text.data(), text.size());
    ASSERT_EQ(receiver.sendInput(sent), 1U);
    ASSERT_EQ(taken.get(), VC_OK);
    EXPECT_EQ(event.kind, VC_APPLICATION);
    EXPECT_EQ(data, text);
    EXPECT_EQ(name, "tester");
    vc_viewer viewer = VC_INIT(vc_viewer);
    ASSERT_EQ(vc_sender_viewer(sender.get(), 0, &viewer), VC_OK) << vc_error();
    EXPECT_EQ(viewer.id, event.viewer);
    EXPECT_STREQ(viewer.name, "tester");
    EXPECT_STREQ(viewer.transport, "shm");
    EXPECT_EQ(viewer.protection, VC_PROTECTION_THIS_HOST);
    EXPECT_EQ(vc_sender_viewer(sender.get(), 1, &viewer), VC_CLOSED);
    send(sender.get(), 0, event.serial);
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    EXPECT_EQ(frame.info.inputSequence, 1U);
}

TEST_F(Api, WhoeverLetsInAnybodyKnowsItsPairedHosts) {
    std::string folder = "/tmp/verbcast-api-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    ::setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
    PairedHost caller{"caller", {"10.0.0.7"}, {"id", SessionKey::random()}, kMayAll, today(), false};
    PairedHosts(PairedHosts::defaultPath()).add(caller);
    caller.wasCalled = true;  // as the caller keeps it
    options_.open = 1;
    const SenderPointer sender = open();
    ReceiverOptions receiving = receiverOptions();
    receiving.trust.key = caller.keyToCall();
    FrameReceiver receiver(receiving);
    EXPECT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    ::unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(folder);
}

TEST_F(Api, NobodyIsCalledWithoutTheKeysOfPairedHosts) {
    const TemporaryFolder folder;
    ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    const std::string hosts = PairedHosts::defaultPath();
    std::filesystem::create_directories(std::filesystem::path(hosts).parent_path());
    std::ofstream(hosts) << "{";
    ::chmod(hosts.c_str(), 0600);
    vc_receiver_options receiving = VC_INIT(vc_receiver_options);
    receiving.url = "tcp://192.0.2.1:1";
    vc_receiver* const receiver = vc_receiver_open(&receiving);
    EXPECT_EQ(receiver, nullptr);
    EXPECT_TRUE(contains(vc_error(), "is damaged")) << vc_error();
    vc_receiver_close(receiver);
    options_.connect = 1;
    url_ = "tcp://192.0.2.1:1";
    options_.url = url_.c_str();
    vc_sender* const sender = vc_sender_open(&options_);
    EXPECT_EQ(sender, nullptr);
    EXPECT_EQ(vc_error_code(), VC_ERROR_USAGE);
    vc_sender_close(sender);
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(Api, WhyACallFailedIsReadDuringAndAfterTheNext) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    EXPECT_EQ(vc_sender_set_format(sender.get(), VC_PICTURE_TRACK, nullptr), VC_ERROR);
    const char* const why = vc_error();
    const std::string text = why;
    ASSERT_NE(text, "");
    EXPECT_EQ(vc_sender_finish(sender.get(), why, 10'000), VC_OK) << vc_error();
    EXPECT_TRUE(eventually([&] { return receiver.status().senderReason == text; }));
    EXPECT_EQ(why, text);
    EXPECT_STREQ(vc_error(), "");
    EXPECT_EQ(vc_sender_wait(sender.get(), -1), VC_CLOSED) << "nobody else is let in";
}

TEST_F(Api, AfterTheEndAFrameStaysWithItsCaller) {
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48), VC_OK);
    EXPECT_EQ(vc_sender_finish(sender.get(), "", 0), VC_OK);
    vc_slot frame = VC_INIT(vc_slot);
    ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_OK);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_CLOSED);
        EXPECT_NE(frame.id, 0U);
    }
    vc_slot_discard(&frame);
}

TEST_F(Api, AFrameThatIsDiscardedLeavesItsPlaceFree) {
    options_.slots = 2;
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48, {60, 1}), VC_OK);
    for (int i = 0; i < 10; ++i) {
        vc_slot frame = VC_INIT(vc_slot);
        ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_OK);
        vc_slot_discard(&frame);
        EXPECT_EQ(frame.id, 0U);
    }
    vc_slot frames[] = {VC_INIT(vc_slot), VC_INIT(vc_slot), VC_INIT(vc_slot)};
    for (vc_slot& frame : frames) {
        EXPECT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_OK);
    }
    vc_slot none = VC_INIT(vc_slot);
    EXPECT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &none, 0), VC_TIMEOUT);
    EXPECT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frames[0], 0), VC_ERROR)
        << "it would be lost";
    EXPECT_NE(frames[0].id, 0U);
    for (vc_slot& frame : frames) {
        vc_slot_discard(&frame);
    }
}

TEST_F(Api, LosslessWithoutAReceiverLeavesTheFrameWithItsCaller) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48, {60, 1}), VC_OK);
    vc_slot frame = VC_INIT(vc_slot);
    ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_OK);
    EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_BUSY);
    EXPECT_NE(frame.id, 0U);
    vc_slot_discard(&frame);
}

/// Repaints and reports parts of a picture. The rest of each ring slot is rewritten with the same content.
TEST_F(Api, OnlyWhatIsSaidToChangeTravels) {
    constexpr std::uint32_t kWidth = 640, kHeight = 400, kPixel = 4;
    options_.policy = VC_LOSSLESS;
    url_ = "tcp://127.0.0.1:0";
    const SenderPointer sender = open();
    url_ = vc_sender_addresses(sender.get());
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, kWidth, kHeight, {60, 1}), VC_OK) << vc_error();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    std::vector<std::uint8_t> picture(std::size_t{kWidth} * kHeight * kPixel, 9);
    std::uint64_t small = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
        const vc_rect rects[] = {{i, 2 * i, 30, 20}, {kWidth - 7, kHeight - 5, 7, 5}};
        vc_slot frame = VC_INIT(vc_slot);
        ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 10'000), VC_OK) << vc_error();
        EXPECT_EQ(frame.changed, nullptr);
        EXPECT_EQ(frame.changed_count, 0U);
        if (i % 10 != 0) {  // every tenth frame reports nothing
            frame.changed = rects;
            frame.changed_count = i % 5 == 0 ? 0 : std::size(rects);  // 5, 15, ...: nothing changed
            small += frame.changed_count > 0 ? 1 : 0;
        }
        for (const vc_rect& rect : std::span(rects).first(i % 5 == 0 ? 0 : std::size(rects))) {
            for (std::uint32_t row = rect.y; row < rect.y + rect.height; ++row) {
                std::memset(&picture[(std::size_t{row} * kWidth + rect.x) * kPixel], static_cast<int>(i),
                            std::size_t{rect.width} * kPixel);
            }
        }
        ASSERT_EQ(frame.bytes, picture.size());
        std::memcpy(frame.planes[0], picture.data(), picture.size());
        ASSERT_EQ(vc_sender_submit(sender.get(), &frame), VC_OK) << vc_error();
        ReceivedFrame received;
        ASSERT_EQ(receiver.receive(received, 10s), Status::Ok);
        ASSERT_EQ(std::memcmp(received.lease.data(), picture.data(), picture.size()), 0) << "frame " << i;
    }
    EXPECT_GT(small, 20U);
    const StreamStats stats = receiver.stats();
    EXPECT_EQ(stats.bytes, 40 * picture.size());
    // Whole frames: one for each of the viewer's slots, and those that report nothing.
    EXPECT_LT(stats.bytesMoved, 16 * picture.size());
}

TEST_F(Api, PartsThatAreNotOfThePictureAreRefused) {
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48, {60, 1}), VC_OK);
    vc_slot frame = VC_INIT(vc_slot);
    ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_OK);
    for (const vc_rect& outside :
         {vc_rect{60, 0, 5, 1}, vc_rect{0, 48, 1, 1}, vc_rect{UINT32_MAX, 0, 2, 2}}) {
        frame.changed = &outside;
        frame.changed_count = 1;
        EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_ERROR);
        EXPECT_TRUE(contains(vc_error(), "64x48"));
        EXPECT_NE(frame.id, 0U) << "it stays the caller's";
    }
    frame.changed = nullptr;
    EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_ERROR) << "so many of none";
    frame.changed_count = 0;
    EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_OK) << vc_error();
}

TEST_F(Api, MistakesAreToldInWords) {
    options_.url = "http://here";
    EXPECT_EQ(vc_sender_open(&options_), nullptr);
    EXPECT_TRUE(contains(vc_error(), "http"));
    EXPECT_EQ(vc_sender_open(nullptr), nullptr);
    options_.slots = 1000;
    options_.url = url_.c_str();
    EXPECT_EQ(vc_sender_open(&options_), nullptr);
    EXPECT_TRUE(contains(vc_error(), "1000"));
    options_.slots = 8;

    const SenderPointer sender = open();
    vc_slot frame = VC_INIT(vc_slot);
    EXPECT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_ERROR) << "no format yet";
    EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_ERROR) << "not acquired";
    EXPECT_EQ(setFormat(sender.get(), static_cast<vc_pixel_format>(99), 64, 48), VC_ERROR);
    EXPECT_TRUE(contains(vc_error(), "nv12")) << "what there is: " << vc_error();
    EXPECT_EQ(vc_error_code(), VC_ERROR_USAGE);
    EXPECT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, 0, 48, {60, 1}), VC_ERROR);
    EXPECT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, 64, 48, {0, 1}), VC_ERROR) << "no time base";
    EXPECT_EQ(setFormat(sender.get(), VC_PIXEL_RGBA, 64, 48, {-1, 1}), VC_ERROR);
    EXPECT_EQ(vc_sender_set_format(sender.get(), VC_SOUND_TRACK, nullptr), VC_ERROR);
    vc_input event = VC_INIT(vc_input);
    EXPECT_EQ(vc_sender_take_input(sender.get(), &event, 0), VC_ERROR);
    EXPECT_TRUE(contains(vc_error(), "allow_input"));
    vc_sender_close(nullptr);
}

TEST_F(Api, TheCppInterfaceDoesTheSame) {
    std::vector<std::string> messages;
    vc::setLog([&](vc_log_level, std::string_view message) { messages.emplace_back(message); });
    vc_sender_options options = vc::Sender::defaults();
    options.url = url_.c_str();
    options.slots = 2;
    vc::Sender sender(options);
    sender.setFormat(vc::videoFormat(VC_PIXEL_GRAY, 64, 48));
    {
        vc::Slot slot = sender.acquire(0);
        ASSERT_TRUE(slot);
        vc::Slot moved = std::move(slot);
        EXPECT_NE(moved->id, 0U);
        EXPECT_EQ(slot->id, 0U);
        EXPECT_EQ(sender.submit(moved), VC_OK);
        EXPECT_FALSE(moved);
    }
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(sender.acquire(0)) << "and given back";
    }
    EXPECT_THROW(sender.takeInput(), vc::Error);
    options.size = 0;
    EXPECT_THROW(vc::Sender{options}, vc::Error);
    vc::setLog({});
    EXPECT_TRUE(messages.empty()) << messages[0];
}

}  // namespace
}  // namespace verbcast::testing
