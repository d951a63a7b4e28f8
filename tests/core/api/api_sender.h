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
    ReceiverOptions receiverOptions() const {
        ReceiverOptions options;
        options.url = parseUrl(url_);
        options.name = "tester";
        options.peerTimeout = 20s;
        return options;
    }
    static void send(vc_sender* sender, int value, std::uint64_t inputSerial = 0) {
        vc_frame frame = VC_FRAME_INIT;
        ASSERT_EQ(vc_frame_acquire(sender, &frame, 10'000), VC_OK) << vc_error();
        std::memset(frame.planes[0], value, frame.bytes);
        frame.input_serial = inputSerial;
        ASSERT_EQ(vc_frame_submit(sender, &frame), VC_OK) << vc_error();
        EXPECT_EQ(frame.reserved, nullptr);
    }

    std::string url_ = "shm://api-" + std::to_string(::getpid());
    vc_sender_options options_ = VC_SENDER_OPTIONS_INIT;
};

}  // namespace verbcast::testing
