// Is the peer there, and is it a Verbcast? Connects as a session would, hears the greeting, and leaves before
// there is a session.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/doctor/checks.h"
#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/session/messages.h"
#include "core/session/rendezvous.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kNamePatience{2000};
constexpr std::chrono::milliseconds kConnectPatience{2000};
constexpr TimestampNs kGreetingPatience = 1'500'000'000;

/// Throws Error{Network} when the host is unknown or nobody answers for the name service in time.
void requireHost(const Url& url) {
    struct Answer {
        std::mutex mutex;
        std::condition_variable changed;
        std::exception_ptr failure;
        bool done = false;
    };
    // Shared, and the thread let go: the resolver has no deadline of its own, and may outlast our patience.
    const auto answer = std::make_shared<Answer>();
    std::thread([answer, url] {
        std::exception_ptr failure;
        try {
            static_cast<void>(resolve(url, false));
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(answer->mutex);
        answer->failure = failure;
        answer->done = true;
        answer->changed.notify_one();
    }).detach();
    std::unique_lock lock(answer->mutex);
    if (!answer->changed.wait_for(lock, kNamePatience, [&] { return answer->done; })) {
        throw Error(ErrorKind::Network, fmt::format("the name {} is not resolved in time", url.host),
                    "give the peer's IP address, or mend /etc/resolv.conf (see: resolvectl status)");
    }
    if (answer->failure) {
        std::rethrow_exception(answer->failure);
    }
}

/// What the peer says first.
class Greeting final : public ChannelHandler {
  public:
    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        const auto type = static_cast<MessageType>(reader.get<std::uint8_t>());
        if (type == MessageType::Hello && !hello) {
            hello = decodeHello(reader);
        } else if (type == MessageType::Refuse && !refusal) {
            refusal = decodeRefuse(reader);
        }
    }
    void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) override {}
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
    void onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override {}

    std::optional<Hello> hello;
    std::optional<Refuse> refusal;
};

/// Until the greeting or a refusal is there. Throws Error{Peer} when the peer is no Verbcast.
void awaitGreeting(Channel& channel, Greeting& greeting, const Url& url) {
    const TimestampNs deadline = nowNs() + kGreetingPatience;
    const auto strange = [&](const std::string& how) {
        return Error(ErrorKind::Peer, fmt::format("something listens on {}, but {}", url.text(), how),
                     "check the port: verbcast send and view say on start which one they listen on");
    };
    while (!greeting.hello && !greeting.refusal) {
        Progress progress = Progress::Closed;
        try {
            progress = channel.process(greeting);
        } catch (const Error& error) {
            throw strange(error.what());
        }
        if (progress == Progress::Closed) {
            throw strange("it hung up: " + channel.closeReason());
        }
        const TimestampNs left = deadline - nowNs();
        if (left <= 0) {
            throw strange("it does not greet as a verbcast does");
        }
        if (progress == Progress::Idle && channel.readyToSleep()) {
            waitReadable({channel.waitDescriptor()}, std::chrono::nanoseconds(left));
        }
    }
}

/// No session began: neither side counts a viewer or a sender that was lost.
void takeLeave(Channel& channel, Greeting& greeting) {
    const Refuse leave{RefuseCode::Busy, "this was verbcast doctor, to see whether anybody is here"};
    if (channel.sendMessage(encodeMessage(leave)) == Status::Ok) {
        for (int round = 0; round < 64 && channel.process(greeting) == Progress::Worked; ++round) {
        }
    }
    channel.close();
}

Check judgeGreeting(const Greeting& greeting, const std::string& reached) {
    Check check{"peer", CheckState::Ok, reached, ""};
    if (!greeting.hello) {
        check.state = CheckState::Warning;
        check.seen += "; it refuses for now: " + greeting.refusal->text;
        check.remedy =
            "end one of its other connections, or start another verbcast there on another --listen "
            "port";
        return check;
    }
    const Hello& hello = *greeting.hello;
    if (hello.magic != kProtocolMagic || hello.version != kProtocolVersion) {
        check.state = CheckState::Failed;
        check.seen += fmt::format("; it speaks version {} of the protocol, this side version {}",
                                  hello.version, kProtocolVersion);
        check.remedy = fmt::format("install verbcast {} on both machines", kVersion);
        return check;
    }
    check.seen += fmt::format("; a {} \"{}\", {}", roleName(hello.role), hello.name, hello.software);
    return check;
}

}  // namespace

PeerFinding checkPeer(const Url& url) {
    PeerFinding finding;
    const Event never;
    try {
        if (url.scheme != Scheme::Shm) {
            requireHost(url);
        }
        const TimestampNs start = nowNs();
        const Connection connection = connectBest(url, {}, kConnectPatience, never);
        const double milliseconds = static_cast<double>(nowNs() - start) * 1e-6;
        Greeting greeting;
        awaitGreeting(*connection.channel, greeting, url);
        const ChannelDescription description = connection.channel->description();
        takeLeave(*connection.channel, greeting);
        const std::string reached = fmt::format("{} answered over {} after {:.1f} ms ({}{}{})", url.text(),
                                                description.transport, milliseconds, connection.reason,
                                                description.detail.empty() ? "" : "; ", description.detail);
        finding.checks.push_back(judgeGreeting(greeting, reached));
        if (finding.checks.front().state != CheckState::Failed) {
            finding.transport = description.transport;
        }
    } catch (const Error& error) {
        finding.checks.push_back({"peer", CheckState::Failed, error.what(),
                                  error.remedy().empty()
                                      ? "check the address, and that verbcast runs there: "
                                        "verbcast send SOURCE, or verbcast view --listen :PORT"
                                      : error.remedy()});
    }
    return finding;
}

}  // namespace verbcast
