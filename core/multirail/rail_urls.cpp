#include "core/multirail/rail_urls.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/session/messages/rail_hello.h"

namespace verbcast {

namespace {

void checkRail(const Url& url) {
    if (url.isName()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{}: shared memory cannot be a rail: there is no second path within one host",
                                url.text()),
                    "give it alone, or use tcp, verbs or ofi for each rail");
    }
    if (url.isMulticast()) {
        throw Error(ErrorKind::Usage, fmt::format("{}: a multicast group cannot be a rail", url.text()),
                    "give it alone");
    }
}

void checkConnects(bool listen) {
    if (listen) {
        throw Error(ErrorKind::Usage, "rails are for the side that connects, and this side listens",
                    "give the rails to the side that connects: the other listens on every address");
    }
}

}  // namespace

void checkRailsOf(const Url& url, bool listen) {
    checkConnects(listen);
    checkRail(url);
}

void checkRails(const std::vector<Url>& urls, bool listen) {
    checkConnects(listen);
    if (urls.size() > kMaxRails) {
        throw Error(ErrorKind::Usage, fmt::format("{} rails: at most {} expected", urls.size(), kMaxRails));
    }
    for (auto url = urls.begin(); url != urls.end(); ++url) {
        checkRail(*url);
        if (url->scheme.empty()) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{}: a rail's transport expected before its address", url->text()),
                        fmt::format("for example tcp://{}", url->text()));
        }
        if (std::any_of(urls.begin(), url, [&](const Url& other) { return other.text() == url->text(); })) {
            throw Error(ErrorKind::Usage, fmt::format("{} twice: a rail cannot back up itself", url->text()),
                        "give an address of another network or port for each rail");
        }
    }
}

std::string textOf(const std::vector<Url>& urls) {
    std::string text;
    for (const Url& url : urls) {
        text += (text.empty() ? "" : ", ") + url.text();
    }
    return text;
}

void warnOfOneRail(const Url& url, const std::string& reason) {
    log(LogCategory::Stream).warn("no other path to {}: {}; the stream has one rail", url.text(), reason);
}

}  // namespace verbcast
