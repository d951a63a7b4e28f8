// Connecting over tcp to a host that does not answer immediately.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <future>
#include <list>
#include <string>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/registry.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

UniqueFd newSocket() {
    return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// Listens on 127.0.0.1 with a full queue: the kernel silently drops further connections.
class DeafListener {
  public:
    DeafListener() : socket_(newSocket()) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(socket_.get(), generic, length), 0);
        EXPECT_EQ(::listen(socket_.get(), 0), 0);
        EXPECT_EQ(::getsockname(socket_.get(), generic, &length), 0);
        port_ = ntohs(address.sin_port);
        while (callsUnanswered() == 0) {
            fillers_.push_back(newSocket());
            ::connect(fillers_.back().get(), generic, length);
        }
        fillersUnanswered_ = callsUnanswered();
    }

    Url url() const { return parseUrl("tcp://127.0.0.1:" + std::to_string(port_)); }

    int callsOfOthers() const { return callsUnanswered() - fillersUnanswered_; }

    /// From now on connections are answered.
    void acceptOne() {
        if (UniqueFd caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); caller) {
            accepted_.push_back(std::move(caller));
        }
    }

  private:
    /// Connections in SYN_SENT, as listed in /proc/net/tcp: slot, local address, remote address, state, in
    /// hexadecimal.
    int callsUnanswered() const {
        std::ifstream table("/proc/net/tcp");
        int calls = 0;
        for (std::string line; std::getline(table, line);) {
            std::istringstream fields(line);
            std::string slot, local, remote, state;
            fields >> slot >> local >> remote >> state;
            const auto colon = remote.find(':');
            calls += state == "02" && colon != std::string::npos &&
                     std::stoi(remote.substr(colon + 1), nullptr, 16) == port_;
        }
        return calls;
    }

    UniqueFd socket_;
    int port_ = 0;
    std::list<UniqueFd> fillers_, accepted_;
    int fillersUnanswered_ = 0;
};

// The kernel resends its SYN after one second, then after three: too late for a network that is back.
TEST(TcpConnect, CallsAgainWhileNobodyAnswers) {
    DeafListener listener;
    const Event cancel;
    auto connecting = std::async(std::launch::async, [&] {
        return transportFor(listener.url()).connect(listener.url(), {}, Deadline::in(60s), cancel);
    });
    const Event never;
    const Deadline patience = Deadline::in(30s);
    int most = 0;
    while (most < 3 && !patience.passed()) {
        most = std::max(most, listener.callsOfOthers());
        waitReadable({never.descriptor()}, 5ms);
    }
    EXPECT_GE(most, 3);
    while (connecting.wait_for(5ms) != std::future_status::ready && !patience.passed()) {
        listener.acceptOne();
    }
    EXPECT_TRUE(connecting.get()) << "the first answer counts";
    EXPECT_LE(listener.callsOfOthers(), 0) << "the other calls are given up";
}

}  // namespace
}  // namespace verbcast::testing
