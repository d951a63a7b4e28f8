// The library's log: what a program's callback receives, and what is printed without one.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "tests/core/api/api_sender.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

/// Messages that a vc_log_callback received.
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

    /// A peer that speaks another protocol; returns when the sender has hung up.
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
    vc_set_log(nullptr, nullptr, VC_LOG_WARNING);  // nothing is added from here on
    const auto& [level, message] = told.messages[0];
    EXPECT_EQ(level, VC_LOG_WARNING);
    EXPECT_TRUE(contains(message, "127.0.0.1"));
    EXPECT_FALSE(message.ends_with('\n'));
}

TEST_F(ApiLog, NothingIsPrintedByDefaultNorWithACallback) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    {
        const SenderPointer sender = open();
        knock(sender.get());
        // Once a callback gets a message of this knock, the earlier one has been logged too.
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
    sender.reset();  // including its last messages
    EXPECT_EQ(told.count(), 0U) << told.messages[0].second;
}

}  // namespace
}  // namespace verbcast::testing
