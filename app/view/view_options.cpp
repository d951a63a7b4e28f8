#include "app/view/view_options.h"

#include "app/cli/stream_options.h"
#include "app/view/tile/tile_stream.h"
#include "core/stream/shared_session.h"

namespace verbcast {

ReceiverOptions receiverOptions(const ViewOptions& options, const StreamPeer& peer) {
    ReceiverOptions receiver = receiverOptions(options.receiver, peer);
    receiver.endWithStream = options.headless;
    receiver.copiesToDevice = options.memory == PictureMemory::Device;
    if (options.tile) {
        receiver.region = options.tile->wish();
    }
    if (options.wantsSound()) {
        receiver.further = {TrackWish{.content = TrackContent::Nothing},
                            TrackWish{.content = TrackContent::Sound}};
    }
    return receiver;
}

StreamAcceptorOptions acceptorOptions(const ViewOptions& options) {
    const ReceiverOptions receiver = receiverOptions(options, options.peers.front());
    StreamAcceptorOptions acceptor;
    acceptor.stream = receiver;
    acceptor.maxStreams = options.streams;
    static_cast<SessionAddress&>(acceptor) = receiver;
    return acceptor;
}

std::string openingText(const ViewOptions& options, const StreamPeer& peer) {
    const bool ofSeveral = options.tile && options.tile->sources.size() > 1;
    return ofSeveral ? std::string() : connectingText(receiverOptions(options, peer));
}

std::unique_ptr<ViewedSource> openStream(const ViewOptions& options, const StreamPeer& peer,
                                         FrameLockListener* frameLock) {
    if (!options.tile || options.tile->sources.size() < 2) {
        ReceiverOptions receiver = receiverOptions(options, peer);
        receiver.frameLock = frameLock;
        if (!peer.session) {
            return std::make_unique<SenderStream>(receiver);
        }
        TrackWish& right =
            receiver.further.empty() ? receiver.further.emplace_back() : receiver.further.front();
        right = receiver;
        return std::make_unique<SenderStream>(peer.session->open(receiver), peer.track);
    }
    std::vector<ReceiverOptions> sources;
    for (const StreamPeer& source : options.tile->sources) {
        sources.push_back(receiverOptions(options, source));
    }
    if (const auto conductor = options.tile->conductor()) {
        sources.at(*conductor).frameLock = frameLock;
    }
    return std::make_unique<TileStream>(*options.tile, std::move(sources), options.receiver.slots);
}

}  // namespace verbcast
