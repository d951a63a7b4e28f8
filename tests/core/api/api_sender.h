// A sender opened through the C interface.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <verbcast/verbcast.hpp>

#include "core/stream/frame_receiver.h"

namespace verbcast::testing {

using namespace std::chrono_literals;
using SenderPointer = std::unique_ptr<vc_sender, decltype(&vc_sender_close)>;

class Api : public ::testing::Test {
  protected:
    SenderPointer open() {
        options_.url = url_.c_str();
        SenderPointer sender(vc_sender_open(&options_), &vc_sender_close);
        EXPECT_TRUE(sender) << vc_error();
        return sender;
    }
    static vc_status setFormat(vc_sender* sender, vc_pixel_format pixelFormat, std::uint32_t width,
                               std::uint32_t height, vc_rational rate = {60, 1}) {
        const vc_video_format format = vc::videoFormat(pixelFormat, width, height, rate);
        return vc_sender_set_format(sender, VC_PICTURE_TRACK, &format);
    }
    ReceiverOptions receiverOptions() const {
        ReceiverOptions options;
        options.url = parseUrl(url_);
        options.name = "tester";
        options.peerTimeout = 20s;
        return options;
    }
    static void send(vc_sender* sender, int value, std::uint64_t inputSerial = 0) {
        vc_slot frame = VC_INIT(vc_slot);
        ASSERT_EQ(vc_sender_acquire(sender, VC_PICTURE_TRACK, &frame, 10'000), VC_OK) << vc_error();
        std::memset(frame.planes[0], value, frame.bytes);
        frame.input_serial = inputSerial;
        ASSERT_EQ(vc_sender_submit(sender, &frame), VC_OK) << vc_error();
        EXPECT_EQ(frame.id, 0U);
    }

    std::string url_ = "shm://api-" + std::to_string(::getpid());
    vc_sender_options options_ = VC_INIT(vc_sender_options);
};

}  // namespace verbcast::testing
