// How an incoming stream comes over several rails at a time.
#include <fmt/format.h>

#include <utility>

#include "core/base/stranger_log.h"
#include "core/base/wait_for.h"
#include "core/stream/receive/incoming_stream.h"

namespace verbcast {

bool IncomingStream::misses(const RailHello& rail) const {
    const std::lock_guard lock(mutex_);
    return connected() && rails_.count == rail.count && rails_.mode == rail.mode &&
           rails_.stream == rail.stream && !railConnected(rail.index);
}

std::string IncomingStream::attachRail(Guest guest, const RailHello& rail) {
    const ConnectionDescription channel = guest.connection.messages->description();
    const std::string name = guest.peer.name.value;
    const std::uint64_t instance = guest.peer.instance;
    const std::lock_guard attaching(attaching_);
    {
        const std::lock_guard lock(mutex_);
        if (connected() && instance != instance_) {
            throw Error(ErrorKind::Peer, fmt::format("rail {} leads to another sender than the first: give "
                                                     "addresses of one host",
                                                     rail.index + 1));
        }
        if (connected() && guest.trust.keyName != railsKey_) {
            throw Error(ErrorKind::Peer,
                        fmt::format("rail {} shows another key than the first", rail.index + 1));
        }
        if (!connected()) {
            railsEnded_ = false;
            instance_ = instance;
        }
        rails_ = rail;
        railsKey_ = guest.trust.keyName;
    }
    const bool back = shared_.merge->joined(rail.index, rail.count, rail.mode, instance, channel);
    const bool spare = connected();
    try {
        attach(std::move(guest), &rail);
    } catch (...) {
        shared_.merge->gone(rail.index, true);
        throw;
    }
    return back && spare ? fmt::format("rail {} of {} is there again: {} ({})", rail.index + 1, rail.count,
                                       name, channel.peer)
                         : "";
}

bool IncomingStream::waitForRailEnd(std::uint8_t rail, Deadline deadline, const Event& cancel) {
    return waitFor(
               detached_[rail], [&] { return !railConnected(rail); }, deadline, &cancel) == Status::Ok;
}

/// Returns true if others go on. Otherwise sets `end` to how the stream has ended.
bool IncomingStream::railEnded(Runner& runner, const RailHello& rail, LinkEnd& end) {
    const bool lost = end.kind == LinkEnd::Kind::Lost || end.kind == LinkEnd::Kind::Broken;
    // A copy: once the runner is concluded, the rail's next connection may hang this one up.
    const ConnectionDescription channel = runner.link().description();
    bool others = false;
    {
        const std::lock_guard lock(mutex_);
        shared_.merge->gone(rail.index, lost && !railsEnded_);
        railsEnded_ |= end.kind == LinkEnd::Kind::Orderly;
        others = (connected_ & ~(1U << rail.index)) != 0;
        if (others) {
            connectionsLost_ += lost ? 1 : 0;
            runner.conclude();
            connected_ &= ~(1U << rail.index);
        } else if (railsEnded_ && lost) {
            end.kind = LinkEnd::Kind::Orderly;  // the others had all frames by then
        }
    }
    if (!others) {
        return false;
    }
    if (lost) {
        warnOfStranger(LogCategory::Stream, "rail gone", runner.link().peer().name.value,
                       "rail {} of {} is gone ({} to {}): {}; the stream continues over the others",
                       rail.index + 1, rail.count, channel.local, channel.peer, end.reason);
    }
    detached_[rail.index].notify();
    shared_.inbox.available().notify();
    return true;
}

/// Call with mutex_ held. Uses one rail at a time, so that no event arrives twice, until it ends: what was
/// held is then released.
std::shared_ptr<IncomingStream::Runner> IncomingStream::inputRunner() {
    auto runner = inputRunner_.lock();
    if (!runner || runner->ended()) {
        runner = primary();
        inputRunner_ = runner;
    }
    return runner;
}

}  // namespace verbcast
