#include "app/view/streams/view_outcome.h"

#include "core/base/error.h"

namespace verbcast {

ViewOutcome outcomeOf(const std::exception_ptr& failure) {
    ErrorKind kind = ErrorKind::Internal;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        kind = error.kind();
    } catch (const std::exception&) {
    }
    return {std::string(errorKindName(kind)), static_cast<int>(kind)};
}

ViewOutcome outcomeOf(const std::optional<ReceiverStatus>& status) {
    return status && status->state == StreamState::Lost
               ? ViewOutcome{"lost", static_cast<int>(ErrorKind::Network)}
               : ViewOutcome{"end of stream"};
}

int codeOfFrames(const StreamStats& stats) {
    return stats.framesCorrupt > 0 || stats.framesLost > 0 ? static_cast<int>(ErrorKind::Corrupt) : 0;
}

void writeViewStats(const ViewOptions& options, const std::vector<NamedStats>& streams,
                    const std::string& reason, const std::optional<AlignmentStats>& alignment) {
    const bool one = streams.size() == 1 && !options.takesCallers();
    writeStatsJson(options.statsJson, [&] {
        return one ? statsJson(StreamEnd::Receiver, streams.front().stats, reason, options.numa)
                   : statsJson(StreamEnd::Receiver, streams, reason, alignment, options.numa);
    });
}

}  // namespace verbcast
