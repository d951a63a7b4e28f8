// What `verbcast devices`, the choice of a transport and `verbcast bench register` need to know about RDMA
// hardware; no verbs types.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/memory/device_memory.h"

namespace verbcast {

/// The RDMA transports split a payload into RDMA WRITEs of this size. A few MiB keep any device busy and fit
/// the max_msg_sz of every port worth using.
inline constexpr std::uint32_t kMaxRdmaWrite = 4U << 20;

struct RdmaGid {
    int index;
    std::string gid;     ///< "fe80:0000:...": eight groups
    std::string type;    ///< "IB/RoCE v1", "RoCE v2", or "" if the kernel does not say
    std::string netdev;  ///< "" for InfiniBand
};

struct RdmaPort {
    int number;
    std::string state;      ///< "ACTIVE", "DOWN", ...
    std::string linkLayer;  ///< "InfiniBand" or "Ethernet"
    int activeMtu;          ///< bytes
    int maxMtu;             ///< bytes
    std::uint32_t maxMessageBytes;
    double linkGigabits;        ///< active width times speed, per second
    std::vector<RdmaGid> gids;  ///< non-empty entries
};

struct RdmaDevice {
    std::string name;
    std::string transport;  ///< "InfiniBand/RoCE" or "iWARP"
    std::string firmware;
    bool immediateWrites;  ///< RDMA WRITE with immediate is usable
    bool memoryWindows;    ///< of type 2: a peer's access ends with its session
    std::vector<RdmaPort> ports;
};

/// An internet address of this machine that is reached through an RDMA port: rdma_cm finds devices by
/// address.
struct RdmaAddress {
    std::string device;
    int port;
    std::string address;  ///< "192.168.1.2", "[fe80::1]"
};

/// All RDMA devices of the machine; empty if there are none or if compiled without rdma-core.
std::vector<RdmaDevice> rdmaDevices();
/// Best first (IPv4, then IPv6, link-local ones last), each address of a port once.
std::vector<RdmaAddress> rdmaAddresses();
/// The verbs transport is compiled in, whether or not there is a device for it.
bool verbsCompiledIn();
/// "rdma-core 44.0" or "not compiled in".
std::string rdmaCoreVersion();

struct RegistrationTimes {
    std::chrono::nanoseconds registering{0}, deregistering{0};
};

/// Device memory: how it was registered, "dma-buf" or "address".
struct DeviceRegistration {
    RegistrationTimes times;
    std::string way;
};

/// One opened RDMA device with its own protection domain. Thread-bound.
class RegistrationProbe {
  public:
    virtual ~RegistrationProbe() = default;
    virtual const std::string& device() const = 0;

    /// Registers the memory as a receiver registers its ring (writable by the peer) and deregisters it again.
    /// Throws Error{Resource} if memory cannot be locked, with the command that raises the limit.
    virtual RegistrationTimes measure(std::span<std::byte> memory) = 0;

    /// The same for all of a GPU's memory, including its export as a dma-buf. Throws Error{Resource} saying
    /// why each way failed.
    virtual DeviceRegistration measure(const DeviceMemory& memory) = 0;

    /// Keeps the memory registered until the result is destroyed, which must happen before this object is. A
    /// shared_ptr only to hide its type: it has one owner. Throws like measure().
    virtual std::shared_ptr<void> keepRegistered(std::span<std::byte> memory) = 0;
};

/// `device`: its name, or empty for the first one. Throws Error{Device} if there is none, naming those that
/// exist.
std::unique_ptr<RegistrationProbe> openRegistrationProbe(const std::string& device);

}  // namespace verbcast
