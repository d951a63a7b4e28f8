#include "app/window/settings/command_composer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "app/cli/peer_options.h"
#include "app/cli/shell_words.h"
#include "app/cli/trust/trust_choice.h"
#include "app/commands/command_line.h"
#include "app/view/layout.h"
#include "app/window/settings/page_settings.h"

namespace verbcast {
namespace {

/// Settings may come from somebody else's file: a value never becomes an option of its own.
void add(Words& words, const char* option, const std::string& value) {
    if (value.starts_with('-')) {
        words.push_back(fmt::format("{}={}", option, value));
    } else if (!value.empty()) {
        words.emplace_back(option);
        words.push_back(value);
    }
}

void add(Words& words, const char* flag, bool wanted) {
    if (wanted) {
        words.emplace_back(flag);
    }
}

/// "http" of "http://host/film"; empty for a path.
std::string_view schemeOf(std::string_view file) {
    const std::size_t end = file.find("://");
    const auto isPart = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
    };
    const bool names = end != std::string_view::npos && std::isalpha(static_cast<unsigned char>(file[0])) &&
                       std::ranges::all_of(file.substr(0, end), isPart);
    return names ? file.substr(0, end) : "";
}

/// Returns a path or URL that cannot be mistaken for something else, such as an option or another kind of
/// source. (The namespace is written out because lupdate loses it in functions that return std::.)
std::string filePath(const std::string& path) {
    if (path.empty()) {
        throw MissingSetting(verbcast::MissingSetting::tr("no file chosen"),
                             verbcast::MissingSetting::tr("type its path, or press Browse"));
    }
    const bool rooted = path.starts_with('/') || path.starts_with("./") || path.starts_with("../");
    return rooted || !schemeOf(path).empty() ? path : "./" + path;
}

/// Those of `text`, separated by white space. Throws Error{Usage} if one is no address.
Words addresses(const std::string& text) {
    std::istringstream stream(text);
    Words words(std::istream_iterator<std::string>(stream), {});
    std::ranges::for_each(words, [](const std::string& word) { static_cast<void>(parsePeer(word)); });
    return words;
}

void addTrust(Words& words, const TrustSettings& trust, bool listen) {
    const bool plainName = !trust.keyFile.empty() && trust.keyFile.find('/') == std::string::npos;
    add(words, "--key-file", plainName ? "./" + trust.keyFile : trust.keyFile);
    add(words, "--encrypt", trust.encrypt);
    add(words, "--open", opensToAnybody(trust, listen));
    if (listen && trust.grants == 0) {
        throw MissingSetting(MissingSetting::tr("peers that are admitted may do nothing"),
                             MissingSetting::tr("choose at least one of view, send and input"));
    }
    add(words, "--grant", listen && trust.grants != kMayAll ? grantsText(trust.grants) : "");
}

std::string withPart(const char* source, const std::string& part) {
    return part.empty() ? source : fmt::format("{}:{}", source, part);
}

Words beginning(const SendSettings& settings) {
    switch (settings.source) {
        case SourceKind::Pattern:
            return {"send", withPart("pattern", settings.pattern)};
        case SourceKind::File:
            return {"send", filePath(settings.file)};
        case SourceKind::Screen:
            return {"send", withPart("screen", settings.screen)};
        case SourceKind::Camera:
            return {"send", withPart("v4l2", settings.camera)};
        case SourceKind::Scene: {
            Words words{"render"};
            add(words, "--scene", settings.scene);
            return words;
        }
        case SourceKind::Program:
            return {"run"};
    }
    throw Error(ErrorKind::Internal, "unknown kind of source");
}

/// Takes each setting of a page, and adds those that are options of the source to `words`.
auto optionsTo(Words& words, SourceKind source) {
    return [&words, source]<typename Field>(const PageSetting& setting, const Field& field) {
        if constexpr (std::is_same_v<Field, std::string> || std::is_same_v<Field, bool>) {
            if (*setting.option != '\0' && isFor(setting.sources, source)) {
                add(words, setting.option, field);
            }
        }
    };
}

void addPeer(Words& words, const SendSettings& settings) {
    if (settings.listen) {
        add(words, "--listen", settings.listenAddress);
    } else if (settings.peer.empty()) {
        throw MissingSetting(MissingSetting::tr("no address to connect to"),
                             MissingSetting::tr("for example wall:7423, or shm://wall"));
    } else {
        add(words, "--to", settings.peer);
    }
    addTrust(words, settings.trust, settings.listen);
}

void addProgram(Words& words, const SendSettings& settings) {
    const Words program = shellWords(settings.program);
    if (program.empty()) {
        throw MissingSetting(MissingSetting::tr("no program given"),
                             MissingSetting::tr("for example glxgears"));
    }
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
}

}  // namespace

std::string needsConsent(const SendSettings& settings) {
    const std::string_view scheme =
        settings.source == SourceKind::File ? schemeOf(settings.file) : std::string_view();
    return settings.source == SourceKind::Program ? settings.program
           : !scheme.empty() && scheme != "file"  ? settings.file
                                                  : "";
}

bool opensToAnybody(const TrustSettings& trust, bool listen) {
    return listen && trust.open && trust.keyFile.empty();
}

Words sendCommand(const SendSettings& settings, const std::optional<Watch>& watch) {
    Words words = beginning(settings);
    visitSend(settings, optionsTo(words, settings.source));
    addPeer(words, settings);
    if (watch) {
        add(words, "--stats-fd", std::to_string(watch->statsDescriptor));
        add(words, "--preview", watch->preview);
        add(words, "--control", settings.source == SourceKind::File);
    }
    if (settings.source == SourceKind::Program) {
        addProgram(words, settings);
    }
    return words;
}

Words previewCommand(const SendSettings& settings, const std::string& address) {
    SendSettings shown = settings;
    shown.loop = true;
    shown.policy = "latest";
    shown.audio = "none";
    shown.allowInput = false;
    Words words = beginning(shown);
    visitSend(shown, optionsTo(words, shown.source));
    add(words, "--listen", address);
    return words;
}

Words viewCommand(const ViewSettings& settings) {
    Words words{"view"};
    if (settings.listen) {
        words.emplace_back("--listen");
    }
    const Words peers = addresses(settings.address);
    words.insert(words.end(), peers.begin(), peers.end());
    add(words, "--streams", settings.listen ? settings.streams : "");
    visitView(settings, optionsTo(words, SourceKind::Pattern));
    add(words, "--panes", settings.layout == "free" ? settings.panes : "");
    add(words, "--delay", settings.align.empty() ? "" : settings.delay);
    addTrust(words, settings.trust, settings.listen);
    return words;
}

Words composeCommand(const ViewSettings& settings, std::size_t focus, PictureSize size) {
    Words words{"compose", "--layout", settings.layout};
    add(words, "--size", sizeValue().text(size));
    add(words, "--focus", std::to_string(focus));
    add(words, "--panes", settings.layout == "free" ? settings.panes : "");
    add(words, "--align", settings.align);
    add(words, "--delay", settings.align.empty() ? "" : settings.delay);
    add(words, "--listen", std::string(":0"));
    add(words, "--control", true);
    TrustSettings trust = settings.trust;
    trust.open = false;
    addTrust(words, trust, true);
    const Words peers = addresses(settings.address);
    words.insert(words.end(), peers.begin(), peers.end());
    return words;
}

std::string shellLine(const Words& words) {
    Words whole{"verbcast"};
    whole.insert(whole.end(), words.begin(), words.end());
    return shellQuotedFromHome(whole);
}

void checkCommand(const Words& words) {
    std::vector<const char*> arguments{"verbcast"};
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    static_cast<void>(
        parseCommandLine(static_cast<int>(arguments.size()), arguments.data(), [] { return std::string(); }));
}

}  // namespace verbcast
