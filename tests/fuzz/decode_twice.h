// Decodes peers' messages of arbitrary bytes.
#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/session/messages/messages.h"
#include "tests/fuzz/target.h"

namespace verbcast::fuzz {

/// What was decoded is encoded and decoded again with the same result: decoders accept their own output.
template <typename Message>
void decodeTwice(Bytes bytes) {
    try {
        ByteReader reader(bytes);
        const std::vector<std::byte> once = encodeMessage(decodeMessage<Message>(reader));
        ByteReader again{Bytes(once).subspan(1)};
        require(encodeMessage(decodeMessage<Message>(again)) == once,
                "a message reads otherwise the second time");
    } catch (const Error& error) {
        require(error.kind() == ErrorKind::Peer, "a decoder's error is not the peer's");
    }
}

}  // namespace verbcast::fuzz
