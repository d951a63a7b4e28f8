#include "app/window/settings/session_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "app/cli/trust/trust_choice.h"
#include "app/window/settings/page_settings.h"
#include "core/base/error.h"
#include "core/base/os/whole_file.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kVersionKey = "verbcast_session";
constexpr std::array<std::string_view, 6> kSourceNames{"pattern", "file",  "screen",
                                                       "camera",  "scene", "program"};

/// True for text in the form of a key made by verbcast.
bool looksLikeAKey(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

class Writer {
  public:
    explicit Writer(Json& object) : object_(object) {}
    void operator()(const PageSetting& setting, const std::string& value) { object_[setting.key] = value; }
    void operator()(const PageSetting& setting, bool value) { object_[setting.key] = value; }
    void operator()(const PageSetting& setting, Grants value) { object_[setting.key] = grantsText(value); }
    void operator()(const PageSetting& setting, SourceKind value) {
        object_[setting.key] = kSourceNames.at(static_cast<std::size_t>(value));
    }

  private:
    Json& object_;
};

/// Formats a value for an error message. Objects and arrays may be nested as deep as the file is long, so
/// they are only named.
std::string shown(const Json& json) {
    return json.is_structured() ? std::string("an ") + json.type_name() : json.dump();
}

/// Reads known keys of an object and rejects the others.
class Reader {
  public:
    Reader(const Json& json, std::string file, std::string path)
        : json_(json), file_(std::move(file)), path_(std::move(path)) {
        if (!json.is_object()) {
            refuse(path_, fmt::format("an object expected, not {}", shown(json)));
        }
    }

    void operator()(const PageSetting& setting, std::string& value) {
        take(setting.key, value, &Json::is_string, "a text in quotes");
    }
    void operator()(const PageSetting& setting, bool& value) {
        take(setting.key, value, &Json::is_boolean, "true or false");
    }
    void operator()(const PageSetting& setting, SourceKind& value) {
        if (const Json* found = find(setting.key)) {
            const auto name = std::find(kSourceNames.begin(), kSourceNames.end(), *found);
            require(name != kSourceNames.end(), setting.key,
                    "pattern, file, screen, camera, scene or program", *found);
            value = static_cast<SourceKind>(name - kSourceNames.begin());
        }
    }
    void operator()(const PageSetting& setting, Grants& value) {
        std::string text = grantsText(value);
        (*this)(setting, text);
        try {
            value = text.empty() ? Grants{0} : parseGrants(text);
        } catch (const Error&) {
            refuse(path_ + setting.key,
                   fmt::format("view, send, input or some of them expected, not \"{}\"", text));
        }
    }
    void number(const char* key, int& value) { take(key, value, &Json::is_number_integer, "a whole number"); }

    const Json* find(const std::string& key) {
        known_.push_back(key);
        const auto found = json_.find(key);
        return found == json_.end() ? nullptr : &*found;
    }

    /// Session files are passed around: a key in one would be exposed.
    void requirePath(const char* key, const std::string& value) const {
        if (looksLikeAKey(value)) {
            refuse(path_ + key, "the path of a file expected, not the key itself");
        }
    }

    void finish() const {
        for (const auto& item : json_.items()) {
            if (std::find(known_.begin(), known_.end(), item.key()) == known_.end()) {
                refuse(path_ + item.key(), "there is no such setting");
            }
        }
    }

    [[noreturn]] void refuse(const std::string& where, const std::string& what) const {
        throw Error(ErrorKind::Input,
                    fmt::format("{}: {}: {}", file_, where.empty() ? "the file" : where, what),
                    "fix it in an editor, or save the session again from the window");
    }

  private:
    template <typename Value>
    void take(const char* key, Value& value, bool (Json::*isOne)() const noexcept, const char* expected) {
        if (const Json* found = find(key)) {
            require((found->*isOne)(), key, expected, *found);
            value = found->get<Value>();
        }
    }

    void require(bool good, const char* key, const char* expected, const Json& found) const {
        if (!good) {
            refuse(path_ + key, fmt::format("{} expected, not {}", expected, shown(found)));
        }
    }

    const Json& json_;
    std::string file_, path_;
    std::vector<std::string> known_;
};

[[noreturn]] void throwNotJson(const std::string& where) {
    throw Error(ErrorKind::Input, where + ": this is not JSON",
                "fix it in an editor, or save the session again from the window");
}

Json parse(const std::string& text, const std::string& name) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        throwNotJson(fmt::format("{}, line {}", name, line));
    } catch (const Json::exception&) {
        throwNotJson(name);  // a number out of range
    }
}

}  // namespace

std::string sessionText(const Session& session) {
    Json json;
    json[kVersionKey] = kVersion;
    visitSend(session.send, Writer(json["send"]));
    visitView(session.view, Writer(json["view"]));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Session sessionFromText(const std::string& text, const std::string& name) {
    const Json json = parse(text, name);
    Session session;
    Reader whole(json, name, "");
    int version = 0;
    whole.number(kVersionKey, version);
    if (version != kVersion) {
        whole.refuse(kVersionKey, version == 0
                                      ? "this is not a Verbcast session"
                                      : fmt::format("version {} expected, not {}", kVersion, version));
    }
    if (const Json* send = whole.find("send")) {
        Reader reader(*send, name, "send.");
        visitSend(session.send, reader);
        reader.requirePath("key_file", session.send.trust.keyFile);
        reader.finish();
    }
    if (const Json* view = whole.find("view")) {
        Reader reader(*view, name, "view.");
        visitView(session.view, reader);
        reader.requirePath("key_file", session.view.trust.keyFile);
        reader.finish();
    }
    whole.finish();
    return session;
}

Session readSession(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file.peek() != std::ifstream::traits_type::eof()) {  // nothing to copy would be a failure, too
        text << file.rdbuf();
    }
    if (!file.is_open() || file.bad() || !text) {
        const int code = errno;
        throw Error(ErrorKind::Input, fmt::format("{} cannot be read: {}", path, errnoText(code)),
                    "name a file that was saved with Session, Save");
    }
    return sessionFromText(text.str(), path);
}

void writeSession(const std::string& path, const Session& session) {
    writeWhole(path, sessionText(session));
}

}  // namespace verbcast
