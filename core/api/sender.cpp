// Senders of the C interface, on Broadcast: all but frames and sound.
#include "core/api/sender.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <utility>

#include "core/api/input.h"
#include "core/api/sending.h"
#include "core/api/sized_struct.h"
#include "core/api/statistics.h"
#include "core/api/trust_terms.h"
#include "core/base/os/signals_blocked.h"
#include "core/stats/stats_json.h"
#include "core/transport/url.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_sender_options>{"vc_sender_options",
                                                                offsetof(vc_sender_options, policy)};
template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_viewer>{"vc_viewer", offsetof(vc_viewer, frames_sent)};

namespace verbcast {

SenderObject::SenderObject(const SenderOptions& given)
    : options(given),
      broadcast(given),
      addresses(fmt::format("{}", fmt::join(broadcast.listenAddresses(), ","))) {}

}  // namespace verbcast

namespace {

SenderOptions senderOptionsFrom(const vc_sender_options* from) {
    const auto given = readSized(from);
    SenderOptions options;
    if (given.url != nullptr) {
        options.url = parseUrl(given.url);
    }
    options.listen = given.connect == 0;
    require(given.policy == VC_LATEST || given.policy == VC_LOSSLESS,
            "vc_sender_options.policy: VC_LATEST or VC_LOSSLESS expected");
    options.policy = given.policy == VC_LOSSLESS ? Policy::Lossless : Policy::Latest;
    options.slots = given.slots != 0 ? given.slots : options.slots;
    options.poll = given.poll != 0;
    options.allowInput = given.allow_input != 0;
    options.hasSound = given.sound != 0;
    options.name = given.name != nullptr ? given.name : "";
    options.trust = trustFrom({given.key_file, given.encrypt != 0, given.open != 0}, options);
    return options;
}

vc_viewer viewerFrom(const ReceiverStats& stats) {
    const ViewerStats& viewer = stats.viewer;
    Lent lend;
    vc_viewer told = VC_INIT(vc_viewer);
    told.id = stats.id;
    told.name = lend(viewer.name);
    told.address = lend(stats.channel.peer);
    told.transport = lend(stats.channel.transport);
    told.key_name = lend(stats.trust.keyName);
    told.protection = protectionFrom(stats.trust.protection);
    told.frames_sent = viewer.framesSent;
    told.frames_dropped = viewer.framesDropped;
    told.frames_lost = viewer.framesLost;
    told.bytes = viewer.bytes;
    told.frames_shown = viewer.framesShown;
    told.frames_skipped = viewer.framesSkipped;
    told.latency_p50 = median(viewer.latency);
    told.latency_p99 = nearlyWorst(viewer.latency);
    return told;
}

vc_status takeInput(SenderObject& s, vc_input* event, int timeout) {
    require(s.options.allowInput, "vc_sender_take_input: the sender was opened without allow_input");
    checkInput(event);
    const Turn turn(s.takingInput, "vc_sender_take_input");
    if (s.inputNext == s.input.size()) {
        s.input.clear();
        s.inputNext = 0;
        const auto taken = [&s] {
            s.broadcast.takeInput(s.input);
            return !s.input.empty();
        };
        const Status status =
            waitFor(s.broadcast.inputAvailable(), taken, Deadline::in(timeoutFrom(timeout)), &s.interrupt);
        if (status != Status::Ok) {
            return statusFrom(status);
        }
    }
    fillInput(event, std::move(s.input[s.inputNext++]));
    return VC_OK;
}

}  // namespace

extern "C" {

vc_sender* vc_sender_open(const vc_sender_options* options) {
    return guarded<vc_sender*>(nullptr, [&] {
        require(options != nullptr, "vc_sender_open: options expected, NULL given");
        const SignalsBlocked blocked;
        auto sender = std::make_shared<SenderObject>(senderOptionsFrom(options));
        return handleFrom<vc_sender>(HandleTable::ours().add(std::move(sender)));
    });
}

void vc_sender_close(vc_sender* sender) {
    static_cast<void>(guarded(VC_ERROR, [&] {
        if (const auto s = HandleTable::ours().take<SenderObject>(numberOf(sender))) {
            s->closed = true;
            s->interrupt.notify();
        }
        return VC_OK;
    }));
}

vc_status vc_sender_interrupt(vc_sender* sender, int on) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_interrupt");
        if (on != 0) {
            s->interrupt.notify();
        } else {
            s->interrupt.clear();
            if (s->closed) {  // meanwhile, by another thread
                s->interrupt.notify();
            }
        }
        return VC_OK;
    });
}

const char* vc_sender_addresses(vc_sender* sender) {
    return guarded("", [&] { return Lent()(senderOf(sender, "vc_sender_addresses")->addresses); });
}

vc_status vc_sender_wait(vc_sender* sender, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_wait");
        const Turn turn(s->waiting, "vc_sender_wait");
        return statusFrom(s->broadcast.waitForReceiver(timeoutFrom(timeout_ms), s->interrupt));
    });
}

vc_status vc_sender_finish(vc_sender* sender, const char* reason, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_finish");
        const Turn turn(s->waiting, "vc_sender_finish");
        return statusFrom(s->broadcast.finish(reason != nullptr ? reason : "end of stream",
                                              timeoutFrom(timeout_ms), s->interrupt));
    });
}

uint32_t vc_sender_viewers(vc_sender* sender) {
    return guarded<uint32_t>(0, [&] {
        return static_cast<uint32_t>(senderOf(sender, "vc_sender_viewers")->broadcast.receiverCount());
    });
}

vc_status vc_sender_viewer(vc_sender* sender, uint32_t index, vc_viewer* viewer) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_viewer");
        require(viewer != nullptr, "vc_sender_viewer: a viewer expected, NULL given");
        checkedSize(viewer);
        const std::vector<ReceiverStats> all = s->broadcast.receivers();
        fillSized(viewer, index < all.size() ? viewerFrom(all[index]) : VC_INIT(vc_viewer));
        return index < all.size() ? VC_OK : VC_CLOSED;
    });
}

vc_status vc_sender_take_input(vc_sender* sender, vc_input* event, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_take_input");
        require(event != nullptr, "vc_sender_take_input: an event expected, NULL given");
        return takeInput(*s, event, timeout_ms);
    });
}

vc_status vc_sender_stats(vc_sender* sender, vc_stats* stats) {
    return guarded(VC_ERROR, [&] {
        const auto s = senderOf(sender, "vc_sender_stats");
        require(stats != nullptr, "vc_sender_stats: statistics expected, NULL given");
        fillStats(stats, s->broadcast.stats());
        return VC_OK;
    });
}

const char* vc_sender_stats_json(vc_sender* sender) {
    return guarded<const char*>(nullptr, [&] {
        const auto s = senderOf(sender, "vc_sender_stats_json");
        return Lent()(statsJson(StreamEnd::Sender, s->broadcast.stats(), ""));
    });
}

}  // extern "C"
