#include "capture/run/run_settings.h"

#include <nlohmann/json.hpp>

#include "core/session/trust/pairing.h"

namespace verbcast {
namespace {

/// JSON null for none.
nlohmann::json nanoseconds(const std::optional<std::chrono::nanoseconds>& duration) {
    return duration ? nlohmann::json(duration->count()) : nlohmann::json();
}

std::optional<std::chrono::nanoseconds> durationAt(const nlohmann::json& json, const char* key) {
    const nlohmann::json& value = json.at(key);
    return value.is_null() ? std::nullopt
                           : std::optional(std::chrono::nanoseconds(value.get<std::int64_t>()));
}

nlohmann::json toJson(const MulticastOptions& multicast) {
    const multicast::GroupAddress& address = multicast.address;
    return {{"group", address.text()},
            {"interface", address.interface},
            {"via", static_cast<int>(address.via)},
            {"ttl", multicast.ttl},
            {"bit_rate", multicast.bitRate}};
}

MulticastOptions multicastFrom(const nlohmann::json& json) {
    MulticastOptions multicast;
    multicast.address = multicast::parseGroup(json.at("group").get<std::string>());
    multicast.address.interface = json.at("interface").get<std::string>();
    multicast.address.via = static_cast<multicast::Via>(json.at("via").get<int>());
    multicast.ttl = json.at("ttl").get<int>();
    multicast.bitRate = json.at("bit_rate").get<std::uint64_t>();
    return multicast;
}

}  // namespace

std::string toJson(const RunSettings& settings) {
    const SenderOptions& sender = settings.sender;
    nlohmann::json json{{"url", sender.url.text()},
                        {"listen", sender.listen},
                        {"lossless", sender.policy == Policy::Lossless},
                        {"slots", sender.slots},
                        {"viewers", sender.maxReceivers},
                        {"poll", sender.poll},
                        {"sync", static_cast<int>(sender.sync)},
                        {"fps", {settings.fps.numerator, settings.fps.denominator}},
                        {"changes", static_cast<int>(settings.changes)},
                        {"input", sender.allowInput},
                        {"encrypt", sender.trust.encrypt},
                        {"open", sender.trust.open},
                        {"grants", sender.trust.grants},
                        {"pairs", sender.trust.book != nullptr},
                        {"devices", {settings.devices.pointer, settings.devices.keyboard}},
                        {"timeout_ms", sender.peerTimeout.count()},
                        {"once", !sender.reconnect},
                        {"frames", settings.limits.frames.value_or(0)},
                        {"duration", nanoseconds(settings.limits.duration)},
                        {"patience", nanoseconds(settings.limits.patience)},
                        {"gpu", settings.inGpuMemory},
                        {"numa", settings.numaNode.value_or(-1)},
                        {"md5", settings.frameMd5},
                        {"quiet", settings.quiet},
                        {"verbose", settings.verbose},
                        {"runner", settings.runner},
                        {"figures", settings.figures},
                        {"reports", settings.reports}};
    if (sender.trust.key) {
        // Only the owner can see the environment, as with VERBCAST_KEY.
        json["key"] = {sender.trust.key->name, sender.trust.key->key.text()};
    }
    for (const Url& spare : sender.spares) {
        json["spares"].push_back(spare.text());
    }
    json["stripe"] = sender.rails == RailMode::Stripe;
    json["finds_rails"] = sender.findsRails;
    json["name"] = sender.name;
    if (sender.multicast) {
        json["multicast"] = toJson(*sender.multicast);
    }
    if (sender.preview) {
        json["preview"] = sender.preview->text();
    }
    if (settings.width && settings.height) {
        json["size"] = {*settings.width, *settings.height};
    }
    return json.dump();
}

RunSettings runSettingsFromJson(const std::string& text) {
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        RunSettings settings;
        settings.sender.url = parseUrl(json.at("url").get<std::string>());
        settings.sender.listen = json.at("listen").get<bool>();
        for (const nlohmann::json& spare : json.value("spares", nlohmann::json::array())) {
            settings.sender.spares.push_back(parseUrl(spare.get<std::string>()));
        }
        settings.sender.rails = json.at("stripe").get<bool>() ? RailMode::Stripe : RailMode::Double;
        settings.sender.findsRails = json.at("finds_rails").get<bool>();
        settings.sender.name = json.at("name").get<std::string>();
        if (json.contains("multicast")) {
            settings.sender.multicast = multicastFrom(json["multicast"]);
        }
        settings.sender.policy = json.at("lossless").get<bool>() ? Policy::Lossless : Policy::Latest;
        settings.sender.slots = json.at("slots").get<std::uint32_t>();
        settings.sender.maxReceivers = json.at("viewers").get<std::uint32_t>();
        settings.sender.poll = json.at("poll").get<bool>();
        settings.sender.sync = static_cast<SyncMode>(json.at("sync").get<int>());
        settings.fps = {json.at("fps").at(0).get<std::int32_t>(), json.at("fps").at(1).get<std::int32_t>()};
        settings.changes = static_cast<ChangesFrom>(json.at("changes").get<int>());
        settings.sender.allowInput = json.at("input").get<bool>();
        settings.sender.trust.encrypt = json.at("encrypt").get<bool>();
        settings.sender.trust.open = json.at("open").get<bool>();
        settings.sender.trust.grants = json.at("grants").get<Grants>();
        if (json.at("pairs").get<bool>()) {
            settings.sender.trust.book = std::make_shared<PairingBook>(
                PairedHosts(PairedHosts::defaultPath()), settings.sender.trust.grants, logInvitation);
        }
        settings.devices = {json.at("devices").at(0).get<std::uint16_t>(),
                            json.at("devices").at(1).get<std::uint16_t>()};
        settings.sender.peerTimeout = std::chrono::milliseconds(json.at("timeout_ms").get<std::int64_t>());
        settings.sender.reconnect = !json.at("once").get<bool>();
        if (const auto frames = json.at("frames").get<std::uint64_t>(); frames > 0) {
            settings.limits.frames = frames;
        }
        settings.limits.duration = durationAt(json, "duration");
        settings.limits.patience = durationAt(json, "patience");
        settings.inGpuMemory = json.at("gpu").get<bool>();
        if (const int node = json.at("numa").get<int>(); node >= 0) {
            settings.numaNode = node;
        }
        settings.frameMd5 = json.at("md5").get<std::string>();
        settings.quiet = json.at("quiet").get<bool>();
        settings.verbose = json.at("verbose").get<bool>();
        settings.runner = json.at("runner").get<std::string>();
        settings.figures = json.at("figures").get<bool>();
        settings.reports = json.at("reports").get<bool>();
        if (json.contains("key")) {
            settings.sender.trust.key = NamedKey{json["key"].at(0).get<std::string>(),
                                                 SessionKey::fromText(json["key"].at(1).get<std::string>())};
        }
        if (json.contains("preview")) {
            settings.sender.preview = parseUrl(json["preview"].get<std::string>());
        }
        if (json.contains("size")) {
            settings.width = json["size"].at(0).get<std::uint32_t>();
            settings.height = json["size"].at(1).get<std::uint32_t>();
        }
        return settings;
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::Usage,
                    std::string(kRunSettingsVariable) + " is not what verbcast run writes: " + error.what());
    }
}

}  // namespace verbcast
