#include "tests/rdma/hostile_peer.h"

#include <arpa/inet.h>

#include <cstring>
#include <stdexcept>

#include "core/base/event.h"
#include "core/transport/verbs/device_addresses.h"
#include "tests/rdma/verbs_pair.h"

namespace verbcast::testing {
namespace {

CmEvent next(CmEvents& events) {
    while (true) {
        if (const auto event = events.next()) {
            return *event;
        }
        if (!waitReadable({events.descriptor()}, kPatience)) {
            throw std::runtime_error("no rdma_cm event");
        }
    }
}

void require(bool condition, const char* what) {
    if (!condition) {
        throw std::runtime_error(what);
    }
}

}  // namespace

std::vector<std::byte> goodGreeting() {
    Greeting greeting;
    greeting.features = kTakesImmediates;
    greeting.messageCredits = 8;
    greeting.largestWriteBytes = 1 << 20;
    return encodeGreeting(greeting);
}

HostilePeer::HostilePeer(const Url& target, std::span<const std::byte> privateData) {
    const VerbsOptions options = parseVerbsOptions(target);
    auto events = std::make_unique<CmEvents>();
    rdma_cm_id* raw = nullptr;
    require(rdma_create_id(events->get(), &raw, nullptr, RDMA_PS_TCP) == 0, "rdma_create_id");
    CmIdHandle id(raw);
    SocketAddress peer = peerAddressesFor(target, options).at(0);
    require(rdma_resolve_addr(raw, nullptr, reinterpret_cast<sockaddr*>(&peer.storage), 5000) == 0,
            "rdma_resolve_addr");
    require(next(*events).type == RDMA_CM_EVENT_ADDR_RESOLVED, "address");
    require(rdma_resolve_route(raw, 5000) == 0, "rdma_resolve_route");
    require(next(*events).type == RDMA_CM_EVENT_ROUTE_RESOLVED, "route");
    endpoint_ = std::make_unique<Endpoint>(std::move(events), std::move(id), TransportOptions{});
    rdma_conn_param parameters = endpoint_->connectionParameters(privateData);
    require(rdma_connect(endpoint_->id(), &parameters) == 0, "rdma_connect");
    const CmEvent event = next(endpoint_->events());
    established_ = event.type == RDMA_CM_EVENT_ESTABLISHED;
    answer_.assign(event.privateSpan().begin(), event.privateSpan().end());
}

void HostilePeer::post(ibv_send_wr& request) {
    ibv_send_wr* failed = nullptr;
    request.send_flags |= IBV_SEND_SIGNALED;
    require(ibv_post_send(endpoint_->queuePair(), &request, &failed) == 0, "ibv_post_send");
}

void HostilePeer::sendBytes(std::span<const std::byte> bytes) {
    std::memcpy(endpoint_->sendBuffer(0), bytes.data(), bytes.size());
    ibv_sge entry{};
    entry.addr = reinterpret_cast<std::uint64_t>(endpoint_->sendBuffer(0));
    entry.length = static_cast<std::uint32_t>(bytes.size());
    entry.lkey = endpoint_->sendBuffersKey();
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND;
    request.sg_list = &entry;
    request.num_sge = 1;
    post(request);
    // The buffer is used again by the next one.
    ibv_wc completion{};
    while (endpoint_->completions().poll({&completion, 1}) == 0) {
        std::this_thread::yield();
    }
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
    ibv_send_wr request{};
    request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    request.imm_data = htonl(immediate);
    post(request);
}

HostileListener::HostileListener(const Url& at, std::vector<std::byte> answer, bool accept)
    : answer_(std::move(answer)), accept_(accept) {
    rdma_cm_id* raw = nullptr;
    require(rdma_create_id(events_.get(), &raw, nullptr, RDMA_PS_TCP) == 0, "rdma_create_id");
    id_.reset(raw);
    SocketAddress address = listenAddressesFor(at, parseVerbsOptions(at)).at(0);
    require(rdma_bind_addr(raw, reinterpret_cast<sockaddr*>(&address.storage)) == 0, "rdma_bind_addr");
    require(rdma_listen(raw, 4) == 0, "rdma_listen");
}

std::uint16_t HostileListener::port() const {
    return ntohs(rdma_get_src_port(id_.get()));
}

void HostileListener::serveOne() {
    const CmEvent event = next(events_);
    require(event.type == RDMA_CM_EVENT_CONNECT_REQUEST, "connect request");
    CmIdHandle id(event.id);
    if (!accept_) {
        rdma_reject(id.get(), answer_.data(), static_cast<std::uint8_t>(answer_.size()));
        return;
    }
    auto events = std::make_unique<CmEvents>();
    require(rdma_migrate_id(id.get(), events->get()) == 0, "rdma_migrate_id");
    endpoint_ = std::make_unique<Endpoint>(std::move(events), std::move(id), TransportOptions{});
    rdma_conn_param parameters = endpoint_->connectionParameters(answer_);
    require(rdma_accept(endpoint_->id(), &parameters) == 0, "rdma_accept");
}

}  // namespace verbcast::testing
