// Receivers of the C interface, on FrameReceiver: what takes no frames.
#include "core/api/receiver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "core/api/input.h"
#include "core/api/receiver_options.h"
#include "core/api/receiving.h"
#include "core/api/sized_struct.h"
#include "core/api/statistics.h"
#include "core/base/os/signals_blocked.h"
#include "core/stats/stats_json.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_connection>{"vc_connection", offsetof(vc_connection, text)};
template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_event>{"vc_event", offsetof(vc_event, track)};

namespace verbcast {

ReceiverObject::ReceiverObject(const ReceiverOptions& given)
    : options(given),
      stream(std::make_shared<FrameReceiver>(given)),
      addresses(fmt::format("{}", fmt::join(stream->listenAddresses(), ","))) {}

bool ReceiverObject::wants(std::uint32_t track, TrackContent content) const {
    if (track == kMainTrack) {
        return options.content == content;
    }
    return track <= options.further.size() && options.further[track - 1].content == content;
}

}  // namespace verbcast

namespace {

vc_state stateFrom(StreamState state) {
    static_assert(static_cast<int>(VC_FAILED) == static_cast<int>(StreamState::Failed));
    return static_cast<vc_state>(state);
}

vc_connection connectionOf(const ReceiverObject& r) {
    const ReceiverStatus status = r.stream->status();
    Lent lend;
    vc_connection told = VC_INIT(vc_connection);
    told.state = stateFrom(status.state);
    told.text = lend(status.text);
    told.reason = lend(status.senderReason);
    told.peer_name = lend(status.peerName);
    told.peer_address = lend(status.channel.peer);
    told.transport = lend(status.channel.transport);
    told.transport_reason = lend(status.transportReason);
    told.key_name = lend(status.trust.keyName);
    told.protection = protectionFrom(status.trust.protection);
    told.over = r.stream->over() ? 1 : 0;
    told.input_allowed = r.stream->inputAllowed() ? 1 : 0;
    told.has_sound = r.stream->hasSound() ? 1 : 0;
    return told;
}

/// Of the lowest track that has a new format, if any has.
std::optional<vc_event> formatEvent(ReceiverObject& r) {
    const std::uint32_t tracks = r.newFormats;
    if (tracks == 0) {
        return std::nullopt;
    }
    vc_event event = VC_INIT(vc_event);
    event.track = static_cast<std::uint32_t>(std::countr_zero(tracks));
    event.kind = event.track == kSoundTrack ? VC_EVENT_SOUND_FORMAT : VC_EVENT_FORMAT;
    r.newFormats &= ~(1U << event.track);
    return event;
}

/// `over`: the stream is, though that may not have been noted yet.
std::optional<vc_event> stateEvent(ReceiverObject& r, bool over) {
    const std::uint64_t changes = r.stream->changes().count();
    if (changes == r.seenChanges && !over) {
        return std::nullopt;
    }
    r.seenChanges = changes;
    const ReceiverStatus status = r.stream->status();
    ToldState now{status.state, status.text, status.senderReason};
    if (r.told == now) {
        return std::nullopt;
    }
    r.told = std::move(now);
    vc_event event = VC_INIT(vc_event);
    event.kind = VC_EVENT_STATE;
    event.state = stateFrom(r.told->state);
    return event;
}

vc_status nextEvent(ReceiverObject& r, vc_event* event, int timeout) {
    checkedSize(event);
    const Turn turn(r.takingEvent, "vc_receiver_next_event");
    std::optional<vc_event> found;
    bool over = false, interrupted = false;
    const auto done = [&] {
        over = r.stream->over();  // first: what it ended with is told before
        found = stateEvent(r, over);
        if (!found) {
            found = formatEvent(r);
        }
        interrupted = r.stream->interrupted();
        return found || over || interrupted;
    };
    ArmedEvent& changed = r.stream->changes().event();
    Status status = waitFor(changed, done, Deadline::in(timeoutFrom(timeout)));
    if (status == Status::TimedOut && r.polls) {
        changed.arm();
        status = done() ? Status::Ok : status;
    }
    vc_event told = VC_INIT(vc_event);
    if (found) {
        Lent lend;
        told = *found;
        told.text = lend(r.told ? r.told->text : "");
        told.reason = lend(r.told ? r.told->reason : "");
        told.state = r.told ? stateFrom(r.told->state) : VC_WAITING;
    }
    fillSized(event, told);
    return found ? VC_OK : status == Status::TimedOut ? VC_TIMEOUT : over ? VC_CLOSED : VC_INTERRUPTED;
}

/// Returns a descriptor of the caller's.
int pollDescriptor(ReceiverObject& r) {
    constexpr const char* kWhat = "the descriptor of a vc_receiver";
    const std::lock_guard lock(r.pollMutex);
    if (!r.polled) {
        EpollSet set(kWhat);
        for (TrackId track = 0; track < kMaxTracks; ++track) {
            if (r.wants(track, TrackContent::Frames) || r.wants(track, TrackContent::Sound)) {
                set.add(r.stream->descriptor(track));
            }
        }
        set.add(r.stream->changes().event().descriptor());
        r.polled.emplace(std::move(set));
        r.polls = true;
        r.stream->leaveServing();
    }
    const int copy = ::fcntl(r.polled->descriptor(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        throwErrno(ErrorKind::Resource, "fcntl(F_DUPFD_CLOEXEC)", kWhat, errno, kRaiseFileLimit);
    }
    return copy;
}

}  // namespace

extern "C" {

vc_receiver* vc_receiver_open(const vc_receiver_options* options) {
    return guarded<vc_receiver*>(nullptr, [&] {
        require(options != nullptr, "vc_receiver_open: options expected, NULL given");
        const SignalsBlocked blocked;
        auto receiver = std::make_shared<ReceiverObject>(receiverOptionsFrom(options));
        return handleFrom<vc_receiver>(HandleTable::ours().add(std::move(receiver)));
    });
}

void vc_receiver_close(vc_receiver* receiver) {
    static_cast<void>(guarded(VC_ERROR, [&] {
        if (const auto r = HandleTable::ours().take<ReceiverObject>(numberOf(receiver))) {
            r->stream->interrupt(true);
            r->stream->cancel();
        }
        return VC_OK;
    }));
}

vc_status vc_receiver_interrupt(vc_receiver* receiver, int on) {
    return guarded(VC_ERROR, [&] {
        receiverOf(receiver, "vc_receiver_interrupt")->stream->interrupt(on != 0);
        return VC_OK;
    });
}

int vc_receiver_descriptor(vc_receiver* receiver) {
    return guarded(-1, [&] { return pollDescriptor(*receiverOf(receiver, "vc_receiver_descriptor")); });
}

const char* vc_receiver_addresses(vc_receiver* receiver) {
    return guarded("", [&] { return Lent()(receiverOf(receiver, "vc_receiver_addresses")->addresses); });
}

vc_status vc_receiver_connection(vc_receiver* receiver, vc_connection* connection) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_connection");
        require(connection != nullptr, "vc_receiver_connection: a connection expected, NULL given");
        checkedSize(connection);
        fillSized(connection, connectionOf(*r));
        return VC_OK;
    });
}

vc_status vc_receiver_next_event(vc_receiver* receiver, vc_event* event, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_next_event");
        require(event != nullptr, "vc_receiver_next_event: an event expected, NULL given");
        return nextEvent(*r, event, timeout_ms);
    });
}

vc_status vc_receiver_send_input(vc_receiver* receiver, const vc_input* event, uint64_t* serial) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_send_input");
        require(event != nullptr, "vc_receiver_send_input: an event expected, NULL given");
        const std::uint64_t number = r->stream->sendInput(inputEventFrom(event));
        if (serial != nullptr) {
            *serial = number;
        }
        return number != 0 ? VC_OK : VC_BUSY;
    });
}

vc_status vc_receiver_stats(vc_receiver* receiver, uint32_t track, vc_stats* stats) {
    return guarded(VC_ERROR, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_stats");
        require(stats != nullptr, "vc_receiver_stats: statistics expected, NULL given");
        if (!r->wants(track, TrackContent::Frames) && !r->wants(track, TrackContent::Sound)) {
            refuse(fmt::format("vc_receiver_stats: track {} is not wanted", track));
        }
        fillStats(stats, r->stream->stats(static_cast<TrackId>(track)));
        return VC_OK;
    });
}

const char* vc_receiver_stats_json(vc_receiver* receiver) {
    return guarded<const char*>(nullptr, [&] {
        const auto r = receiverOf(receiver, "vc_receiver_stats_json");
        return Lent()(statsJson(StreamEnd::Receiver, r->stream->stats(), ""));
    });
}

}  // extern "C"
