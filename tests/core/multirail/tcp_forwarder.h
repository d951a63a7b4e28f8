// A network between two hosts, for tests: forwards the bytes of TCP connections at a limited rate.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "tests/support/raw_tcp_sockets.h"

namespace verbcast::testing {

/// Runs its own threads; the destructor cuts all connections.
class TcpForwarder {
  public:
    /// Listens on `from` (address and port) and forwards to `to`. `bytesPerSecond`: in each direction; 0:
    /// unlimited.
    TcpForwarder(const std::string& from, const std::string& to, std::uint64_t bytesPerSecond = 0)
        : to_(to), bytesPerSecond_(bytesPerSecond) {
        const SocketAddress address = addressOf(from);
        listener_ = UniqueFd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        EXPECT_EQ(::bind(listener_.get(), address.get(), address.length), 0) << from;
        EXPECT_EQ(::listen(listener_.get(), 8), 0);
        accepting_ = std::jthread([this] { accept(); });
    }
    ~TcpForwarder() {
        stop_.notify();
        accepting_.join();
        passing_.clear();
    }
    /// Call before the first connection: connections wait until release().
    void hold() { held_ = true; }
    void release() { released_.notify(); }
    /// The number of connections so far.
    std::uint64_t callers() const { return callers_; }
    /// The listening address, as in "tcp://127.0.0.1:1234".
    std::string url() const {
        sockaddr_in ours{};
        socklen_t length = sizeof ours;
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&ours), &length);
        return fmt::format("tcp://127.0.0.1:{}", ntohs(ours.sin_port));
    }

  private:
    void accept() {
        while (!stop_.isSet()) {
            waitReadable({listener_.get(), stop_.descriptor()}, Deadline::never());
            if (stop_.isSet()) {
                return;
            }
            auto caller =
                std::make_shared<UniqueFd>(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            ++callers_;
            if (held_) {
                waitReadable({released_.descriptor(), stop_.descriptor()}, Deadline::never());
            }
            auto called = std::make_shared<UniqueFd>(rawSocket(to_));
            passing_.emplace_back([this, caller, called] { pass(caller->get(), called->get()); });
            passing_.emplace_back([this, caller, called] { pass(called->get(), caller->get()); });
        }
    }
    void pass(int from, int to) {
        std::vector<std::byte> bytes(std::size_t{1} << 16U);
        while (!stop_.isSet()) {
            waitReadable({from, stop_.descriptor()}, Deadline::never());
            const ssize_t count = stop_.isSet() ? 0 : ::recv(from, bytes.data(), bytes.size(), 0);
            if (count <= 0 || !sendAll(to, std::span(bytes).first(static_cast<std::size_t>(count)))) {
                break;
            }
            if (bytesPerSecond_ > 0) {
                const auto due = std::chrono::nanoseconds(static_cast<std::uint64_t>(count) * 1'000'000'000 /
                                                          bytesPerSecond_);
                waitReadable({stop_.descriptor()}, due);
            }
        }
        ::shutdown(from, SHUT_RDWR);
        ::shutdown(to, SHUT_RDWR);
    }
    bool sendAll(int to, std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(sent));
                continue;
            }
            if (sent == 0 || (errno != EAGAIN && errno != EINTR) || stop_.isSet()) {
                return false;
            }
            pollfd room[] = {{to, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}};
            ::poll(room, 2, -1);
        }
        return true;
    }

    const std::string to_;
    const std::uint64_t bytesPerSecond_;
    UniqueFd listener_;
    Event stop_, released_;
    std::atomic<bool> held_{false};
    std::atomic<std::uint64_t> callers_{0};
    std::vector<std::jthread> passing_;
    std::jthread accepting_;
};

}  // namespace verbcast::testing
