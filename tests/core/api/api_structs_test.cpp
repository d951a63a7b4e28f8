// Structs from programs that were compiled with another verbcast.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/core/api/api_sender.h"

namespace verbcast::testing {
namespace {

/// Whether vc_error() contains all of these words.
bool said(std::initializer_list<std::string> words) {
    const std::string text = vc_error();
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

/// A struct of a program that was compiled with another verbcast.h: it has `size` bytes, followed by bytes
/// that the library must not touch.
template <typename T>
class OtherSize {
  public:
    explicit OtherSize(T known, std::size_t size) : size_(size), bytes_(size + kBeyond, 0) {
        known.size = size;
        std::memcpy(bytes_.data(), &known, std::min(size, sizeof known));
        std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(size), bytes_.end(), kMark);
    }
    T* get() { return reinterpret_cast<T*>(bytes_.data()); }
    std::uint8_t& at(std::size_t byte) { return bytes_.at(byte); }
    bool untouchedBeyond() const {
        return std::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>(size_), bytes_.end(),
                           [](std::uint8_t byte) { return byte == kMark; });
    }

  private:
    static constexpr std::uint8_t kMark = 0xA5;
    static constexpr std::size_t kBeyond = 256;
    std::size_t size_;
    std::vector<std::uint8_t> bytes_;
};

class ApiStructs : public Api {};

TEST_F(ApiStructs, OptionsOfAnOlderProgramGetDefaults) {
    options_.url = url_.c_str();
    OtherSize older(options_,
                    offsetof(vc_sender_options, policy));  // before `slots`: the bytes there are 0xA5A5...
    const SenderPointer sender(vc_sender_open(older.get()), &vc_sender_close);
    ASSERT_TRUE(sender) << vc_error();
    EXPECT_STREQ(vc_sender_addresses(sender.get()), url_.c_str());
    vc_input event = VC_INPUT_INIT;
    EXPECT_EQ(vc_input_take(sender.get(), &event, 0), VC_ERROR) << "allow_input is 0";
}

TEST_F(ApiStructs, OptionsOfANewerProgramWorkWhileTheirNewFieldsAreZero) {
    options_.url = url_.c_str();
    OtherSize newer(options_, sizeof options_ + 24);
    {
        const SenderPointer sender(vc_sender_open(newer.get()), &vc_sender_close);
        EXPECT_TRUE(sender) << vc_error();
    }
    for (const std::size_t byte : {sizeof options_, sizeof options_ + 23}) {
        newer.at(byte) = 1;
        EXPECT_EQ(vc_sender_open(newer.get()), nullptr);
        EXPECT_TRUE(said({"vc_sender_options", std::to_string(sizeof options_),
                          std::to_string(sizeof options_ + 24), vc_version()}))
            << vc_error();
        newer.at(byte) = 0;
    }
}

TEST_F(ApiStructs, StructsWithoutASizeAreRefusedAndTheRemedyIsTold) {
    const SenderPointer sender = open();
    ASSERT_EQ(vc_sender_format(sender.get(), "gray", 64, 48, 60, 1), VC_OK);
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, sizeof(std::size_t), std::size_t{1} << 20,
                                    std::numeric_limits<std::size_t>::max()}) {
        options_.size = wrong;
        EXPECT_EQ(vc_sender_open(&options_), nullptr);
        EXPECT_TRUE(said({"vc_sender_options", std::to_string(wrong), "VC_SENDER_OPTIONS_INIT"}))
            << vc_error();
        vc_frame frame = VC_FRAME_INIT;
        frame.size = wrong;
        EXPECT_EQ(vc_frame_acquire(sender.get(), &frame, 0), VC_ERROR);
        EXPECT_TRUE(said({"vc_frame", std::to_string(wrong), "VC_FRAME_INIT"})) << vc_error();
        EXPECT_EQ(vc_frame_submit(sender.get(), &frame), VC_ERROR);
        vc_frame_discard(sender.get(), &frame);
        EXPECT_EQ(frame.size, wrong);
    }
    const SenderPointer steered = [this] {
        options_ = VC_SENDER_OPTIONS_INIT;
        options_.allow_input = 1;
        url_ += "-steered";
        return open();
    }();
    vc_input event = VC_INPUT_INIT;
    event.size = sizeof event - 1;
    EXPECT_EQ(vc_input_take(steered.get(), &event, 0), VC_ERROR);
    EXPECT_TRUE(said({"vc_input", std::to_string(sizeof event - 1), "VC_INPUT_INIT"})) << vc_error();
}

TEST_F(ApiStructs, FramesOfOlderAndNewerProgramsAreFilledAsFarAsTheyGo) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    ASSERT_EQ(vc_sender_format(sender.get(), "gray", 64, 48, 60, 1), VC_OK);
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    const vc_frame none = VC_FRAME_INIT;
    for (const std::size_t size : {offsetof(vc_frame, pts), offsetof(vc_frame, input_serial),
                                   offsetof(vc_frame, changed), sizeof(vc_frame), sizeof(vc_frame) + 40}) {
        OtherSize other(none, size);
        if (size > sizeof(vc_frame)) {
            other.at(size - 1) = 0x77;  // left over from before
        }
        for (int turn = 0; turn < 2; ++turn) {  // reuses the same struct
            ASSERT_EQ(vc_frame_acquire(sender.get(), other.get(), 10'000), VC_OK) << vc_error();
            EXPECT_EQ(other.get()->size, size);
            EXPECT_EQ(other.get()->bytes, 64U * 48U);
            std::memset(other.get()->planes[0], 5, other.get()->bytes);
            ASSERT_EQ(vc_frame_submit(sender.get(), other.get()), VC_OK) << vc_error();
            EXPECT_EQ(other.get()->size, size);
            EXPECT_EQ(other.get()->reserved, nullptr);
            EXPECT_TRUE(other.untouchedBeyond()) << size;
            ReceivedFrame frame;
            ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
            EXPECT_EQ(frame.info.inputSequence, 0U) << size;
        }
    }

    OtherSize newer(none, sizeof(vc_frame) + 8);
    ASSERT_EQ(vc_frame_acquire(sender.get(), newer.get(), 10'000), VC_OK) << vc_error();
    newer.at(sizeof(vc_frame) + 7) = 1;  // sets a field of the future
    EXPECT_EQ(vc_frame_submit(sender.get(), newer.get()), VC_ERROR);
    EXPECT_TRUE(said({std::to_string(sizeof(vc_frame)), std::to_string(sizeof(vc_frame) + 8)})) << vc_error();
    EXPECT_NE(newer.get()->reserved, nullptr) << "it stays the caller's";
    vc_frame_discard(sender.get(), newer.get());
    EXPECT_EQ(newer.get()->reserved, nullptr);
}

}  // namespace
}  // namespace verbcast::testing
