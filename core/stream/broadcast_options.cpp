#include "core/stream/broadcast_options.h"

#include <fmt/format.h>

#include <utility>

#include "core/flow/slot_count.h"
#include "core/multirail/rail_urls.h"
#include "core/session/messages/placing.h"
#include "core/stream/audience_acceptor.h"
#include "core/stream/audience_dialler.h"
#include "core/transport/registry.h"

namespace verbcast {

/// Null without --multicast.
std::shared_ptr<GroupHub> groupOf(const SenderOptions& options) {
    if (!options.multicast) {
        return nullptr;
    }
    if (!options.listen) {
        throw Error(ErrorKind::Usage, "a multicast group with one viewer that is connected to",
                    "leave out --to: viewers find the sender by the group");
    }
    GroupOptions group;
    group.address = options.multicast->address;
    group.ttl = options.multicast->ttl;
    group.bitRate = options.multicast->bitRate;
    group.lossless = options.policy == Policy::Lossless;
    // A sender that lets in unknown peers would have to tell them the key, too, and anybody could hear it.
    group.tagged = (options.trust.key || options.trust.book) && !options.trust.open;
    group.encrypted = group.tagged && options.trust.encrypt;
    group.name = options.name.empty() ? hostName() : options.name;
    if (options.trust.key) {
        group.key = options.trust.key->key;
    }
    return std::make_shared<GroupHub>(group);
}

std::uint16_t fallbackPortOf(const std::vector<std::string>& addresses) {
    const std::string_view scheme = fallbackTransport().scheme;
    for (const std::string& address : addresses) {
        if (const Url url = parseUrl(address); url.scheme == scheme) {
            return url.port;
        }
    }
    throw Error(
        ErrorKind::Usage,
        fmt::format("a multicast group without a {0} port: viewers ask by {0} for what was lost", scheme),
        fmt::format("leave out the scheme of --listen, or give {}://", scheme));
}

AudienceOptions audienceOptions(const SenderOptions& options, std::shared_ptr<GroupHub> group) {
    AudienceOptions audience;
    audience.policy = options.policy;
    audience.slots = checkedSlots(options.slots);
    audience.maxReceivers = options.maxReceivers;
    audience.allowInput = options.allowInput;
    audience.sync = options.sync;
    audience.stallTimeout = options.stallTimeout;
    audience.patience = options.patience;
    audience.link = {options.peerTimeout, options.poll};
    audience.joined = options.audience;
    audience.group = std::move(group);
    return audience;
}

AudienceOptions previewOptions(const SenderOptions& options, ArmedEvent& joined) {
    AudienceOptions preview;
    preview.slots = kPreviewSlots + 1;  // and the one that is being captured
    preview.heldLimit = 1;              // beside the two that wait
    preview.maxReceivers = 1;
    preview.link.peerTimeout = options.peerTimeout;
    preview.joined = &joined;
    return preview;
}

HandshakeOptions greetingOf(const SenderOptions& options) {
    return {.role = Role::Sender,
            .name = options.name,
            .slots = options.slots,
            .features = kCutsRegions | kPlacesParts | (options.listen ? kTakesRails : 0) |
                        (options.allowInput ? kTakesInput : 0) | featuresOf(options.sync) |
                        (options.multicast ? kByGroup : 0),
            .trust = options.trust};
}

std::unique_ptr<Admission> admissionTo(Audience& audience, const SenderOptions& options) {
    std::vector<Url> urls{options.url};
    urls.insert(urls.end(), options.spares.begin(), options.spares.end());
    if (!options.listen) {
        return std::make_unique<AudienceDialler>(AudienceDiallerOptions{.urls = std::move(urls),
                                                                        .findsRails = options.findsRails,
                                                                        .mode = options.rails,
                                                                        .handshake = greetingOf(options),
                                                                        .reconnect = options.reconnect},
                                                 audience);
    }
    if (urls.size() > 1) {
        checkRails(urls, true);
    }
    return std::make_unique<AudienceAcceptor>(options.url, greetingOf(options), audience);
}

}  // namespace verbcast
