// A network device driven by the script: the double of a port and its completion queue.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/transport/rdma/port.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {

/// Tracks the memory that the peer may write.
class DoubleDomain final : public PortDomain {
  public:
    ~DoubleDomain() override { dropSources(); }
    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) override;
    std::string cannotSendFrom(const Memory& memory) const override;
    /// The `which`-th memory that the peer may write, oldest first; empty if there is none.
    std::span<std::byte> writable(std::size_t which);

  private:
    class Registration;
    struct Range {
        std::span<std::byte> bytes;
        const Registration* owner;
    };
    std::mutex mutex_;  // other threads register large memory
    std::vector<Range> ranges_;
};

class DoublePort final : public QueuePort {
  public:
    /// poll() calls `act` when there is nothing to report; `act` triggers an event or calls fail().
    DoublePort(const PortLimits& limits, bool shared, std::vector<std::byte> greeting,
               std::function<void()> act)
        : limits_(limits), shared_(shared), greeting_(std::move(greeting)), act_(std::move(act)) {}

    const PortLimits& limits() const override { return limits_; }
    std::shared_ptr<PortDomain> domain() const override { return domain_; }
    bool sharesDomain() const override { return shared_; }
    void begin(std::span<const std::byte>) override {}
    bool established() override { return true; }
    std::span<const std::byte> peerGreeting() const override { return greeting_; }
    std::string localAddress() const override { return "here"; }
    std::string peerAddress() const override { return "there"; }
    std::string deviceName() const override { return "double0"; }
    std::string describe() const override { return "double0"; }
    bool receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes, std::uint64_t handle) override;
    bool send(const PortSend& message) override;
    bool write(std::span<const PortWrite> chain) override;
    std::size_t poll(std::span<Completion> completions) override;
    std::string statusText(const Completion&) const override { return "an error of the double"; }
    std::vector<int> descriptors() const override { return {}; }
    bool arm() override { return false; }
    void checkPeer() override {}
    const std::string& failure() const override { return failure_; }
    void stop() noexcept override;

    // Events:
    /// The peer's message fills the oldest receive. Does nothing if there is none.
    void arrive(Bytes message);
    void arriveImmediate(std::uint32_t immediate);
    /// The peer writes, but only where it may.
    void writeRemotely(std::size_t which, std::size_t offset, Bytes bytes);
    /// The oldest `count` of our requests complete.
    void complete(std::size_t count);
    void completeWithError(bool flushed);
    void fail(const char* why) { failure_ = why; }

  private:
    struct Receive {
        std::uint64_t workId;
        std::byte* into;
        std::uint32_t bytes;
    };
    struct Request {
        std::uint64_t workId;
        bool signalled;
        Bytes read;  // by the device, until the request completes
    };
    void post(const Request& request);

    const PortLimits limits_;
    const bool shared_;
    const std::vector<std::byte> greeting_;
    const std::function<void()> act_;
    std::shared_ptr<PortDomain> domain_ = std::make_shared<DoubleDomain>();
    std::deque<Receive> receives_;
    std::deque<Request> requests_;
    std::deque<Completion> completions_;
    std::string failure_;
    bool stopped_ = false;
};

}  // namespace verbcast::fuzz
