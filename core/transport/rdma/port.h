// The seam between our wire protocol and a network device: a connected queue, and how one comes about. Two
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
    LocalWrite,   ///< put messages into it
    RemoteWrite,  ///< let the peer write into it
};

/// Memory that a device may touch, until this is destroyed. It never changes: share it between threads
/// freely. Both the memory and its PortDomain must outlive it.
class RegisteredMemory {
  public:
    virtual ~RegisteredMemory() = default;
    /// Of a device's memory, which goes: takes the registration back now, whoever still shares this. Nothing
    /// is sent from it any more.
    virtual void release() noexcept {}

    std::uint64_t localHandle = 0;    ///< what our own requests name it by; the port knows what that is
    std::uint64_t localAddress = 0;   ///< of a source: what our own requests call its first byte
    std::uint64_t remoteKey = 0;      ///< what the peer's writes name it by, unless it needs a window
    std::uint64_t remoteAddress = 0;  ///< what the peer's writes call its first byte
    bool needsWindow = false;         ///< the peer writes through QueuePort::openWindow()
};

class SourceCache;

/// Where memory is registered. All functions are safe from any thread.
///
/// A sink has one per peer, so that a peer's keys open nothing of another's. The sources on a device share
/// one (their memory grants no remote rights), and with it the registrations of their pools.
class PortDomain {
  public:
    PortDomain();
    virtual ~PortDomain();
    PortDomain(const PortDomain&) = delete;
    PortDomain& operator=(const PortDomain&) = delete;

    /// Throws Error{Resource} when the memory cannot be locked, with the line that raises the limit. May
    /// block for 0.3 s per GiB.
    virtual std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) = 0;
    /// A device's memory, to send it; the requests name places in it by its addresses. Only where
    /// cannotSendFrom() has no objection. Throws Error{Resource} that says why each way failed.
    virtual std::unique_ptr<RegisteredMemory> registerDevice(const DeviceMemory& memory);
    /// Why frames cannot leave from such a memory as it lies; empty when registerMemory() may be tried.
    virtual std::string cannotSendFrom(const Memory& memory) const = 0;

    /// The memories registered for sending.
    SourceCache& sources() { return *sources_; }

  protected:
    /// For destructors of derived domains: registrations go before what they were made with.
    void dropSources() noexcept;

  private:
    std::shared_ptr<SourceCache> sources_;  // shared with memories that tell it before they go
};

/// The numbers that were really granted.
struct PortLimits {
    std::uint32_t sendDepth = 0;     ///< requests that may be posted and not yet completed
    std::uint32_t receiveDepth = 0;  ///< receives that may be posted
    std::uint32_t inlineBytes = 0;   ///< largest message of send() without registered memory
    std::uint32_t largestWriteBytes = 0;
    bool immediates = false;              ///< write() takes immediates
    bool immediatesTakeReceives = false;  ///< an immediate that arrives uses up a receive
    /// What is posted after a write shows itself to the peer after that write's bytes are in place. Else it
    /// must wait for the write's completion.
    bool keepsOrder = false;
    /// The peer writes through windows, wherever one is large enough: such a registration's own key opens
    /// nothing.
    bool windows = false;
    /// Once a RegisteredMemory is gone nothing is written into it any more, also not by a write that had
    /// begun. Else such a write may go on until it ends.
    bool revokesAtOnce = false;
    /// The peer still gets what has completed here when we stop. Else it must hang up first.
    bool heardAfterStop = true;
};

/// What the queue did.
struct Completion {
    enum class Kind : std::uint8_t {
        Sent,       ///< a request of ours, and so all those posted before it
        Message,    ///< a receive was filled
        Immediate,  ///< the peer's write with immediate is in place
        Failed,     ///< the connection is at its end
    };
    Kind kind = Kind::Failed;
    bool tookReceive = false;     ///< Immediate: workId is a receive that is used up
    bool flushed = false;         ///< Failed: only because the connection had ended before
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
    bool signalled = false;  ///< its completion is wanted; ports may give those of others too
};

/// A message to the peer, into one of its receives.
struct PortSend {
    std::span<const std::byte> bytes;
    std::uint64_t localHandle = 0;
    std::uint64_t workId = 0;
    bool isInline = false;  ///< at most PortLimits::inlineBytes, read during the call only
    bool signalled = false;
};

/// A part of memory that was registered for RemoteWrite.
struct PortWindow {
    const RegisteredMemory* memory = nullptr;
    std::span<std::byte> bytes;
    std::uint64_t workId = 0;
};

/// Most writes in one call of QueuePort::write().
inline constexpr std::size_t kMaxWriteChain = 8;

/// One end of a connected, reliable, ordered queue. Thread-bound. Nothing here blocks, but the destructor for
/// as long as a device may need to release it.
///
/// Life: opened (by PortRequest::open() or a port's connector), receives are posted, begin(), established()
/// until it is true, then everything else; in the end stop(). The memory named by what was posted must stay
/// until stop() has returned.
class QueuePort {
  public:
    virtual ~QueuePort() = default;

    virtual const PortLimits& limits() const = 0;
    virtual const std::shared_ptr<PortDomain>& domain() const = 0;
    /// The domain is shared by sources: rings of a peer must not be registered there.
    virtual bool sharesDomain() const = 0;

    /// Calls the peer, or answers its call, with 16 to 56 bytes for it. Throws Error{Network, Device}.
    virtual void begin(std::span<const std::byte> greeting) = 0;
    /// True once the connection stands. Throws Error{Network} when it never will, Error{Peer} when the peer
    /// refused with a reason of ours.
    virtual bool established() = 0;
    /// What the peer gave to its begin(), perhaps with zeros after it. Once established() is true.
    virtual std::span<const std::byte> peerGreeting() const = 0;

    virtual std::string localAddress() const = 0;  ///< "10.77.0.1:7423"
    virtual std::string peerAddress() const = 0;
    virtual std::string deviceName() const = 0;  ///< "rxe0", for messages
    /// "rxe0 port 1, GID 1 RoCE v2, IB MTU 4096". Once established.
    virtual std::string describe() const = 0;

    /// Each gives false when the queue takes nothing more: failure() says why. At most receiveDepth receives
    /// and sendDepth requests may be outstanding.
    virtual bool receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                         std::uint64_t localHandle) = 0;
    virtual bool send(const PortSend& message) = 0;
    virtual bool write(std::span<const PortWrite> chain) = 0;

    /// For memory that needs a window: lets this peer alone write there, until closeWindow() or stop(); what
    /// is posted later finds the window open. A request with a completion. Gives the window's key. Throws
    /// Error{Resource}.
    virtual std::uint64_t openWindow(const PortWindow& /*window*/) { return 0; }
    /// Nothing new comes through it any more. Before the memory goes.
    virtual void closeWindow(std::uint64_t /*key*/) noexcept {}

    /// Takes completions, those of requests in the order of posting. 0 when there are none.
    virtual std::size_t poll(std::span<Completion> completions) = 0;
    virtual std::string statusText(const Completion& failed) const = 0;

    /// What to sleep on, all of them; they do not change.
    virtual std::vector<int> descriptors() const = 0;
    /// Asks for one of descriptors() to become readable with the next completion; poll() once more after it.
    /// False when there may be something to do already, or the queue failed.
    virtual bool arm() = 0;
    /// Looks, by a system call, whether the peer or the device has gone: failure() tells then.
    virtual void checkPeer() = 0;
    /// Why the connection ended: "the peer disconnected"; empty while it stands.
    virtual const std::string& failure() const = 0;

    /// Hangs up. Once it returns, the device neither reads nor writes anything that was posted, nor does the
    /// peer write into our memory; nothing but descriptions may be asked for any more.
    virtual void stop() noexcept = 0;
};

/// A peer that calls. Dropping it refuses the call.
class PortRequest {
  public:
    virtual ~PortRequest() = default;
    virtual std::string peer() const = 0;
    /// What the peer gave to its begin().
    virtual std::span<const std::byte> greeting() const = 0;
    virtual void refuse(std::span<const std::byte> reason) noexcept = 0;
    /// Throws Error{Resource, Device, Network}. Once.
    virtual std::unique_ptr<QueuePort> open() = 0;
};

/// Waits for peers at one address. Thread-bound.
class PortListener {
  public:
    virtual ~PortListener() = default;
    virtual std::string address() const = 0;
    /// What to sleep on; they do not change.
    virtual std::vector<int> descriptors() const = 0;
    /// The next call; null when there is none now. Throws as Listener::accept() does.
    virtual std::unique_ptr<PortRequest> next() = 0;
};

}  // namespace verbcast
