// Receives for a consumer that wants frames in a device's memory.
#include <fmt/format.h>

#include "core/stream/receive/incoming_stream.h"

namespace verbcast {

Status IncomingStream::receiveOnDevice(ReceivedFrame& frame, std::chrono::nanoseconds timeout, bool newest) {
    const Deadline deadline = Deadline::in(timeout);
    DeviceLanding& landing = *shared_.landing;
    for (;;) {
        if (const Status room = landing.awaitRoom(deadline, cancel_); room != Status::Ok) {
            return room;
        }
        const Status status = newest ? takeNewest(frame, deadline.left()) : takeNext(frame, deadline.left());
        if (status != Status::Ok || frame.info.track != kMainTrack) {
            return status;
        }
        try {
            if (landing.land(frame, shared_.paths)) {
                return status;
            }
        } catch (const Error& error) {
            fail(std::current_exception());
            stopLinks(fmt::format("the viewer's device has failed: {}", error.what()));
            frame = {};
            throw;
        }
        shared_.countTakenBack(frame);
        frame = {};
    }
}

void IncomingStream::stopLinks(std::string_view reason) {
    const std::lock_guard lock(mutex_);
    for (const auto& runner : runners_) {
        if (runner) {
            runner->link().stop(reason);
        }
    }
}

}  // namespace verbcast
