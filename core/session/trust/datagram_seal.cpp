#include "core/session/trust/datagram_seal.h"

#include "core/session/trust/session_key.h"

namespace verbcast {

DatagramKey randomDatagramKey() {
    DatagramKey key;
    fillRandom(key);
    return key;
}

DatagramSeal::DatagramSeal(const DatagramKey& key, bool encrypts, Use use) : encrypts_(encrypts) {
    gcm_.setKey(key, use);
}

void DatagramSeal::start(std::uint64_t counter, std::span<const std::byte> head,
                         std::span<const std::byte> payload, std::byte* into) {
    gcm_.begin(counter, 0);
    gcm_.cover(head);
    gcm_.pass(payload, encrypts_ ? into : nullptr);
}

void DatagramSeal::seal(std::uint64_t counter, std::span<const std::byte> head,
                        std::span<const std::byte> payload, std::byte* into, std::byte* tag) {
    start(counter, head, payload, into);
    gcm_.finish(tag);
}

bool DatagramSeal::open(std::uint64_t counter, std::span<const std::byte> head,
                        std::span<const std::byte> payload, std::span<const std::byte> tag, std::byte* into) {
    if (tag.size() != AesGcm::kTagBytes) {
        return false;
    }
    start(counter, head, payload, into);
    return gcm_.matches(tag.data());
}

}  // namespace verbcast
