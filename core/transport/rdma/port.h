// The interface between our wire protocol and a network device: a connected queue, and how to get one. Two
// ports exist: verbs/ (ibverbs and rdma_cm) and ofi/ (libfabric). None of their types appear here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/memory/memory.h"

namespace verbcast {

/// What a device may do with memory.
enum class MemoryUse {
    LocalRead,    ///< send it
    LocalWrite,   ///< receive messages into it
    RemoteWrite,  ///< let the peer write into it
};

/// Memory that a device may access until this is destroyed. Immutable: share it between threads freely. Both
/// the memory and its PortDomain must outlive it.
class RegisteredMemory {
  public:
    virtual ~RegisteredMemory() = default;
    /// For device memory that is going away: deregisters it now, even if this object is still shared. Nothing
    /// is sent from it any more.
    virtual void release() noexcept {}

    std::uint64_t localHandle = 0;  ///< identifies it in our own requests; its meaning is the port's
    /// Of a ring whose slots are registered one by one: the same for each of them. Empty: localHandle for
    /// all.
    std::vector<std::uint64_t> slotHandles{};
    std::uint64_t handleOf(std::uint32_t slot) const {
        return slotHandles.empty() ? localHandle : slotHandles[slot];
    }
    std::uint64_t localAddress = 0;   ///< of a source: address of its first byte in our own requests
    std::uint64_t remoteKey = 0;      ///< identifies it in the peer's writes, unless it needs a window
    std::uint64_t remoteAddress = 0;  ///< address of its first byte in the peer's writes
    std::string_view way{};           ///< device memory: "dma-buf" or "address"; dma-bufs: or "mapping"
    /// Of dma-bufs, where they are mapped: FramePool::slotData() must be called before a slot is sent.
    bool readsMapping = false;
    bool needsWindow = false;  ///< the peer writes through QueuePort::openWindow()
};

class SourceCache;

/// Where memory is registered. All functions are safe from any thread.
///
/// A sink has one per peer, so that a peer's keys open nothing that belongs to another. The sources on a
/// device share one (their memory grants no remote rights), and with it the registrations of their pools.
class PortDomain {
  public:
    PortDomain();
    virtual ~PortDomain();
    PortDomain(const PortDomain&) = delete;
    PortDomain& operator=(const PortDomain&) = delete;

    /// Throws Error{Resource} if the memory cannot be locked, with the command that raises the limit. May
    /// block for 0.3 s per GiB.
    virtual std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) = 0;
    /// Registers a device's memory, for sending or for the peer to write into; requests use the device's
    /// addresses. For sending only if cannotSendFrom() does not object. Throws Error{Resource} that says why
    /// each way failed.
    virtual std::unique_ptr<RegisteredMemory> registerDevice(const DeviceMemory& memory, MemoryUse use);
    /// Registers a ring of dma-bufs (Memory::buffers(), one a slot) for sending, each as what it is; requests
    /// use the addresses where the ring is mapped. Throws Error{Resource} that says why it cannot.
    virtual std::unique_ptr<RegisteredMemory> registerBuffers(const Memory& memory);
    /// Why frames cannot be sent directly from such memory; empty if registerMemory() may be tried.
    virtual std::string cannotSendFrom(const Memory& memory) const = 0;

    /// The memories registered for sending.
    SourceCache& sources() { return *sources_; }

  protected:
    /// For destructors of derived domains: registrations must go before the objects they were made with.
    void dropSources() noexcept;

  private:
    std::shared_ptr<SourceCache> sources_;  // shared with memories that notify it before they are freed
};

/// The limits actually granted.
struct PortLimits {
    std::uint32_t sendDepth = 0;     ///< requests that may be posted and not yet completed
    std::uint32_t receiveDepth = 0;  ///< receives that may be posted
    std::uint32_t inlineBytes = 0;   ///< largest message of send() without registered memory
    std::uint32_t largestWriteBytes = 0;
    bool immediates = false;              ///< write() takes immediates
    bool immediatesTakeReceives = false;  ///< an arriving immediate uses up a receive
    /// What is posted after a write becomes visible to the peer only after that write's bytes are in place.
    /// Otherwise it must wait for the write's completion.
    bool keepsOrder = false;
    /// The peer writes through windows, provided one is large enough: such a registration's own key opens
    /// nothing.
    bool windows = false;
    /// Once a RegisteredMemory is gone, nothing more is written into it, not even by a write in progress.
    /// Otherwise such a write may continue until it ends.
    bool revokesAtOnce = false;
    /// arm() lasts until one of descriptors() is readable.
    bool staysArmed = false;
    /// The peer still receives what has completed here when we stop. Otherwise it must hang up first.
    bool heardAfterStop = true;
};

/// What happened on the queue.
struct Completion {
    enum class Kind : std::uint8_t {
        Sent,       ///< one of our requests, and thus all those posted before it
        Message,    ///< a receive was filled
        Immediate,  ///< the peer's write with immediate is in place
        Failed,     ///< the connection has ended
    };
    Kind kind = Kind::Failed;
    bool tookReceive = false;     ///< Immediate: workId is a used-up receive
    bool flushed = false;         ///< Failed: only because the connection had already ended
    std::uint32_t bytes = 0;      ///< Message
    std::uint32_t immediate = 0;  ///< Immediate
    int status = 0;               ///< Failed: see QueuePort::statusText()
    std::uint64_t workId = 0;
};

/// A write into the peer's memory.
struct PortWrite {
    std::uint64_t fromAddress = 0;  ///< a pointer's value, or a device's address
    std::uint64_t localHandle = 0;
    std::uint64_t remoteAddress = 0;
    std::uint64_t remoteKey = 0;
    std::uint64_t workId = 0;
    std::uint32_t bytes = 0;
    std::uint32_t immediate = 0;
    bool hasImmediate = false;
    bool signalled = false;  ///< its completion is wanted; ports may report others too
};

/// A message to the peer, into one of its receives.
struct PortSend {
    std::span<const std::byte> bytes;
    std::uint64_t localHandle = 0;
    std::uint64_t workId = 0;
    bool isInline = false;  ///< at most PortLimits::inlineBytes, read only during the call
    bool signalled = false;
};

/// Part of a memory registered for RemoteWrite.
struct PortWindow {
    const RegisteredMemory* memory = nullptr;
    std::span<std::byte> bytes;
    std::uint64_t workId = 0;
};

/// Maximum number of writes per QueuePort::write().
inline constexpr std::size_t kMaxWriteChain = 8;

/// One end of a connected, reliable, ordered queue. Thread-bound. Nothing here blocks, except the destructor,
/// for as long as a device needs to release it.
///
/// Life cycle: opened (by PortRequest::open() or a port's connector), receives are posted, begin(),
/// established() until it returns true, then everything else; finally stop(). Memory named by posted requests
/// must stay until stop() has returned.
class QueuePort {
  public:
    virtual ~QueuePort() = default;

    virtual const PortLimits& limits() const = 0;
    /// Shared by the device's sources, or the queue's own.
    virtual std::shared_ptr<PortDomain> domain() const = 0;
    /// The domain is shared by sources: a peer's rings must not be registered there.
    virtual bool sharesDomain() const = 0;

    /// Calls the peer, or answers its call, with a greeting of 16 to 56 bytes. Throws Error{Network, Device}.
    virtual void begin(std::span<const std::byte> greeting) = 0;
    /// True once the connection is up. Throws Error{Network} if it never will be, Error{Peer} if the peer
    /// refused with one of this protocol's reasons.
    virtual bool established() = 0;
    /// What the peer passed to its begin(), possibly zero-padded. Valid once established() is true.
    virtual std::span<const std::byte> peerGreeting() const = 0;

    virtual std::string localAddress() const = 0;  ///< "10.77.0.1:7423"
    virtual std::string peerAddress() const = 0;
    virtual std::string deviceName() const = 0;  ///< "rxe0", for messages
    /// "rxe0 port 1, GID 1 RoCE v2, IB MTU 4096". Valid once established.
    virtual std::string describe() const = 0;

    /// Each returns false if the queue accepts nothing more: failure() says why. At most receiveDepth
    /// receives and sendDepth requests may be outstanding.
    virtual bool receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                         std::uint64_t localHandle) = 0;
    virtual bool send(const PortSend& message) = 0;
    virtual bool write(std::span<const PortWrite> chain) = 0;

    /// For memory that needs a window: lets only this peer write there, until closeWindow() or stop(); the
    /// window is open for anything posted later. A request with a completion. Returns the window's key.
    /// Throws Error{Resource}.
    virtual std::uint64_t openWindow(const PortWindow& /*window*/) { return 0; }
    /// No new writes come through it. Call before the memory goes.
    virtual void closeWindow(std::uint64_t /*key*/) noexcept {}

    /// Takes completions, those of requests in posting order. 0 if there are none.
    virtual std::size_t poll(std::span<Completion> completions) = 0;
    virtual std::string statusText(const Completion& failed) const = 0;

    /// The descriptors to sleep on, all of them; they do not change.
    virtual std::vector<int> descriptors() const = 0;
    /// Makes one of descriptors() become readable on the next completion; call poll() once more afterwards.
    /// False if there may already be something to do, or the queue failed.
    virtual bool arm() = 0;
    /// Checks, by a system call, whether the peer or the device has gone: failure() tells.
    virtual void checkPeer() = 0;
    /// Why the connection ended: "the peer disconnected"; empty while it is up.
    virtual const std::string& failure() const = 0;

    /// Hangs up. Once it returns, the device no longer reads or writes anything that was posted, and the peer
    /// no longer writes into our memory; only descriptions may be queried afterwards.
    virtual void stop() noexcept = 0;
};

/// A calling peer. Destroying this refuses the call.
class PortRequest {
  public:
    virtual ~PortRequest() = default;
    virtual std::string peer() const = 0;
    /// What the peer passed to its begin().
    virtual std::span<const std::byte> greeting() const = 0;
    virtual void refuse(std::span<const std::byte> reason) noexcept = 0;
    /// Throws Error{Resource, Device, Network}. Call once.
    virtual std::unique_ptr<QueuePort> open() = 0;
};

/// Waits for peers at one address. Thread-bound.
class PortListener {
  public:
    virtual ~PortListener() = default;
    virtual std::string address() const = 0;
    /// The descriptors to sleep on; they do not change.
    virtual std::vector<int> descriptors() const = 0;
    /// The next call; null if there is none now. Throws as Listener::accept() does.
    virtual std::unique_ptr<PortRequest> next() = 0;
};

}  // namespace verbcast
