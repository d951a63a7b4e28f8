#include "core/session/retry.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/base/log.h"

namespace verbcast {
namespace {

// A peer on this host answers at once, so the first tries follow each other quickly; later ones are polite.
constexpr std::chrono::milliseconds kFirstPause{25};
constexpr std::chrono::milliseconds kLongestPause{500};
constexpr std::chrono::milliseconds kConnectTimeout{3000};

}  // namespace

Connection connectWithRetry(const Url& url, const TransportOptions& options, const Event& cancel,
                            std::chrono::nanoseconds patience) {
    const TimestampNs startedAt = nowNs();
    std::string lastFailure;
    for (auto pause = kFirstPause; !cancel.isSet(); pause = std::min(pause * 3 / 2, kLongestPause)) {
        try {
            return connectBest(url, options, kConnectTimeout, cancel);
        } catch (const Error& error) {
            const bool mayCome = error.kind() == ErrorKind::Network || error.kind() == ErrorKind::Peer;
            if (!mayCome || nowNs() - startedAt >= patience.count()) {
                throw;
            }
            if (error.what() != lastFailure) {
                lastFailure = error.what();
                log().info("{}; trying again", lastFailure);
            }
        }
        waitReadable({cancel.descriptor()}, pause);
    }
    return {};
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

}  // namespace verbcast
