// Receivers of the C interface, with senders of it.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/video/pixel_format.h"
#include "tests/core/api/api_sender.h"
#include "tests/core/session/core_support.h"
#include "tests/support/expectations.h"
#include "tests/support/forked_child.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

using ReceiverPointer = std::unique_ptr<vc_receiver, decltype(&vc_receiver_close)>;

class ApiReceiver : public Api {
  protected:
    ApiReceiver() {
        options_.policy = VC_LOSSLESS;
        receiving_.peer_timeout_ms = 20'000;
        receiving_.name = "taker";
    }
    ReceiverPointer openReceiver() {
        receiving_.url = url_.c_str();
        ReceiverPointer receiver(vc_receiver_open(&receiving_), &vc_receiver_close);
        EXPECT_TRUE(receiver) << vc_error();
        return receiver;
    }
    /// A sender with a receiver of gray pictures, over shared memory or tcp.
    void connect(bool tcp = false) {
        url_ = tcp ? "tcp://127.0.0.1:0" : url_;
        sender_ = open();
        url_ = vc_sender_addresses(sender_.get());
        ASSERT_EQ(setFormat(sender_.get(), VC_PIXEL_GRAY, 64, 48), VC_OK) << vc_error();
        receiver_ = openReceiver();
        ASSERT_EQ(vc_sender_wait(sender_.get(), 10'000), VC_OK) << vc_error();
    }
    vc_frame take(vc_take which = VC_TAKE_NEXT, std::uint32_t track = VC_PICTURE_TRACK) {
        vc_frame frame = VC_INIT(vc_frame);
        EXPECT_EQ(vc_receiver_take(receiver_.get(), track, which, &frame, 10'000), VC_OK) << vc_error();
        return frame;
    }
    /// Takes events until one of that state.
    vc_event awaitState(vc_state state) {
        vc_event event = VC_INIT(vc_event);
        do {
            EXPECT_EQ(vc_receiver_next_event(receiver_.get(), &event, 10'000), VC_OK) << vc_error();
        } while (!HasFailure() && (event.kind != VC_EVENT_STATE || event.state != state));
        return event;
    }

    vc_receiver_options receiving_ = VC_INIT(vc_receiver_options);
    SenderPointer sender_{nullptr, &vc_sender_close};
    ReceiverPointer receiver_{nullptr, &vc_receiver_close};
};

std::vector<std::uint8_t> noise(std::size_t bytes, std::uint32_t seed) {
    std::vector<std::uint8_t> values(bytes);
    for (std::uint8_t& value : values) {
        seed = seed * 1664525 + 1013904223;
        value = static_cast<std::uint8_t>(seed >> 24U);
    }
    return values;
}

class ApiReceiverOver : public ApiReceiver, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Transports, ApiReceiverOver, ::testing::Values(false, true),
                         [](const auto& which) { return which.param ? "tcp" : "shm"; });

TEST_P(ApiReceiverOver, EveryFormatArrivesByteByByteWithAllThatIsSaidOfIt) {
    connect(GetParam());
    std::uint32_t seed = 0;
    for (const PixelFormatInfo& info : allPixelFormats()) {
        vc_video_format sent = vc::videoFormat(static_cast<vc_pixel_format>(info.format), 98, 50, {50, 1});
        EXPECT_EQ(vc_pixel_format_name(sent.pixel_format), info.name);
        EXPECT_EQ(vc_pixel_format_by_name(std::string(info.name).c_str()), sent.pixel_format);
        sent.time_base = {1, 90'000};
        sent.pixel_aspect = {16, 15};
        sent.rotation = 90;
        sent.matrix = VC_MATRIX_BT2020;
        sent.primaries = VC_PRIMARIES_BT2020;
        sent.transfer = VC_TRANSFER_PQ;
        sent.range = VC_RANGE_LIMITED;
        sent.chroma_location = VC_CHROMA_TOP_LEFT;
        sent.field_order = VC_TOP_FIELD_FIRST;
        sent.alpha = VC_ALPHA_PREMULTIPLIED;
        sent.hdr = {35'400, 14'600, 8'500, 39'850, 6'550, 2'300, 15'635, 16'450, 10'000'000, 50, 1'000, 400};
        sent.stride_alignment = 256;
        sent.plane_alignment = 4'096;
        ASSERT_EQ(vc_sender_set_format(sender_.get(), 0, &sent), VC_OK) << vc_error();
        vc_slot slot = VC_INIT(vc_slot);
        ASSERT_EQ(vc_sender_acquire(sender_.get(), 0, &slot, 10'000), VC_OK) << vc_error();
        std::array<std::vector<std::uint8_t>, VC_MAX_PLANES> planes;
        for (std::uint32_t plane = 0; plane < slot.plane_count; ++plane) {
            EXPECT_EQ(slot.strides[plane] % 256, 0U);
            EXPECT_EQ((slot.planes[plane] - slot.planes[0]) % 4'096, 0);
            planes[plane] = noise(std::size_t{slot.rows[plane]} * slot.row_bytes[plane], ++seed);
            for (std::uint32_t row = 0; row < slot.rows[plane]; ++row) {
                std::memcpy(slot.planes[plane] + std::size_t{row} * slot.strides[plane],
                            &planes[plane][std::size_t{row} * slot.row_bytes[plane]], slot.row_bytes[plane]);
            }
        }
        const std::int64_t pts = 1'800 * seed;
        slot.pts = pts;
        slot.damaged = 1;
        slot.captured_at = vc_now() - 1'000'000;
        const std::int64_t captured = slot.captured_at;
        ASSERT_EQ(vc_sender_submit(sender_.get(), &slot), VC_OK) << vc_error();
        const vc_frame frame = take();
        ASSERT_NE(frame.lease, 0U);
        EXPECT_EQ(frame.pts, pts);
        EXPECT_EQ(frame.time, pts * 100'000 / 9);
        EXPECT_EQ(frame.damaged, 1);
        EXPECT_EQ(frame.captured_at, captured);
        EXPECT_GE(frame.arrived_at, frame.submitted_at);
        EXPECT_EQ(frame.missing, 0U);
        EXPECT_EQ(frame.region.width, 98U);
        ASSERT_EQ(frame.plane_count, info.planeCount);
        for (std::uint32_t plane = 0; plane < frame.plane_count; ++plane) {
            ASSERT_EQ(std::size_t{frame.rows[plane]} * frame.row_bytes[plane], planes[plane].size());
            for (std::uint32_t row = 0; row < frame.rows[plane]; ++row) {
                ASSERT_EQ(std::memcmp(frame.planes[plane] + std::size_t{row} * frame.strides[plane],
                                      &planes[plane][std::size_t{row} * frame.row_bytes[plane]],
                                      frame.row_bytes[plane]),
                          0)
                    << info.name << " plane " << plane << " row " << row;
            }
        }
        EXPECT_EQ(vc_lease_intact(frame.lease), 1);
        vc_video_format got = VC_INIT(vc_video_format);
        ASSERT_EQ(vc_receiver_format(receiver_.get(), 0, &got), VC_OK) << vc_error();
        sent.stride_alignment = sent.plane_alignment = 0;
        EXPECT_EQ(std::memcmp(&got, &sent, sizeof got), 0) << vc_describe_format(&got);
        EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
    }
    vc_stats received = VC_INIT(vc_stats), sent = VC_INIT(vc_stats);
    ASSERT_EQ(vc_receiver_stats(receiver_.get(), 0, &received), VC_OK) << vc_error();
    ASSERT_EQ(vc_sender_stats(sender_.get(), &sent), VC_OK) << vc_error();
    EXPECT_EQ(received.frames, allPixelFormats().size());
    EXPECT_EQ(received.frames_corrupt, received.frames);
    EXPECT_EQ(received.bytes_copied + sent.bytes_copied > 0, GetParam()) << "none over shared memory";
    EXPECT_TRUE(contains(vc_receiver_stats_json(receiver_.get()), "\"frames_received\": 16"));
    EXPECT_TRUE(contains(vc_sender_stats_json(sender_.get()), "\"frames_sent\": "));
}

TEST_P(ApiReceiverOver, WaitsEndWhenTheyAreInterruptedAndMayBeginAgain) {
    options_.allow_input = 1;
    connect(GetParam());
    for (int turn = 0; turn < 2; ++turn) {
        auto taking = std::async(std::launch::async, [&] {
            vc_frame frame = VC_INIT(vc_frame);
            return vc_receiver_take(receiver_.get(), 0, VC_TAKE_NEXT, &frame, -1);
        });
        auto hearing = std::async(std::launch::async, [&] {
            vc_event event = VC_INIT(vc_event);
            vc_status status = VC_OK;
            while (status == VC_OK) {
                status = vc_receiver_next_event(receiver_.get(), &event, -1);
            }
            return status;
        });
        auto listening = std::async(std::launch::async, [&] {
            vc_input input = VC_INIT(vc_input);
            return vc_sender_take_input(sender_.get(), &input, -1);
        });
        EXPECT_EQ(taking.wait_for(20ms), std::future_status::timeout);
        EXPECT_EQ(vc_receiver_interrupt(receiver_.get(), 1), VC_OK);
        EXPECT_EQ(vc_sender_interrupt(sender_.get(), 1), VC_OK);
        EXPECT_EQ(taking.get(), VC_INTERRUPTED);
        EXPECT_EQ(hearing.get(), VC_INTERRUPTED);
        EXPECT_EQ(listening.get(), VC_INTERRUPTED);
        EXPECT_EQ(vc_receiver_interrupt(receiver_.get(), 0), VC_OK);
        EXPECT_EQ(vc_sender_interrupt(sender_.get(), 0), VC_OK);
        send(sender_.get(), turn);
        const vc_frame frame = take();
        EXPECT_EQ(frame.planes[0][0], turn);
        EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
    }
}

TEST_P(ApiReceiverOver, ADescriptorSaysWhenThereIsSomethingToTake) {
    connect(GetParam());
    send(sender_.get(), 1);
    EXPECT_EQ(vc_lease_release(take().lease), VC_OK);  // the taking thread has served the connection
    const UniqueFd descriptor(vc_receiver_descriptor(receiver_.get()));
    ASSERT_GE(descriptor.get(), 0) << vc_error();
    {
        const UniqueFd closed(vc_receiver_descriptor(receiver_.get()));
        EXPECT_NE(closed.get(), descriptor.get());
    }
    const auto drain = [&] {
        int frames = 0;
        vc_frame frame = VC_INIT(vc_frame);
        while (vc_receiver_take(receiver_.get(), 0, VC_TAKE_NEXT, &frame, 0) == VC_OK) {
            frames += 1;
            EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
        }
        vc_event event = VC_INIT(vc_event);
        while (vc_receiver_next_event(receiver_.get(), &event, 0) == VC_OK) {
        }
        return frames;
    };
    drain();
    pollfd polled{descriptor.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&polled, 1, 20), 0) << "all is taken";
    for (int i = 0; i < 20; ++i) {
        send(sender_.get(), i);
        int frames = 0;
        while (frames == 0) {
            ASSERT_EQ(::poll(&polled, 1, 10'000), 1) << i;
            frames = drain();
        }
        EXPECT_EQ(frames, 1);
    }
    sender_.reset();
    vc_event event = VC_INIT(vc_event);
    while (event.state != VC_ENDED && event.state != VC_LOST && !HasFailure()) {
        ASSERT_EQ(::poll(&polled, 1, 10'000), 1);
        while (vc_receiver_next_event(receiver_.get(), &event, 0) == VC_OK && event.state < VC_LOST) {
        }
    }
}

TEST_P(ApiReceiverOver, LeasesAreReleasedInAnyOrderByAnyThreadAndOutliveBothEnds) {
    connect(GetParam());
    std::vector<vc_frame> frames;
    for (int i = 0; i < 6; ++i) {
        send(sender_.get(), i + 1);
        frames.push_back(take());
    }
    std::thread([&] { EXPECT_EQ(vc_lease_release(frames[3].lease), VC_OK); }).join();
    EXPECT_EQ(vc_lease_release(frames[0].lease), VC_OK);
    EXPECT_EQ(vc_lease_release(frames[0].lease), VC_ERROR);
    EXPECT_TRUE(contains(vc_error(), "lease " + std::to_string(frames[0].lease) + " was released"));
    EXPECT_EQ(vc_lease_intact(frames[0].lease), 0);
    EXPECT_EQ(vc_lease_release(0), VC_OK);
    EXPECT_EQ(vc_lease_release(UINT64_MAX), VC_ERROR);
    send(sender_.get(), 7);
    frames[0] = take();
    receiver_.reset();
    sender_.reset();
    for (const int i : {5, 1, 4, 2, 0}) {
        const int value = i == 0 ? 7 : i + 1;
        for (std::uint64_t at = 0; at < frames[i].bytes; ++at) {
            ASSERT_EQ(frames[i].planes[0][at], value);
        }
        EXPECT_EQ(vc_lease_release(frames[i].lease), VC_OK);
    }
}

/// A process that takes frames, and releases them or not.
void takeForEver(vc_receiver_options options, const char* name, bool release) {
    options.name = name;
    vc_receiver* const receiver = vc_receiver_open(&options);
    for (;;) {
        vc_frame frame = VC_INIT(vc_frame);
        if (vc_receiver_take(receiver, VC_PICTURE_TRACK, VC_TAKE_NEXT, &frame, -1) == VC_OK && release) {
            vc_lease_release(frame.lease);
        }
    }
}

TEST_P(ApiReceiverOver, UsersThatHoldStandStillOrDieCostOthersNoFrame) {
    options_.policy = VC_LATEST;
    const ReservedAddress reserved(GetParam() ? "tcp" : "shm");
    url_ = reserved.url();
    receiving_.url = url_.c_str();
    const ForkedChild holding([this] { takeForEver(receiving_, "holds", false); });
    const ForkedChild stopped([this] { takeForEver(receiving_, "stands still", true); });
    ForkedChild killed([this] { takeForEver(receiving_, "dies", true); });
    connect();
    ASSERT_TRUE(eventually([&] { return vc_sender_viewers(sender_.get()) == 4; }));
    std::uint64_t sequence = 0;
    const auto pass = [&](int frames) {
        for (int i = 0; i < frames; ++i) {
            send(sender_.get(), i);
            const vc_frame frame = take();
            ASSERT_EQ(frame.sequence, sequence++);
            ASSERT_EQ(frame.planes[0][0], static_cast<std::uint8_t>(i));
            vc_lease_release(frame.lease);
        }
    };
    pass(30);
    stopped.send(SIGSTOP);
    pass(30);
    killed.kill();
    pass(60);
}

TEST_F(ApiReceiver, TheNewestFrameCountsThoseThatMadeWay) {
    receiving_.slots = 8;
    connect();
    const auto sendSeveral = [&](int count) {
        for (int i = 0; i < count; ++i) {
            send(sender_.get(), i);
        }
    };
    send(sender_.get(), 9);
    EXPECT_EQ(vc_lease_release(take().lease), VC_OK);
    sendSeveral(4);
    vc_frame frame = take(VC_TAKE_NEWEST);
    std::uint64_t taken = 1;
    while (frame.sequence < 4) {  // the last may have come after the first look
        EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
        frame = take(VC_TAKE_NEWEST);
        ++taken;
    }
    EXPECT_EQ(frame.missing, 0U);
    vc_stats stats = VC_INIT(vc_stats);
    ASSERT_EQ(vc_receiver_stats(receiver_.get(), 0, &stats), VC_OK);
    EXPECT_EQ(stats.frames_skipped, 4 - taken);
    EXPECT_EQ(vc_receiver_shown(receiver_.get(), frame.lease, vc_now()), VC_OK) << vc_error();
    ASSERT_EQ(vc_receiver_stats(receiver_.get(), 0, &stats), VC_OK);
    EXPECT_EQ(stats.frames_shown, 1U);
    EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
    EXPECT_EQ(vc_receiver_shown(receiver_.get(), frame.lease, 0), VC_ERROR);
}

TEST_F(ApiReceiver, EventsTellTheStatesTheFormatsAndTheEnd) {
    receiving_.follow = VC_FOLLOW_STREAM;
    receiver_ = openReceiver();
    EXPECT_TRUE(contains(awaitState(VC_CONNECTING).text, url_));
    vc_video_format none = VC_INIT(vc_video_format);
    EXPECT_EQ(vc_receiver_format(receiver_.get(), 0, &none), VC_BUSY);
    sender_ = open();
    ASSERT_EQ(setFormat(sender_.get(), VC_PIXEL_GRAY, 64, 48), VC_OK) << vc_error();
    ASSERT_EQ(vc_sender_wait(sender_.get(), 10'000), VC_OK) << vc_error();
    for (const std::uint32_t width : {64U, 96U}) {
        ASSERT_EQ(setFormat(sender_.get(), VC_PIXEL_GRAY, width, 48), VC_OK) << vc_error();
        send(sender_.get(), 1);
        const vc_frame frame = take();
        EXPECT_EQ(frame.format_serial, width == 64 ? 1U : 2U);
        EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
        vc_event event = VC_INIT(vc_event);
        do {
            ASSERT_EQ(vc_receiver_next_event(receiver_.get(), &event, 10'000), VC_OK) << vc_error();
        } while (event.kind != VC_EVENT_FORMAT);
        EXPECT_EQ(event.track, 0U);
        EXPECT_EQ(event.state, VC_STREAMING) << event.text;
    }
    vc_connection connection = VC_INIT(vc_connection);
    ASSERT_EQ(vc_receiver_connection(receiver_.get(), &connection), VC_OK);
    EXPECT_STREQ(connection.transport, "shm");
    EXPECT_EQ(connection.protection, VC_PROTECTION_THIS_HOST);
    EXPECT_EQ(connection.over, 0);
    EXPECT_STRNE(connection.peer_name, "");
    auto finished = std::async(std::launch::async,
                               [&] { return vc_sender_finish(sender_.get(), "that is all", 10'000); });
    vc_frame frame = VC_INIT(vc_frame);
    EXPECT_EQ(vc_receiver_take(receiver_.get(), 0, VC_TAKE_NEXT, &frame, 10'000), VC_CLOSED) << vc_error();
    EXPECT_EQ(frame.lease, 0U);
    EXPECT_EQ(finished.get(), VC_OK);
    EXPECT_STREQ(awaitState(VC_ENDED).reason, "that is all");
    vc_event event = VC_INIT(vc_event);
    EXPECT_EQ(vc_receiver_next_event(receiver_.get(), &event, -1), VC_CLOSED);
}

TEST_F(ApiReceiver, ThatAStreamHasBegunIsToldThoughNobodyTakesIt) {
    connect();
    send(sender_.get(), 1);
    awaitState(VC_STREAMING);
}

TEST_F(ApiReceiver, SoundComesInBlocksOfItsOwnTime) {
    options_.sound = 1;
    receiving_.sound = 1;
    connect();
    std::vector<float> samples(2 * 480);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = static_cast<float>(i) / 1'000.0F;
    }
    vc_sound sound = VC_INIT(vc_sound);
    sound.rate = 48'000;
    sound.channels = 2;
    sound.samples = 480;
    sound.interleaved = samples.data();
    sound.layout = 3;
    sound.time = 1'234'000'000;
    ASSERT_EQ(vc_sender_send_sound(sender_.get(), &sound), VC_OK) << vc_error();
    vc_sound_block block = VC_INIT(vc_sound_block);
    ASSERT_EQ(vc_receiver_take_sound(receiver_.get(), &block, 10'000), VC_OK) << vc_error();
    EXPECT_EQ(block.rate, 48'000U);
    ASSERT_EQ(block.samples, 480U);
    EXPECT_EQ(block.layout, 3U);
    EXPECT_EQ(block.time, sound.time);
    for (std::uint32_t i = 0; i < 480; ++i) {
        ASSERT_EQ(block.planar[i], samples[2 * i]);
        ASSERT_EQ(block.planar[480 + i], samples[2 * i + 1]);
    }
    vc_event event = VC_INIT(vc_event);
    do {
        ASSERT_EQ(vc_receiver_next_event(receiver_.get(), &event, 10'000), VC_OK) << vc_error();
    } while (event.kind != VC_EVENT_SOUND_FORMAT);
    EXPECT_EQ(vc_lease_release(block.lease), VC_OK);
    vc_frame frame = VC_INIT(vc_frame);
    EXPECT_EQ(vc_receiver_take(receiver_.get(), VC_SOUND_TRACK, VC_TAKE_NEXT, &frame, 0), VC_ERROR);
}

TEST_F(ApiReceiver, TracksAndPartsOfPicturesAreTakenAsWanted) {
    std::array<vc_track_wish, 2> wishes{VC_INIT(vc_track_wish), VC_INIT(vc_track_wish)};
    wishes[0].track = 5;
    wishes[1].region = {16, 8, 32, 16};
    receiving_.tracks = wishes.data();
    receiving_.track_count = wishes.size();
    connect();
    const vc_video_format other = vc::videoFormat(VC_PIXEL_RGBA, 32, 32);
    ASSERT_EQ(vc_sender_set_format(sender_.get(), 5, &other), VC_OK) << vc_error();
    vc_slot slot = VC_INIT(vc_slot);
    ASSERT_EQ(vc_sender_acquire(sender_.get(), 5, &slot, 10'000), VC_OK) << vc_error();
    std::memset(slot.planes[0], 0x5A, slot.bytes);
    ASSERT_EQ(vc_sender_submit(sender_.get(), &slot), VC_OK) << vc_error();
    send(sender_.get(), 3);
    const vc_frame further = take(VC_TAKE_NEXT, 5);
    EXPECT_EQ(further.track, 5U);
    EXPECT_EQ(further.planes[0][further.bytes - 1], 0x5A);
    const vc_frame part = take();
    EXPECT_EQ(part.rows[0], 16U);
    EXPECT_EQ(part.row_bytes[0], 32U);
    EXPECT_EQ(part.region.x, 16U);
    EXPECT_EQ(part.region.y, 8U);
    EXPECT_EQ(part.picture_width, 64U);
    EXPECT_EQ(vc_lease_release(part.lease), VC_OK);
    EXPECT_EQ(vc_lease_release(further.lease), VC_OK);
    vc_frame none = VC_INIT(vc_frame);
    EXPECT_EQ(vc_receiver_take(receiver_.get(), 1, VC_TAKE_NEXT, &none, 0), VC_ERROR);
    EXPECT_TRUE(contains(vc_error(), "track 1 is not wanted"));
    EXPECT_EQ(vc_receiver_take(receiver_.get(), 99, VC_TAKE_NEXT, &none, 0), VC_ERROR);
}

TEST_F(ApiReceiver, InputGoesBackAndTheFrameThatShowsItSaysSo) {
    options_.allow_input = 1;
    connect();
    send(sender_.get(), 0);
    EXPECT_EQ(vc_lease_release(take().lease), VC_OK);  // the receiver, too, knows that they are connected
    std::string text(VC_MAX_INPUT_DATA, 'x');
    vc_input event = VC_INIT(vc_input);
    event.kind = VC_APPLICATION;
    event.data = text.data();
    event.data_bytes = text.size();
    std::uint64_t serial = 0;
    ASSERT_EQ(vc_receiver_send_input(receiver_.get(), &event, &serial), VC_OK) << vc_error();
    vc_input got = VC_INIT(vc_input);
    ASSERT_EQ(vc_sender_take_input(sender_.get(), &got, 10'000), VC_OK) << vc_error();
    EXPECT_EQ(std::string(static_cast<const char*>(got.data), got.data_bytes), text);
    EXPECT_STREQ(got.viewer_name, "taker");
    send(sender_.get(), 1, got.serial);
    const vc_frame frame = take();
    EXPECT_EQ(frame.input_serial, serial);
    EXPECT_EQ(vc_lease_release(frame.lease), VC_OK);
    event.data_bytes = VC_MAX_INPUT_DATA + 1;
    EXPECT_EQ(vc_receiver_send_input(receiver_.get(), &event, nullptr), VC_ERROR);
    event.data = nullptr;
    EXPECT_EQ(vc_receiver_send_input(receiver_.get(), &event, nullptr), VC_ERROR);
    event.kind = static_cast<vc_input_kind>(77);
    EXPECT_EQ(vc_receiver_send_input(receiver_.get(), &event, nullptr), VC_ERROR);
    EXPECT_TRUE(contains(vc_error(), "77"));
}

TEST_F(ApiReceiver, HandlesThatAreNullOrClosedAreErrors) {
    connect();
    vc_receiver* const receiver = receiver_.release();
    vc_sender* const sender = sender_.release();
    vc_slot slot = VC_INIT(vc_slot);
    ASSERT_EQ(vc_sender_acquire(sender, 0, &slot, 0), VC_OK) << vc_error();
    vc_receiver_close(receiver);
    vc_sender_close(sender);
    std::memset(slot.planes[0], 1, slot.bytes);
    const vc_slot copy = slot;
    vc_slot_discard(&slot);
    slot = copy;
    vc_slot_discard(&slot);  // a second time
    vc_frame frame = VC_INIT(vc_frame);
    vc_event event = VC_INIT(vc_event);
    vc_connection connection = VC_INIT(vc_connection);
    vc_stats stats = VC_INIT(vc_stats);
    vc_input input = VC_INIT(vc_input);
    const auto* const other = reinterpret_cast<vc_receiver*>(sender);
    for (vc_receiver* const wrong :
         {receiver, static_cast<vc_receiver*>(nullptr), const_cast<vc_receiver*>(other)}) {
        EXPECT_EQ(vc_receiver_take(wrong, 0, VC_TAKE_NEXT, &frame, -1), VC_ERROR);
        EXPECT_TRUE(contains(vc_error(), wrong == nullptr ? "NULL" : "was closed")) << vc_error();
        EXPECT_EQ(vc_receiver_next_event(wrong, &event, -1), VC_ERROR);
        EXPECT_EQ(vc_receiver_connection(wrong, &connection), VC_ERROR);
        EXPECT_EQ(vc_receiver_stats(wrong, 0, &stats), VC_ERROR);
        EXPECT_EQ(vc_receiver_send_input(wrong, &input, nullptr), VC_ERROR);
        EXPECT_EQ(vc_receiver_interrupt(wrong, 1), VC_ERROR);
        EXPECT_EQ(vc_receiver_descriptor(wrong), -1);
        EXPECT_EQ(vc_receiver_stats_json(wrong), nullptr);
        EXPECT_STREQ(vc_receiver_addresses(wrong), "");
        vc_receiver_close(wrong);
    }
    for (vc_sender* const wrong : {sender, static_cast<vc_sender*>(nullptr)}) {
        EXPECT_EQ(vc_sender_wait(wrong, -1), VC_ERROR);
        EXPECT_EQ(vc_sender_acquire(wrong, 0, &slot, -1), VC_ERROR);
        EXPECT_EQ(vc_sender_submit(wrong, &slot), VC_ERROR);
        EXPECT_EQ(vc_sender_stats(wrong, &stats), VC_ERROR);
        EXPECT_EQ(vc_sender_viewers(wrong), 0U);
        vc_sender_close(wrong);
    }
}

TEST_F(ApiReceiver, ClosingEndsTheWaitsOfOtherThreadsAndASecondTakerIsRefused) {
    connect();
    auto taking = std::async(std::launch::async, [&, receiver = receiver_.get()] {
        vc_frame frame = VC_INIT(vc_frame);
        vc_status status = VC_ERROR;
        while (status == VC_ERROR) {  // while the other thread is in the call
            status = vc_receiver_take(receiver, 0, VC_TAKE_NEXT, &frame, -1);
        }
        return status;
    });
    vc_frame frame = VC_INIT(vc_frame);
    while (vc_receiver_take(receiver_.get(), 0, VC_TAKE_NEXT, &frame, 0) != VC_ERROR) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(contains(vc_error(), "another thread")) << vc_error();
    receiver_.reset();
    EXPECT_EQ(taking.get(), VC_INTERRUPTED);
}

TEST_F(ApiReceiver, TheChildOfAForkHasNoneOfItsParentsHandlesButMayOpenOthers) {
    connect();
    send(sender_.get(), 4);
    const vc_frame frame = take();
    const pid_t child = ::fork();
    if (child == 0) {
        vc_frame none = VC_INIT(vc_frame);
        bool right = vc_receiver_take(receiver_.get(), 0, VC_TAKE_NEXT, &none, -1) == VC_ERROR &&
                     contains(vc_error(), "parent process");
        right &= vc_lease_release(frame.lease) == VC_ERROR;
        vc_receiver_close(receiver_.get());
        vc_sender_close(sender_.get());
        const std::string url = url_ + "-child";
        vc_sender_options options = VC_INIT(vc_sender_options);
        options.url = url.c_str();
        vc_sender* const own = vc_sender_open(&options);
        right &= own != nullptr && own != sender_.get();
        vc_sender_close(own);
        ::_exit(right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(vc_lease_release(frame.lease), VC_OK) << "the parent's goes on";
    send(sender_.get(), 5);
    const vc_frame next = take();
    EXPECT_EQ(next.planes[0][0], 5);
    EXPECT_EQ(vc_lease_release(next.lease), VC_OK);
}

TEST_F(ApiReceiver, OptionsThatCannotBeAreRefusedInWords) {
    const auto refused = [&](const char* word) {
        receiving_.url = url_.c_str();
        EXPECT_EQ(vc_receiver_open(&receiving_), nullptr) << word;
        EXPECT_TRUE(contains(vc_error(), word)) << vc_error();
        receiving_ = VC_INIT(vc_receiver_options);
    };
    EXPECT_EQ(vc_receiver_open(nullptr), nullptr);
    receiving_.slots = 1'000;
    refused("1000");
    receiving_.follow = static_cast<vc_follow>(9);
    refused("vc_follow");
    receiving_.peer_timeout_ms = -1;
    refused("peer_timeout_ms");
    receiving_.encrypt = 1;
    refused("key");
    receiving_.size = 3;
    refused("VC_INIT(vc_receiver_options)");
    vc_track_wish wish = VC_INIT(vc_track_wish);
    for (const std::uint32_t track : std::array<std::uint32_t, 2>{VC_SOUND_TRACK, VC_MAX_TRACKS}) {
        wish.track = track;
        receiving_.tracks = &wish;
        receiving_.track_count = 1;
        refused("vc_receiver_options.tracks");
    }
    wish = VC_INIT(vc_track_wish);
    wish.region = {0, 0, 0, 7};
    receiving_.tracks = &wish;
    receiving_.track_count = 1;
    refused("vc_track_wish.region");
}

TEST_F(ApiReceiver, TheCppInterfaceDoesTheSame) {
    vc_sender_options sending = vc::Sender::defaults();
    sending.url = url_.c_str();
    sending.policy = VC_LOSSLESS;
    vc::Sender sender(sending);
    sender.setFormat(vc::videoFormat(VC_PIXEL_GRAY, 64, 48));
    vc_receiver_options receiving = vc::Receiver::defaults();
    receiving.url = url_.c_str();
    vc::Frame frame;
    {
        vc::Receiver receiver(receiving);
        sender.wait();
        vc::Slot slot = sender.acquire();
        std::memset(slot->planes[0], 6, slot->bytes);
        EXPECT_EQ(sender.submit(slot), VC_OK);
        ASSERT_EQ(receiver.take(frame), VC_OK);
        receiver.shown(frame);
        ASSERT_TRUE(receiver.format());
        EXPECT_EQ(receiver.format()->width, 64U);
        EXPECT_EQ(receiver.stats().frames, 1U);
        EXPECT_THROW(receiver.stats(3), vc::Error);
        vc::SoundBlock block;
        EXPECT_THROW(receiver.takeSound(block, 0), vc::Error);
        const UniqueFd descriptor(receiver.descriptor());
    }
    EXPECT_TRUE(frame);
    EXPECT_EQ(frame->planes[0][100], 6) << "it outlives its receiver";
}

}  // namespace
}  // namespace verbcast::testing
