#include "app/preload/run_settings.h"

#include <nlohmann/json.hpp>

#include "core/session/trust/pairing.h"

namespace verbcast {
namespace {

/// Visits what is written as it is.
void plainFields(auto& address, auto visit) {
    visit("listen", address.listen);
    visit("finds_rails", address.findsRails);
    visit("reconnect", address.reconnect);
    visit("encrypt", address.trust.encrypt);
    visit("open", address.trust.open);
    visit("grants", address.trust.grants);
}

nlohmann::json addressJson(const SessionAddress& address) {
    nlohmann::json json{{"url", address.url.text()},
                        {"stripe", address.rails == RailMode::Stripe},
                        {"pairs", address.trust.book != nullptr},
                        {"spares", nlohmann::json::array()}};
    plainFields(address, [&](const char* key, const auto& value) { json[key] = value; });
    for (const Url& spare : address.spares) {
        json["spares"].push_back(spare.text());
    }
    if (const auto& key = address.trust.key) {
        json["key"] = {key->name, key->key.text()};
    }
    return json;
}

void readAddress(const nlohmann::json& json, SessionAddress& address) {
    address.url = parseUrl(json.at("url").get<std::string>());
    address.rails = json.at("stripe").get<bool>() ? RailMode::Stripe : RailMode::Double;
    plainFields(address,
                [&]<typename Value>(const char* key, Value& value) { value = json.at(key).get<Value>(); });
    for (const nlohmann::json& spare : json.at("spares")) {
        address.spares.push_back(parseUrl(spare.get<std::string>()));
    }
    if (json.contains("key")) {
        address.trust.key = NamedKey{json["key"].at(0).get<std::string>(),
                                     SessionKey::fromText(json["key"].at(1).get<std::string>())};
    }
    if (json.at("pairs").get<bool>()) {
        address.trust.book = std::make_shared<PairingBook>(PairedHosts(PairedHosts::defaultPath()),
                                                           address.trust.grants, logInvitation);
    }
}

}  // namespace

std::string toJson(const RunSettings& settings) {
    RunOptions options = settings.options;
    OptionList defaults;
    RunOptions plain;
    addRunOptions(defaults, plain);
    nlohmann::json given = nlohmann::json::object();
    OptionList list;
    addRunOptions(list, options);
    for (const BoundOption& bound : list) {
        const std::string name = bound.option.name();
        if (const std::string text = bound.text(); text != defaults.find(name)->text()) {
            given[name] = text;
        }
    }
    return nlohmann::json{{"options", given},
                          {"address", addressJson(options.sender)},
                          {"devices", {settings.devices.pointer, settings.devices.keyboard}},
                          {"numa", settings.numaNode.value_or(-1)},
                          {"runner", settings.runner},
                          {"sound", options.sender.hasSound},
                          {"stats", settings.stats},
                          {"reports", settings.reports}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunSettings runSettingsFromJson(const std::string& text) {
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        RunSettings settings;
        OptionList list;
        addRunOptions(list, settings.options);
        for (const auto& [name, value] : json.at("options").items()) {
            const BoundOption* const bound = list.find(name);
            if (bound == nullptr) {
                throw Error(ErrorKind::Usage,
                            std::string(kRunSettingsVariable) + " has an option that run has not: " + name);
            }
            bound->set(name, {value.get<std::string>()});
        }
        SenderOptions& sender = settings.options.sender;
        readAddress(json.at("address"), sender);
        sender.policy = settings.options.policy.value_or(Policy::Latest);
        sender.hasSound = json.at("sound").get<bool>();
        sender.policies[kSoundTrack] = Policy::Latest;  // it is live
        settings.devices = {json.at("devices").at(0).get<std::uint16_t>(),
                            json.at("devices").at(1).get<std::uint16_t>()};
        if (const int node = json.at("numa").get<int>(); node >= 0) {
            settings.numaNode = node;
        }
        settings.runner = json.at("runner").get<std::string>();
        settings.stats = json.at("stats").get<bool>();
        settings.reports = json.at("reports").get<bool>();
        return settings;
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::Usage,
                    std::string(kRunSettingsVariable) + " is not what verbcast run writes: " + error.what());
    }
}

}  // namespace verbcast
