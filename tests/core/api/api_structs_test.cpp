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
    vc_input event = VC_INIT(vc_input);
    EXPECT_EQ(vc_sender_take_input(sender.get(), &event, 0), VC_ERROR) << "allow_input is 0";
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
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48, {60, 1}), VC_OK);
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, sizeof(std::size_t), std::size_t{1} << 20,
                                    std::numeric_limits<std::size_t>::max()}) {
        options_.size = wrong;
        EXPECT_EQ(vc_sender_open(&options_), nullptr);
        EXPECT_TRUE(said({"vc_sender_options", std::to_string(wrong), "VC_INIT(vc_sender_options)"}))
            << vc_error();
        vc_slot frame = VC_INIT(vc_slot);
        frame.size = wrong;
        EXPECT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, &frame, 0), VC_ERROR);
        EXPECT_TRUE(said({"vc_slot", std::to_string(wrong), "VC_INIT(vc_slot)"})) << vc_error();
        EXPECT_EQ(vc_sender_submit(sender.get(), &frame), VC_ERROR);
        vc_slot_discard(&frame);
        EXPECT_EQ(frame.size, wrong);
    }
    const SenderPointer steered = [this] {
        options_ = VC_INIT(vc_sender_options);
        options_.allow_input = 1;
        url_ += "-steered";
        return open();
    }();
    vc_input event = VC_INIT(vc_input);
    event.size = offsetof(vc_input, serial) - 1;
    EXPECT_EQ(vc_sender_take_input(steered.get(), &event, 0), VC_ERROR);
    EXPECT_TRUE(said({"vc_input", std::to_string(event.size), "VC_INIT(vc_input)"})) << vc_error();
}

TEST_F(ApiStructs, FramesOfOlderAndNewerProgramsAreFilledAsFarAsTheyGo) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48, {60, 1}), VC_OK);
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    const vc_slot none = VC_INIT(vc_slot);
    for (const std::size_t size : {offsetof(vc_slot, captured_at), offsetof(vc_slot, input_serial),
                                   offsetof(vc_slot, changed), sizeof(vc_slot), sizeof(vc_slot) + 40}) {
        OtherSize other(none, size);
        if (size > sizeof(vc_slot)) {
            other.at(size - 1) = 0x77;  // left over from before
        }
        for (int turn = 0; turn < 2; ++turn) {  // reuses the same struct
            ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, other.get(), 10'000), VC_OK)
                << vc_error();
            EXPECT_EQ(other.get()->size, size);
            EXPECT_EQ(other.get()->bytes, 64U * 48U);
            std::memset(other.get()->planes[0], 5, other.get()->bytes);
            ASSERT_EQ(vc_sender_submit(sender.get(), other.get()), VC_OK) << vc_error();
            EXPECT_EQ(other.get()->size, size);
            EXPECT_EQ(other.get()->id, 0U);
            EXPECT_TRUE(other.untouchedBeyond()) << size;
            ReceivedFrame frame;
            ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
            EXPECT_EQ(frame.info.inputSequence, 0U) << size;
        }
    }

    OtherSize newer(none, sizeof(vc_slot) + 8);
    ASSERT_EQ(vc_sender_acquire(sender.get(), VC_PICTURE_TRACK, newer.get(), 10'000), VC_OK) << vc_error();
    newer.at(sizeof(vc_slot) + 7) = 1;  // sets a field of the future
    EXPECT_EQ(vc_sender_submit(sender.get(), newer.get()), VC_ERROR);
    EXPECT_TRUE(said({std::to_string(sizeof(vc_slot)), std::to_string(sizeof(vc_slot) + 8)})) << vc_error();
    EXPECT_NE(newer.get()->id, 0U) << "it stays the caller's";
    vc_slot_discard(newer.get());
    EXPECT_EQ(newer.get()->id, 0U);
}

TEST_F(ApiStructs, OlderAndNewerReceiversGetWhatTheirStructsHold) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48), VC_OK);
    vc_receiver_options receiving = VC_INIT(vc_receiver_options);
    receiving.url = url_.c_str();
    OtherSize older(receiving, offsetof(vc_receiver_options, slots));
    vc_receiver* const receiver = vc_receiver_open(older.get());
    ASSERT_NE(receiver, nullptr) << vc_error();
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    for (const std::size_t size :
         {offsetof(vc_frame, track), offsetof(vc_frame, pts), sizeof(vc_frame), sizeof(vc_frame) + 40}) {
        OtherSize other(VC_INIT(vc_frame), size);
        send(sender.get(), 5);
        ASSERT_EQ(vc_receiver_take(receiver, 0, VC_TAKE_NEXT, other.get(), 10'000), VC_OK) << vc_error();
        EXPECT_EQ(other.get()->size, size);
        EXPECT_TRUE(other.untouchedBeyond()) << size;
        EXPECT_EQ(vc_lease_release(other.get()->lease), VC_OK);
    }
    OtherSize event(VC_INIT(vc_event), offsetof(vc_event, state));
    EXPECT_EQ(vc_receiver_next_event(receiver, event.get(), 10'000), VC_OK) << vc_error();
    EXPECT_TRUE(event.untouchedBeyond());
    vc_stats stats = VC_INIT(vc_stats);
    stats.size = 1;
    EXPECT_EQ(vc_receiver_stats(receiver, 0, &stats), VC_ERROR);
    EXPECT_TRUE(said({"VC_INIT(vc_stats)"})) << vc_error();
    vc_receiver_close(receiver);
}

}  // namespace
}  // namespace verbcast::testing
