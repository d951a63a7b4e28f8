#include <algorithm>
#include <cstring>

#include "core/transport/rdma/ud_group.h"

namespace verbcast::ud {
namespace {

constexpr std::size_t kIpv4At = 20;
constexpr std::size_t kIpv4Bytes = 20;

/// RFC 791: the ones' complement sum over a whole header is all ones.
bool ipv4SumFits(std::span<const std::byte, kIpv4Bytes> header) {
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < kIpv4Bytes; at += 2) {
        sum +=
            std::to_integer<std::uint32_t>(header[at]) << 8 | std::to_integer<std::uint32_t>(header[at + 1]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

/// The source in a header. IPv4's is in the second half; the contents of the first half are then undefined
/// (IBA A17.4.5.2) and may look like IPv6: the checksum decides.
std::optional<std::array<std::byte, 16>> sourceOf(std::span<const std::byte, kHeaderBytes> header) {
    std::array<std::byte, 16> source{};
    const auto ipv4 = header.subspan<kIpv4At, kIpv4Bytes>();
    if (ipv4[0] == std::byte{0x45} && ipv4SumFits(ipv4)) {
        source[10] = source[11] = std::byte{0xff};
        std::ranges::copy(ipv4.subspan<12, 4>(), source.begin() + 12);
        return source;
    }
    if (std::to_integer<unsigned>(header[0]) >> 4 == 6) {
        std::ranges::copy(header.subspan<8, 16>(), source.begin());
        return source;
    }
    return std::nullopt;
}

}  // namespace

std::optional<multicast::GroupDatagram> datagramOf(const Filled& filled) {
    if (!filled.hasHeader || filled.bytes <= kHeaderBytes || filled.bytes > filled.buffer.size()) {
        return std::nullopt;
    }
    const auto source = sourceOf(filled.buffer.first<kHeaderBytes>());
    if (!source) {
        return std::nullopt;
    }
    return multicast::GroupDatagram{filled.buffer.subspan(kHeaderBytes, filled.bytes - kHeaderBytes),
                                    {*source, filled.sourceQueue}};
}

}  // namespace verbcast::ud
