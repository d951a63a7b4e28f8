#include "core/stream/doors.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/stream/rails/rail_search.h"
#include "core/stream/rails/rail_urls.h"

namespace verbcast {

std::unique_ptr<Doors> Doors::listening(const Url& url, const HandshakeOptions& handshake,
                                        Audience& audience) {
    std::unique_ptr<Doors> doors(new Doors(audience));
    doors->keepers_.push_back(Doorkeeper::listening(url, handshake, audience));
    return doors;
}

std::unique_ptr<Doors> Doors::connecting(const std::vector<Url>& urls, RailMode mode,
                                         const HandshakeOptions& handshake, Audience& audience,
                                         bool reconnect) {
    if (urls.size() > 1) {
        checkRails(urls, false);
    }
    std::unique_ptr<Doors> doors(new Doors(audience));
    doors->open(urls, mode, handshake, reconnect);
    return doors;
}

std::unique_ptr<Doors> Doors::searching(const Url& url, RailMode mode, const HandshakeOptions& handshake,
                                        Audience& audience, bool reconnect) {
    checkRailsOf(url, false);
    std::unique_ptr<Doors> doors(new Doors(audience));
    doors->search_ = std::jthread([doors = doors.get(), url, mode, handshake, reconnect] {
        try {
            const auto found = findRails(url, handshake, doors->cancel_);
            if (!found) {
                return;
            }
            if (found->urls.size() > 1) {
                log(LogCategory::Stream).info("rails to {}: {}", url.text(), textOf(found->urls));
            } else {
                warnOfOneRail(url, found->reason);
            }
            doors->open(found->urls, mode, handshake, reconnect);
        } catch (...) {
            const std::lock_guard lock(doors->mutex_);
            doors->failure_ = std::current_exception();
        }
        doors->audience_.shared().progress.notify();
    });
    return doors;
}

Doors::~Doors() {
    cancel_.notify();
}

void Doors::open(const std::vector<Url>& urls, RailMode mode, HandshakeOptions handshake, bool reconnect) {
    RailHello rail{.stream = newRailStream(), .count = static_cast<std::uint8_t>(urls.size()), .mode = mode};
    const std::lock_guard lock(mutex_);
    for (const Url& url : urls) {
        if (closed_) {
            return;
        }
        if (urls.size() > 1) {
            handshake.rail = rail;
        }
        keepers_.push_back(Doorkeeper::connecting(url, handshake, audience_, reconnect));
        ++rail.index;
    }
}

std::vector<std::string> Doors::addresses() const {
    const std::lock_guard lock(mutex_);
    return keepers_.empty() ? std::vector<std::string>{} : keepers_.front()->addresses();
}

void Doors::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    std::ranges::for_each(keepers_, [](const auto& keeper) { keeper->close(); });
}

void Doors::rethrowFailures() const {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    std::ranges::for_each(keepers_, [](const auto& keeper) { keeper->rethrowFailure(); });
    const bool allTroubled = !keepers_.empty() && std::ranges::all_of(keepers_, [](const auto& keeper) {
        return keeper->trouble() != nullptr;
    });
    if (allTroubled) {
        std::rethrow_exception(keepers_.front()->trouble());
    }
}

}  // namespace verbcast
