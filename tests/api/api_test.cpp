// The C interface against a real receiver.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <verbcast/verbcast.hpp>

#include "core/base/unique_fd.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {
namespace {

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

TEST_F(Api, FramesArriveAsTheyWereWritten) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    EXPECT_STREQ(vc_sender_addresses(sender.get()), url_.c_str());
    EXPECT_EQ(vc_sender_wait(sender.get(), 0), VC_TIMEOUT);
    ASSERT_EQ(vc_sender_format(sender.get(), "nv12", 321, 241, 30000, 1001), VC_OK) << vc_error();
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    EXPECT_EQ(vc_sender_receivers(sender.get()), 1U);
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
        ASSERT_EQ(vc_sender_format(sender.get(), "rgba", width, 48, 60, 1), VC_OK) << vc_error();
        send(sender.get(), 7);
        ReceivedFrame frame;
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
        EXPECT_EQ(frame.format->width, width);
    }
}

TEST_F(Api, InputComesInAndItsSerialGoesBack) {
    options_.allow_input = 1;
    const SenderPointer sender = open();
    ASSERT_EQ(vc_sender_format(sender.get(), "rgba", 64, 48, 60, 1), VC_OK);
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK);
    send(sender.get(), 0);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    vc_input event = VC_INPUT_INIT;
    EXPECT_EQ(vc_input_take(sender.get(), &event, 0), VC_TIMEOUT);
    const std::string text = "sensor 5: 0.25";
    InputEvent sent{.kind = InputKind::Application};
    sent.data.resize(text.size());
    std::memcpy(sent.data.data(), text.data(), text.size());
    ASSERT_EQ(receiver.sendInput(sent), 1U);
    ASSERT_EQ(vc_input_take(sender.get(), &event, 10'000), VC_OK) << vc_error();
    EXPECT_EQ(event.kind, VC_APPLICATION);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(event.data), event.data_bytes), text);
    send(sender.get(), 0, event.serial);
    ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    EXPECT_EQ(frame.info.inputSequence, 1U);
}

TEST_F(Api, AFrameThatIsDiscardedLeavesItsPlaceFree) {
    options_.slots = 2;
    const SenderPointer sender = open();
    ASSERT_EQ(vc_sender_format(sender.get(), "gray", 64, 48, 60, 1), VC_OK);
    for (int i = 0; i < 10; ++i) {
        vc_frame frame = VC_FRAME_INIT;
        ASSERT_EQ(vc_frame_acquire(sender.get(), &frame, 0), VC_OK);
        vc_frame_discard(sender.get(), &frame);
        EXPECT_EQ(frame.reserved, nullptr);
    }
    vc_frame frames[] = {VC_FRAME_INIT, VC_FRAME_INIT, VC_FRAME_INIT};
    for (vc_frame& frame : frames) {
        EXPECT_EQ(vc_frame_acquire(sender.get(), &frame, 0), VC_OK);
    }
    vc_frame none = VC_FRAME_INIT;
    EXPECT_EQ(vc_frame_acquire(sender.get(), &none, 0), VC_TIMEOUT);
    EXPECT_EQ(vc_frame_acquire(sender.get(), &frames[0], 0), VC_ERROR) << "it would be lost";
    EXPECT_NE(frames[0].reserved, nullptr);
    for (vc_frame& frame : frames) {
        vc_frame_discard(sender.get(), &frame);
    }
}

TEST_F(Api, LosslessWithoutAReceiverLeavesTheFrameWithItsCaller) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    ASSERT_EQ(vc_sender_format(sender.get(), "gray", 64, 48, 60, 1), VC_OK);
    vc_frame frame = VC_FRAME_INIT;
    ASSERT_EQ(vc_frame_acquire(sender.get(), &frame, 0), VC_OK);
    EXPECT_EQ(vc_frame_submit(sender.get(), &frame), VC_BUSY);
    EXPECT_NE(frame.reserved, nullptr);
    vc_frame_discard(sender.get(), &frame);
}

TEST_F(Api, MistakesAreToldInWords) {
    options_.url = "http://here";
    EXPECT_EQ(vc_sender_open(&options_), nullptr);
    EXPECT_NE(std::string(vc_error()).find("http"), std::string::npos) << vc_error();
    EXPECT_EQ(vc_sender_open(nullptr), nullptr);
    options_.slots = 1000;
    options_.url = url_.c_str();
    EXPECT_EQ(vc_sender_open(&options_), nullptr);
    EXPECT_NE(std::string(vc_error()).find("1000"), std::string::npos) << vc_error();
    options_.slots = 8;

    const SenderPointer sender = open();
    vc_frame frame = VC_FRAME_INIT;
    EXPECT_EQ(vc_frame_acquire(sender.get(), &frame, 0), VC_ERROR) << "no format yet";
    EXPECT_EQ(vc_frame_submit(sender.get(), &frame), VC_ERROR) << "not acquired";
    EXPECT_EQ(vc_sender_format(sender.get(), "rgb48", 64, 48, 60, 1), VC_ERROR);
    EXPECT_NE(std::string(vc_error()).find("nv12"), std::string::npos) << "what there is: " << vc_error();
    EXPECT_EQ(vc_sender_format(sender.get(), "rgba", 0, 48, 60, 1), VC_ERROR);
    EXPECT_EQ(vc_sender_format(sender.get(), "rgba", 64, 48, 0, 1), VC_ERROR);
    vc_input event = VC_INPUT_INIT;
    EXPECT_EQ(vc_input_take(sender.get(), &event, 0), VC_ERROR);
    EXPECT_NE(std::string(vc_error()).find("allow_input"), std::string::npos);
    vc_sender_close(nullptr);
}

/// True when vc_error() says all of these.
bool said(std::initializer_list<std::string> words) {
    const std::string text = vc_error();
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

/// A struct as a program has it that was compiled with another verbcast.h: so many bytes, and then bytes that
/// are not the library's.
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

TEST_F(Api, OptionsOfAnOlderProgramGetDefaults) {
    options_.url = url_.c_str();
    OtherSize older(options_,
                    offsetof(vc_sender_options, policy));  // no slots: the bytes there say 0xA5A5...
    const SenderPointer sender(vc_sender_open(older.get()), &vc_sender_close);
    ASSERT_TRUE(sender) << vc_error();
    EXPECT_STREQ(vc_sender_addresses(sender.get()), url_.c_str());
    vc_input event = VC_INPUT_INIT;
    EXPECT_EQ(vc_input_take(sender.get(), &event, 0), VC_ERROR) << "allow_input is 0";
}

TEST_F(Api, OptionsOfANewerProgramWorkWhileTheirNewFieldsAreZero) {
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

TEST_F(Api, StructsWithoutASizeAreRefusedAndTheRemedyIsTold) {
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

TEST_F(Api, FramesOfOlderAndNewerProgramsAreFilledAsFarAsTheyGo) {
    options_.policy = VC_LOSSLESS;
    const SenderPointer sender = open();
    ASSERT_EQ(vc_sender_format(sender.get(), "gray", 64, 48, 60, 1), VC_OK);
    FrameReceiver receiver(receiverOptions());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    const vc_frame none = VC_FRAME_INIT;
    for (const std::size_t size : {offsetof(vc_frame, pts), offsetof(vc_frame, input_serial),
                                   sizeof(vc_frame), sizeof(vc_frame) + 40}) {
        OtherSize other(none, size);
        if (size > sizeof(vc_frame)) {
            other.at(size - 1) = 0x77;  // whatever was there before
        }
        for (int turn = 0; turn < 2; ++turn) {  // the same struct again
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
    newer.at(sizeof(vc_frame) + 7) = 1;  // a field of the future, set
    EXPECT_EQ(vc_frame_submit(sender.get(), newer.get()), VC_ERROR);
    EXPECT_TRUE(said({std::to_string(sizeof(vc_frame)), std::to_string(sizeof(vc_frame) + 8)})) << vc_error();
    EXPECT_NE(newer.get()->reserved, nullptr) << "it stays the caller's";
    vc_frame_discard(sender.get(), newer.get());
    EXPECT_EQ(newer.get()->reserved, nullptr);
}

/// What a vc_log_callback was told.
struct Told {
    static void hear(void* user, vc_log_level level, const char* message) {
        auto& told = *static_cast<Told*>(user);
        const std::lock_guard lock(told.mutex);
        told.messages.emplace_back(level, message);
    }
    std::size_t count() {
        const std::lock_guard lock(mutex);
        return messages.size();
    }
    bool wait() {
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (count() == 0 && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(1ms);
        }
        return count() > 0;
    }

    std::mutex mutex;
    std::vector<std::pair<vc_log_level, std::string>> messages;
};

class ApiLog : public Api {
  protected:
    ApiLog() { url_ = "tcp://127.0.0.1:0"; }
    ~ApiLog() override { vc_set_log(nullptr, nullptr, VC_LOG_WARNING); }

    /// Somebody who speaks another protocol; returns when the sender has hung up.
    static void knock(vc_sender* sender) {
        const std::string address = vc_sender_addresses(sender);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
        const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
        const std::string request = "GET /" + std::string(500, 'x') + " HTTP/1.1\r\n\r\n";
        ASSERT_EQ(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
        const timeval patience{10, 0};
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        char byte = 0;
        while (::recv(socket.get(), &byte, 1, 0) > 0) {
        }
    }
};

TEST_F(ApiLog, WarningsComeToTheCallback) {
    Told told;
    vc_set_log(&Told::hear, &told, VC_LOG_WARNING);
    const SenderPointer sender = open();
    knock(sender.get());
    ASSERT_TRUE(told.wait());
    vc_set_log(nullptr, nullptr, VC_LOG_WARNING);  // nobody adds to it any more
    const auto& [level, message] = told.messages[0];
    EXPECT_EQ(level, VC_LOG_WARNING);
    EXPECT_NE(message.find("127.0.0.1"), std::string::npos) << message;
    EXPECT_FALSE(message.ends_with('\n'));
}

TEST_F(ApiLog, NothingIsPrintedByDefaultNorWithACallback) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    {
        const SenderPointer sender = open();
        knock(sender.get());
        // A message of this knock comes to a callback: then the one before was said, too.
        Told told;
        vc_set_log(&Told::hear, &told, VC_LOG_DEBUG);
        knock(sender.get());
        EXPECT_TRUE(told.wait());
        vc_set_log(nullptr, nullptr, VC_LOG_DEBUG);
        knock(sender.get());
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_F(ApiLog, LevelsAndNullSilence) {
    Told told;
    vc_set_log(&Told::hear, &told, VC_LOG_ERROR);
    SenderPointer sender = open();
    knock(sender.get());
    vc_set_log(nullptr, nullptr, VC_LOG_DEBUG);
    knock(sender.get());
    sender.reset();  // whatever it was going to say
    EXPECT_EQ(told.count(), 0U) << told.messages[0].second;
}

TEST_F(Api, TheCppInterfaceDoesTheSame) {
    std::vector<std::string> messages;
    vc::setLog([&](vc_log_level, std::string_view message) { messages.emplace_back(message); });
    vc_sender_options options = vc::Sender::defaults();
    options.url = url_.c_str();
    options.slots = 2;
    vc::Sender sender(options);
    sender.format("gray", 64, 48);
    {
        auto frame = sender.acquire(0);
        ASSERT_TRUE(frame);
        vc::Frame moved = std::move(*frame);
        EXPECT_NE(moved->reserved, nullptr);
        EXPECT_EQ((*frame)->reserved, nullptr);
        EXPECT_EQ(sender.submit(std::move(moved)), VC_OK);
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
}  // namespace verbcast
