// Peers that never arrive, that already have a peer, or that are not verbcast.
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class Peers : public ProgramTest {};

TEST_F(Peers, WaitingForAPeerEndsAfterItsTime) {
    const ReservedAddress nobody("tcp");
    const Arguments small{"send", "pattern", "--size", "64x64", "--wait", "0.2"};
    for (const auto& [arguments, text] : std::vector<std::pair<Arguments, std::string>>{
             {small + Arguments{"--listen", listenAddressFor("tcp")}, "no viewer connected within 0.2 s"},
             {small + Arguments{"--to", nobody.url(), "--stats-json", file("stats")},
              "no viewer connected within 0.2 s"},
             {{"view", "--headless", nobody.url(), "--wait", "0.2"}, "no sender connected within 0.2 s"},
             {{"view", "--headless", "--listen", listenAddressFor("tcp"), "--wait", "0.2"},
              "no sender connected within 0.2 s"},
             {{"relay", nobody.url(), "--wait", "0.2"}, "no sender connected within 0.2 s"}}) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, kNetwork));
        EXPECT_TRUE(holds(program.errors(), text));
    }
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "no viewer came");
}

TEST_F(Peers, AViewerSaysThatItConnectsBeforeItSaysThatNobodyIsThere) {
    const ReservedAddress nobody("shm");
    Verbcast viewer({"view", "--headless", nobody.url()}, home_);
    ASSERT_TRUE(viewer.waitForError("nobody is listening"));
    const std::string said = viewer.errors();
    EXPECT_LT(said.find("connecting to " + nobody.url()), said.find("nobody is listening")) << said;
    viewer.signal(SIGINT);
    EXPECT_TRUE(endsWith(viewer, kInterrupted));
}

TEST_F(Peers, ASecondSenderIsToldThatTheViewerIsBusy) {
    Verbcast viewer({"view", "--headless", "--listen", listenAddressFor("shm")}, home_);
    const Arguments sending{"send", "pattern", "--size", "64x64", "--to", viewer.listenAddress()};
    Verbcast first(sending, home_);
    ASSERT_TRUE(first.waitForError("sending "));
    Verbcast second(sending, home_);
    EXPECT_TRUE(second.waitForError("this viewer already has a sender; trying again"));
    Verbcast impatient(sending + Arguments{"--once", "--stats-json", file("impatient")}, home_);
    EXPECT_TRUE(endsWith(impatient, kPeer));
    EXPECT_TRUE(std::filesystem::exists(file("impatient"))) << "what was asked for is written all the same";
    EXPECT_TRUE(holds(impatient.errors(), "this viewer already has a sender"));
    for (Verbcast* program : {&second, &first}) {
        program->signal(SIGINT);
        EXPECT_TRUE(endsWith(*program, kInterrupted));
    }
    EXPECT_TRUE(endsWith(viewer, 0)) << "its stream has ended";
}

/// Another program's port: it sends its own banner to every client.
class OtherServer {
  public:
    explicit OtherServer(std::string words) : words_(std::move(words)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::listen(socket_.get(), 8) != 0 ||
            ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
            throw std::system_error(errno, std::generic_category(), "a socket");
        }
        host_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
        thread_ = std::jthread([this](const std::stop_token& stop) {
            std::vector<UniqueFd> callers;
            while (!stop.stop_requested()) {
                if (waitReadable({socket_.get(), stop_.descriptor()}, Deadline::never()); stop_.isSet()) {
                    return;
                }
                callers.emplace_back(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
                ::send(callers.back().get(), words_.data(), words_.size(), MSG_NOSIGNAL);
            }
        });
    }
    ~OtherServer() { stop_.notify(); }
    const std::string& host() const { return host_; }

  private:
    const std::string words_;
    UniqueFd socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    Event stop_;
    std::string host_;
    std::jthread thread_;
};

TEST_F(Peers, AnotherProgramThatAnswersIsNamedAsOne) {
    for (const char* words : {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
                              "\x01\x02\x03\x04\x05\x00\x00\x00 random bytes"}) {
        const OtherServer server(std::string(words) + std::string(16, '\0'));
        const std::string address = "tcp://" + server.host();
        for (const Arguments& arguments : {Arguments{"view", "--headless", address},
                                           Arguments{"send", "pattern", "--size", "64x64", "--to", address},
                                           Arguments{"pipe", "send", address, "--input", "/dev/null"}}) {
            Verbcast program(arguments, home_);
            EXPECT_TRUE(endsWith(program, kPeer));
            EXPECT_TRUE(holds(program.errors(), "what answers at " + server.host() + " is not verbcast"));
            EXPECT_TRUE(holds(program.errors(), "check the address and the port"));
            EXPECT_EQ(program.errors().find("lost"), std::string::npos) << program.errors();
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
