#include "app/reference/command_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "app/commands/command_tree.h"
#include "capture/pattern/pattern_names.h"
#include "core/transport/registry.h"
#include "core/video/video_format.h"
#include "render/scenes/scene_names.h"

namespace verbcast {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separators) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        if (end > begin) {
            words.push_back(text.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return words;
}

/// The literal values in a value's name: both of "latest|lossless", the last two of "N|source|max".
std::vector<std::string> wordsIn(const std::string& valueName) {
    std::vector<std::string> words;
    for (const std::string& each : split(valueName, "|{},")) {
        if (std::all_of(each.begin(), each.end(),
                        [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; })) {
            words.push_back(each);
        }
    }
    return words;
}

/// Values that come from our tables.
std::vector<std::string> knownWords(const std::string& name) {
    std::vector<std::string> words;
    if (name == "--format") {
        return split(pixelFormatNames(), ", ");
    }
    if (name == "--transport") {
        return split(transportNames(), ", ");
    }
    if (name == "--grant") {
        return {"view", "send", "input"};
    }
    if (name == "--scene") {
        for (const SceneName& scene : kSceneNames) {
            words.emplace_back(scene.name);
        }
    }
    if (name == "SOURCE" || name == "--source") {
        for (const PatternName& pattern : kPatternNames) {
            words.push_back(fmt::format("pattern:{}", pattern.name));
        }
        if (name == "SOURCE") {
            words.insert(words.end(), {"v4l2", "screen"});
        }
    }
    return words;
}

std::string defaultOf(const CLI::Option& option) {
    const std::string text = option.get_default_str();
    return text == "\"\"" || text == "[]" ? "" : text;
}

OptionReference reference(const CLI::Option& option) {
    OptionReference result;
    for (const std::string& name : option.get_snames()) {
        result.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        result.names.push_back("--" + name);
    }
    result.required = option.get_required();
    result.help = option.get_description();
    result.defaultValue = defaultOf(option);
    if (option.get_items_expected_max() == 0) {
        return result;
    }
    // "N:UINT in [1 - 1000]", "TEXT:{auto,direct,pbo}": CLI11's validators append themselves to the type
    // name.
    const std::string type = option.get_type_name();
    const std::size_t check = type.find(":{");
    const std::size_t range = type.find(":UINT in ");
    const bool bracketed = type.starts_with('[');
    result.valueOptional = option.get_items_expected_min() == 0;
    result.value.words = wordsIn(check == std::string::npos ? type : type.substr(check + 1));
    result.value.name = bracketed ? type.substr(1, type.size() - 2) : type.substr(0, std::min(check, range));
    if (check != std::string::npos) {
        result.value.name = fmt::format("{}", fmt::join(result.value.words, "|"));
    } else if (option.get_positional() && result.names.empty() && result.value.name == "TEXT") {
        result.value.name = option.get_name(true);
    }
    const auto known = knownWords(result.names.empty() ? result.value.name : result.names.back());
    result.value.words.insert(result.value.words.end(), known.begin(), known.end());
    result.value.isFile = result.value.name.find("FILE") != std::string::npos ||
                          result.value.name.find(".json") != std::string::npos ||
                          result.value.name.starts_with("SOURCE") ||
                          result.names == std::vector<std::string>{"--source"};
    return result;
}

CommandReference reference(const CLI::App& app, std::vector<std::string> words) {
    CommandReference result;
    words.push_back(app.get_name());
    result.words = std::move(words);
    result.summary = app.get_description();
    result.remarks = app.get_footer();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) {
            continue;  // not listed in --help either
        }
        const OptionReference each = reference(*option);
        if (!each.names.empty()) {
            result.options.push_back(each);
        }
        if (option->get_positional()) {  // may have a name too
            result.arguments.push_back(each);
            result.arguments.back().names.clear();
        }
    }
    for (const CLI::App* command : listedCommands(app)) {
        result.commands.push_back(reference(*command, result.words));
    }
    return result;
}

}  // namespace

std::string CommandReference::joined(const char* separator) const {
    return fmt::format("{}", fmt::join(words, separator));
}

CommandReference commandReference(const CLI::App& app) {
    return reference(app, {});
}

std::vector<const CommandReference*> allOf(const CommandReference& command) {
    std::vector<const CommandReference*> list{&command};
    for (const CommandReference& each : command.commands) {
        const auto below = allOf(each);
        list.insert(list.end(), below.begin(), below.end());
    }
    return list;
}

}  // namespace verbcast
