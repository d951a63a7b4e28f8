#include "tests/core/transport/rdma/hostile_peer.h"

#include <cstring>
#include <stdexcept>

#include "core/base/os/event.h"
#include "tests/core/transport/rdma/rdma_pair.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

void sleepOn(const std::vector<int>& descriptors) {
    if (!waitReadable(std::span<const int>(descriptors), Deadline::in(kPatience))) {
        throw std::runtime_error("nothing happens any more");
    }
}

}  // namespace

std::vector<std::byte> goodGreeting(const VoucherSecret& voucher) {
    RdmaGreeting greeting;
    greeting.voucher = voucher;
    greeting.features = kTakesImmediates;
    greeting.messageCredits = 8;
    greeting.largestWriteBytes = 1 << 20;
    return encodeGreeting(greeting);
}

HostilePeer::HostilePeer(std::unique_ptr<QueuePort> port, std::span<const std::byte> privateData)
    : port_(std::move(port)) {
    receives_.emplace(*port_);
    buffer_.emplace(*port_->domain(), kBufferBytes, MemoryUse::LocalRead);
    try {
        port_->begin(privateData);
        while (!port_->established()) {
            sleepOn(port_->descriptors());
        }
    } catch (const Error& error) {
        refusal_ = error.what();
    }
}

HostilePeer::~HostilePeer() {
    port_->stop();
}

std::string HostilePeer::finish() {
    const Deadline deadline = Deadline::in(kPatience);
    Completion completion;
    while (!deadline.passed()) {
        if (port_->poll({&completion, 1}) == 0) {
            port_->checkPeer();
            if (!port_->failure().empty()) {
                return port_->failure();
            }
            std::this_thread::yield();
        } else if (completion.kind == Completion::Kind::Failed) {
            return port_->statusText(completion);
        } else if (completion.kind == Completion::Kind::Sent) {
            return {};
        }
    }
    return "nothing happens any more";
}

void HostilePeer::sendBytes(std::span<const std::byte> bytes) {
    std::memcpy(buffer_->data(), bytes.data(), bytes.size());
    PortSend send;
    send.bytes = {buffer_->data(), bytes.size()};
    send.localHandle = buffer_->registration().localHandle;
    send.signalled = true;
    EXPECT_TRUE(port_->send(send)) << port_->failure();
    finish();  // the next one reuses the buffer
}

void HostilePeer::sendMessage(MessageKind kind, std::span<const std::byte> payload, std::uint32_t consumed) {
    MessageHeader header;
    header.kind = kind;
    header.consumed = consumed;
    std::vector<std::byte> bytes(sizeof header + payload.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    std::copy(payload.begin(), payload.end(), bytes.begin() + sizeof header);
    sendBytes(bytes);
}

void HostilePeer::writeImmediate(std::uint32_t immediate) {
    PortWrite write;
    write.fromAddress = reinterpret_cast<std::uint64_t>(buffer_->data());
    write.localHandle = buffer_->registration().localHandle;
    write.hasImmediate = true;
    write.immediate = immediate;
    write.signalled = true;
    EXPECT_TRUE(port_->write({&write, 1})) << port_->failure();
}

std::string HostilePeer::writeBytes(std::uint64_t address, std::uint64_t key, std::uint32_t bytes) {
    std::memset(buffer_->data(), 0x66, bytes);
    PortWrite write;
    write.fromAddress = reinterpret_cast<std::uint64_t>(buffer_->data());
    write.localHandle = buffer_->registration().localHandle;
    write.remoteAddress = address;
    write.remoteKey = key;
    write.bytes = bytes;
    write.signalled = true;
    return port_->write({&write, 1}) ? finish() : port_->failure();
}

int HostilePeer::messagesUntilTheEnd() {
    const Deadline deadline = Deadline::in(kPatience);
    int messages = 0;
    for (Completion completion; !deadline.passed();) {
        if (port_->poll({&completion, 1}) == 0) {
            port_->checkPeer();
            if (!port_->failure().empty()) {
                return messages;
            }
            std::this_thread::yield();
        } else if (completion.kind == Completion::Kind::Failed) {
            return messages;
        } else {
            messages += completion.kind == Completion::Kind::Message ? 1 : 0;
        }
    }
    ADD_FAILURE() << "the other side does not hang up";
    return messages;
}

HostileListener::HostileListener(std::unique_ptr<PortListener> port, std::vector<std::byte> answer,
                                 bool accept)
    : listener_(std::move(port)), answer_(std::move(answer)), accept_(accept) {}

HostileListener::~HostileListener() {
    if (queue_) {
        queue_->stop();
    }
}

std::uint16_t HostileListener::port() const {
    return parseUrl(listener_->address()).port;
}

void HostileListener::serveOne() {
    auto request = listener_->next();
    while (!request) {
        sleepOn(listener_->descriptors());
        request = listener_->next();
    }
    if (!accept_) {
        request->refuse(answer_);
        return;
    }
    queue_ = request->open();
    receives_.emplace(*queue_);
    queue_->begin(answer_);
    while (!queue_->established()) {
        sleepOn(queue_->descriptors());
    }
}

}  // namespace verbcast::testing
