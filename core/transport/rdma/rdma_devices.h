// What `verbcast devices` and the choice of a transport need to know about RDMA hardware; no verbs types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace verbcast
