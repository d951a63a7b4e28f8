// What a verbs queue does per request and per completion: it only translates. No allocation, lock or log;
// system calls only in arm().
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/transport/rdma/verbs/verbs_errors.h"
#include "core/transport/rdma/verbs/verbs_queue.h"

namespace verbcast {
namespace {

// Distinguishes our requests from receives: the opcode of a failed completion does not.
constexpr std::uint64_t kSendFlag = 1ULL << 63;
constexpr std::size_t kPollBatch = 16;

ibv_sge entryAt(std::uint64_t address, std::uint32_t count, std::uint64_t localHandle) {
    ibv_sge entry{};
    entry.addr = address;
    entry.length = count;
    entry.lkey = static_cast<std::uint32_t>(localHandle);
    return entry;
}

ibv_sge entryFor(const std::byte* bytes, std::uint32_t count, std::uint64_t localHandle) {
    return entryAt(reinterpret_cast<std::uint64_t>(bytes), count, localHandle);
}

Completion translate(const ibv_wc& from) {
    Completion completion;
    completion.workId = from.wr_id & ~kSendFlag;
    if (from.status != IBV_WC_SUCCESS) {
        completion.kind = Completion::Kind::Failed;
        completion.flushed = from.status == IBV_WC_WR_FLUSH_ERR;
        completion.status = from.status;
    } else if ((from.wr_id & kSendFlag) != 0) {
        completion.kind = Completion::Kind::Sent;
    } else if (from.opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
        completion.kind = Completion::Kind::Immediate;
        completion.tookReceive = true;
        completion.immediate = ntohl(from.imm_data);
    } else {
        completion.kind = Completion::Kind::Message;
        completion.bytes = from.byte_len;
    }
    return completion;
}

}  // namespace

bool VerbsQueue::posted(int code) {
    if (code != 0 && failure_.empty()) {
        failure_ = fmt::format("{} takes no work requests: {} ({})", deviceName(), errnoText(code), code);
    }
    return code == 0;
}

bool VerbsQueue::receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                         std::uint64_t localHandle) {
    ibv_sge entry = entryFor(into, bytes, localHandle);
    ibv_recv_wr request{};
    request.wr_id = workId;
    request.sg_list = &entry;
    request.num_sge = 1;
    ibv_recv_wr* failed = nullptr;
    return posted(ibv_post_recv(id_->qp, &request, &failed));
}

bool VerbsQueue::send(const PortSend& message) {
    ibv_sge entry =
        entryFor(message.bytes.data(), static_cast<std::uint32_t>(message.bytes.size()), message.localHandle);
    ibv_send_wr request{};
    request.wr_id = message.workId | kSendFlag;
    request.opcode = IBV_WR_SEND;
    request.sg_list = &entry;
    request.num_sge = 1;
    request.send_flags = (message.isInline ? static_cast<unsigned>(IBV_SEND_INLINE) : 0U) |
                         (message.signalled ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0U);
    ibv_send_wr* failed = nullptr;
    return posted(ibv_post_send(id_->qp, &request, &failed));
}

bool VerbsQueue::write(std::span<const PortWrite> chain) {
    std::array<ibv_send_wr, kMaxWriteChain> requests;
    std::array<ibv_sge, kMaxWriteChain> entries;
    for (std::size_t at = 0; at < chain.size(); ++at) {
        const PortWrite& write = chain[at];
        entries[at] = entryAt(write.fromAddress, write.bytes, write.localHandle);
        ibv_send_wr& request = requests[at] = {};
        request.wr_id = write.workId | kSendFlag;
        request.next = at + 1 < chain.size() ? &requests[at + 1] : nullptr;
        request.sg_list = &entries[at];
        request.num_sge = 1;
        request.opcode = write.hasImmediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
        request.imm_data = htonl(write.immediate);
        request.send_flags = write.signalled ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0U;
        request.wr.rdma.remote_addr = write.remoteAddress;
        request.wr.rdma.rkey = static_cast<std::uint32_t>(write.remoteKey);
    }
    ibv_send_wr* failed = nullptr;
    return posted(ibv_post_send(id_->qp, requests.data(), &failed));
}

/// Later requests wait for it.
void VerbsQueue::postBind(ibv_mw& made, const PortWindow& window) {
    ibv_send_wr request{};
    request.wr_id = window.workId | kSendFlag;
    request.opcode = IBV_WR_BIND_MW;
    request.send_flags = IBV_SEND_SIGNALED;
    request.bind_mw.mw = &made;
    request.bind_mw.rkey = ibv_inc_rkey(made.rkey);  // counting up a window's key is its owner's job
    request.bind_mw.bind_info.mr = static_cast<const VerbsMemory*>(window.memory)->region();
    request.bind_mw.bind_info.addr = reinterpret_cast<std::uint64_t>(window.bytes.data());
    request.bind_mw.bind_info.length = window.bytes.size();
    request.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
    ibv_send_wr* failed = nullptr;
    posted(ibv_post_send(id_->qp, &request, &failed));
    made.rkey = request.bind_mw.rkey;
}

std::size_t VerbsQueue::poll(std::span<Completion> completions) {
    std::array<ibv_wc, kPollBatch> batch;
    const int count = completions_.poll({batch.data(), std::min(completions.size(), batch.size())});
    if (count < 0 && failure_.empty()) {
        failure_ = fmt::format("the completion queue of {} failed", deviceName());
    }
    const auto taken = static_cast<std::size_t>(std::max(count, 0));
    std::transform(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(taken), completions.begin(),
                   translate);
    return taken;
}

std::string VerbsQueue::statusText(const Completion& failed) const {
    return completionStatusText(static_cast<ibv_wc_status>(failed.status));
}

std::vector<int> VerbsQueue::descriptors() const {
    return {completions_.descriptor(), events_->descriptor()};
}

bool VerbsQueue::arm() {
    if (!completions_.arm()) {
        failure_ = fmt::format("the completion queue of {} failed", deviceName());
        return false;
    }
    return true;
}

}  // namespace verbcast
