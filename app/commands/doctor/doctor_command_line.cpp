#include "app/commands/doctor/doctor_command_line.h"

#include <fmt/format.h>

#include <string>

#include "app/cli/peer_options.h"
#include "app/cli/trust/trust_choice.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

Value<SessionAddress> peerValue() {
    return {[](const std::string&, const std::string& text) { return parsePeer(text); },
            [](const SessionAddress& peer) {
                std::string text = peer.url.text();
                for (const Url& spare : peer.spares) {
                    text += "," + spare.text();
                }
                return text;
            }};
}

}  // namespace

DoctorCommandLine::DoctorCommandLine(Command& verbcast)
    : doctor_(verbcast.add("doctor", "Find out what keeps this machine from streaming")) {
    doctor_.remarks.addresses = true;
    doctor_.remarks.exitCodes =
        "0 this machine can stream, 10 it can, with warnings (--strict), 11 it cannot; 2 usage.";
    OptionList& list = doctor_.options;
    list.add(argument("", "URL", "A peer to reach; URL,URL: the rails of one stream"), peer_, peerValue());
    list.add(option("", "--size", "WxH", "Size of the stream to check for"), options_.size, sizeValue());
    list.add(option("", "--format", "NAME", "Its pixel format"), options_.pixelFormat, formatValue());
    list.add(option("", "--fps", "N", "Its rate"), options_.fps, rateValue());
    addJson();
    list.add(flag("", "--strict", "Treat warnings as failures: exit code 10"), options_.strict);
    addKey(list, trust_);
}

void DoctorCommandLine::addJson() {
    doctor_.options.addValue(
        option("", "--json", "[FILE]",
               "Write the report here as JSON (- or without a value: to stdout, instead of text)")
            .file(),
        {},
        [this](const std::string& name, const std::string& text) {
            const bool isFile = text.empty() || text == "-" || text.ends_with(".json") ||
                                (text.find('/') != std::string::npos && text.find(':') == std::string::npos);
            if (!isFile) {
                throw Error(ErrorKind::Usage,
                            fmt::format("{} {}: a file expected, NAME.json or a path", name, text),
                            fmt::format("give the address first: verbcast doctor {} {}", text, name));
            }
            options_.json = text.empty() ? "-" : text;
        },
        [this] { return options_.json; });
}

DoctorOptions DoctorCommandLine::finish() const {
    DoctorOptions options = options_;
    if (peer_) {
        options.peer = peer_->url;
        options.spares = peer_->spares;
        options.trust = trustFor(trust_, false, *options.peer);
    }
    return options;
}

}  // namespace verbcast
