#include "core/transport/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

/// An example of each form: "verbs://host:port, tcp://host:port, shm://name or host:port".
std::string expectedForms() {
    std::string forms;
    for (const Transport& transport : transports()) {
        forms += fmt::format("{}://{}, ", transport.scheme, transport.namesPeers ? "name" : "host:port");
    }
    return forms + "or host:port";
}

[[noreturn]] void fail(std::string_view text, const std::string& why) {
    throw Error(ErrorKind::Usage, fmt::format("address \"{}\": {}", text, why),
                fmt::format("write {}, for example tcp://192.168.1.2:7423", expectedForms()));
}

std::string parseScheme(std::string_view text, std::string_view name) {
    if (name == "auto") {
        return "";
    }
    if (name == "rdma") {
        name = "verbs";
    }
    if (name == kMulticastScheme) {
        return std::string(name);  // not a transport: the group names the sender, and a transport leads to it
    }
    if (findTransport(name) == nullptr) {
        fail(text, fmt::format("the scheme \"{}\" is unknown; {} or auto expected", name, transportNames()));
    }
    return std::string(name);
}

std::uint16_t parsePort(std::string_view text, std::string_view digits) {
    unsigned value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size() || value > 65535) {
        fail(text, fmt::format("\"{}\" is not a port; a number from 0 to 65535 expected", digits));
    }
    return static_cast<std::uint16_t>(value);
}

void parseOptions(std::string_view text, std::string_view options, Url& url) {
    while (!options.empty()) {
        const auto end = options.find('&');
        const std::string_view item = options.substr(0, end);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            fail(text, fmt::format("the option \"{}\" is not of the form name=value", item));
        }
        url.options[std::string(item.substr(0, equals))] = item.substr(equals + 1);
        options = end == std::string_view::npos ? std::string_view{} : options.substr(end + 1);
    }
}

void parseHostPort(std::string_view text, std::string_view rest, Url& url) {
    if (rest.starts_with('[')) {
        const auto close = rest.find(']');
        if (close == std::string_view::npos) {
            fail(text, "the bracket of the IPv6 address is not closed");
        }
        url.host = rest.substr(1, close - 1);
        rest = rest.substr(close + 1);
        if (rest.empty()) {
            return;
        }
        if (!rest.starts_with(':')) {
            fail(text, fmt::format("\":port\" expected after the bracket, not \"{}\"", rest));
        }
        url.port = parsePort(text, rest.substr(1));
        return;
    }
    if (rest.starts_with('-')) {
        fail(text, "a host does not begin with \"-\", as options do");
    }
    const auto colon = rest.rfind(':');
    if (colon != std::string_view::npos && rest.find(':') != colon) {
        url.host = rest;  // more than one colon: an IPv6 address without a port
        return;
    }
    url.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) {
        url.port = parsePort(text, rest.substr(colon + 1));
    }
}

void parseName(std::string_view text, std::string_view rest, Url& url) {
    // An abstract socket name holds at most 107 bytes; ours has a prefix.
    const bool fits = !rest.empty() && rest.size() <= 80;
    const bool clean = std::all_of(rest.begin(), rest.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == ':';
    });
    if (!fits || !clean) {
        fail(text, fmt::format("\"{}\" is not a name; 1 to 80 letters, digits, '-', '_', '.' or ':' expected",
                               rest));
    }
    url.name = rest;
}

}  // namespace

Url parseUrl(std::string_view text) {
    Url url;
    std::string_view rest = text;
    if (rest.empty()) {
        fail(text, "it is empty");
    }
    if (std::any_of(text.begin(), text.end(),
                    [](unsigned char c) { return std::isspace(c) || std::iscntrl(c); })) {
        fail(text, "white space does not belong here");
    }
    if (text.find(',') != std::string_view::npos) {
        fail(text, "a comma joins the addresses of rails, and this place takes one address");
    }
    if (const auto separator = rest.find("://"); separator != std::string_view::npos) {
        url.scheme = parseScheme(text, rest.substr(0, separator));
        rest = rest.substr(separator + 3);
    }
    if (const auto question = rest.find('?'); question != std::string_view::npos) {
        parseOptions(text, rest.substr(question + 1), url);
        rest = rest.substr(0, question);
    }
    if (const Transport* transport = findTransport(url.scheme); transport && transport->namesPeers) {
        parseName(text, rest, url);
        return url;
    }
    if (const auto percent = rest.find('%'); url.isMulticast() && percent != std::string_view::npos) {
        const std::string_view interface = rest.substr(percent + 1);
        if (interface.find('&') != std::string_view::npos) {
            fail(text, fmt::format("\"{}\" is not an interface", interface));
        }
        url.options["interface"] = interface;
        rest = rest.substr(0, percent);
    }
    if (rest.find('/') != std::string_view::npos) {
        fail(text, "a path does not belong here");
    }
    parseHostPort(text, rest, url);
    return url;
}

std::string Url::text() const {
    std::string text = scheme.empty() ? "" : fmt::format("{}://", scheme);
    if (isName()) {
        return text + name;
    }
    text += host.find(':') != std::string::npos ? fmt::format("[{}]", host) : host;
    text += fmt::format(":{}", port);
    char separator = '?';
    for (const auto& [key, value] : options) {
        text += fmt::format("{}{}={}", separator, key, value);
        separator = '&';
    }
    return text;
}

}  // namespace verbcast
