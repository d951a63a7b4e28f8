#include "tests/fuzz/double_port.h"

#include <algorithm>

#include "core/base/checksum.h"

namespace verbcast::fuzz {

class DoubleDomain::Registration final : public RegisteredMemory {
  public:
    Registration(DoubleDomain& domain, std::span<std::byte> bytes) : domain_(domain) {
        remoteAddress = reinterpret_cast<std::uint64_t>(bytes.data());
    }
    ~Registration() override {
        const std::lock_guard lock(domain_.mutex_);
        std::erase_if(domain_.ranges_, [this](const Range& range) { return range.owner == this; });
    }

  private:
    DoubleDomain& domain_;
};

std::unique_ptr<RegisteredMemory> DoubleDomain::registerMemory(std::span<std::byte> bytes, MemoryUse use) {
    auto registration = std::make_unique<Registration>(*this, bytes);
    if (use == MemoryUse::RemoteWrite) {
        const std::lock_guard lock(mutex_);
        ranges_.push_back({bytes, registration.get()});
    }
    return registration;
}

std::string DoubleDomain::cannotSendFrom(const Memory& memory) const {
    return memory.bytes().empty() ? "it cannot be reached" : "";
}

std::span<std::byte> DoubleDomain::writable(std::size_t which) {
    const std::lock_guard lock(mutex_);
    return ranges_.empty() ? std::span<std::byte>() : ranges_[which % ranges_.size()].bytes;
}

bool DoublePort::receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes, std::uint64_t) {
    require(receives_.size() < limits_.receiveDepth, "more receives than the queue takes");
    if (!stopped_) {
        receives_.push_back({workId, into, bytes});
    }
    return !stopped_ && failure_.empty();
}

void DoublePort::post(const Request& request) {
    require(requests_.size() < limits_.sendDepth, "more requests than the queue takes");
    requests_.push_back(request);
}

bool DoublePort::send(const PortSend& message) {
    if (stopped_ || !failure_.empty()) {
        return false;
    }
    static_cast<void>(checksumOf(message.bytes));
    post({message.workId, message.signalled, message.isInline ? Bytes() : message.bytes});
    return true;
}

bool DoublePort::write(std::span<const PortWrite> chain) {
    if (stopped_ || !failure_.empty()) {
        return false;
    }
    require(chain.size() <= kMaxWriteChain, "a chain of too many writes");
    for (const PortWrite& one : chain) {
        require(one.bytes <= limits_.largestWriteBytes, "a write that is too large");
        post({one.workId, one.signalled, {reinterpret_cast<const std::byte*>(one.fromAddress), one.bytes}});
    }
    return true;
}

std::size_t DoublePort::poll(std::span<Completion> completions) {
    if (stopped_) {
        return 0;
    }
    if (completions_.empty()) {
        act_();
    }
    const std::size_t count = std::min(completions.size(), completions_.size());
    std::copy_n(completions_.begin(), count, completions.begin());
    completions_.erase(completions_.begin(), completions_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
}

void DoublePort::stop() noexcept {
    stopped_ = true;
    receives_.clear();
    requests_.clear();
    completions_.clear();
}

void DoublePort::arrive(Bytes message) {
    if (!receives_.empty()) {
        const Receive receive = receives_.front();
        receives_.pop_front();
        const std::size_t bytes = std::min<std::size_t>(message.size(), receive.bytes);
        std::copy_n(message.begin(), bytes, receive.into);
        completions_.push_back({.kind = Completion::Kind::Message,
                                .bytes = static_cast<std::uint32_t>(bytes),
                                .workId = receive.workId});
    }
}

void DoublePort::arriveImmediate(std::uint32_t immediate) {
    Completion completion{.kind = Completion::Kind::Immediate, .immediate = immediate};
    if (limits_.immediatesTakeReceives) {
        if (receives_.empty()) {
            return;
        }
        completion.tookReceive = true;
        completion.workId = receives_.front().workId;
        receives_.pop_front();
    }
    completions_.push_back(completion);
}

void DoublePort::writeRemotely(std::size_t which, std::size_t offset, Bytes bytes) {
    const auto target = static_cast<DoubleDomain&>(*domain_).writable(which);
    if (!stopped_ && offset < target.size()) {
        std::copy_n(bytes.begin(), std::min(bytes.size(), target.size() - offset),
                    target.begin() + static_cast<std::ptrdiff_t>(offset));
    }
}

void DoublePort::complete(std::size_t count) {
    for (; count > 0 && !requests_.empty(); --count) {
        static_cast<void>(checksumOf(requests_.front().read));  // had to stay valid until now
        if (requests_.front().signalled) {
            completions_.push_back({.kind = Completion::Kind::Sent, .workId = requests_.front().workId});
        }
        requests_.pop_front();
    }
}

void DoublePort::completeWithError(bool flushed) {
    completions_.push_back({.kind = Completion::Kind::Failed, .flushed = flushed, .status = 1});
}

}  // namespace verbcast::fuzz
