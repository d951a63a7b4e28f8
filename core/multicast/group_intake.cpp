#include "core/multicast/group_intake.h"

#include <algorithm>

#include "core/base/log/peer_log.h"

namespace verbcast {

void DatagramKeys::take(const GroupKeyMessage& message, const GroupOffer& offer) {
    if (!offer.tagged || message.keyId == 0) {
        throw peerError("the peer sent an impossible key");
    }
    // There may be one of the same number, for the way that we did not take.
    std::erase_if(keys_, [&](const Key& key) { return key.id == message.keyId; });
    keys_.push_back({message.keyId,
                     std::make_unique<DatagramSeal>(message.key, offer.encrypted, DatagramSeal::Use::Open)});
    if (keys_.size() > 2) {
        keys_.erase(keys_.begin());
    }
}

bool DatagramKeys::opens(const multicast::Chunk& chunk, std::byte* into) {
    const auto key = std::ranges::find(keys_, chunk.head.keyId, &Key::id);
    return key != keys_.end() && key->seal->open(chunk.head.counter, std::as_bytes(std::span(&chunk.head, 1)),
                                                 chunk.payload, chunk.tag, into);
}

bool GroupIntake::opens(const multicast::Chunk& chunk, std::byte* into) {
    if (offer_.tagged && !keys_.opens(chunk, into)) {
        return false;
    }
    ++tally_.stats.datagrams;
    tally_.stats.bytes += chunk.payload.size();
    return true;
}

void GroupIntake::refused(multicast::Refusal why, const std::string& from) {
    ++tally_.stats.refused;
    warnOfPeer(LogCategory::Stream, "group refused", from, "multicast {}: {} sends {}", group_.text(), from,
               why == multicast::Refusal::OtherStream ? otherStream() : "datagrams of another stream");
}

}  // namespace verbcast
