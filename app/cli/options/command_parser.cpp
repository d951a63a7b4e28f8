#include "app/cli/options/command_parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

using Takes = BoundOption::Takes;

void addTo(CLI::App& app, BoundOption& bound) {
    const Option& option = bound.option;
    if (bound.takes == Takes::Nothing) {
        app.add_flag_callback(option.names, [&bound] {
            bound.set(bound.option.name(), {});
            bound.given = true;
        });
        return;
    }
    CLI::Option* const added = app.add_option(option.names, [&bound](const CLI::results_t& values) {
        bound.set(bound.option.name(), values);
        bound.given = true;
        return true;
    });
    added->type_name(option.valueName())->required(option.required);
    if (option.valueOptional()) {
        added->expected(0, 1);
    } else if (bound.takes == Takes::Repeated) {
        added->type_size(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else if (bound.takes == Takes::Several) {
        added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    }
    if (bound.delimiter != '\0') {
        added->delimiter(bound.delimiter);
    }
}

void build(CLI::App& app, Command& command) {
    app.set_help_flag();  // the caller looks for it
    for (BoundOption& bound : command.options) {
        addTo(app, bound);
    }
    for (const auto& each : command.commands()) {
        build(*app.add_subcommand(each->name()), *each);
    }
    app.require_subcommand(command.needsCommand ? 1 : 0, 1);
}

void markChosen(const CLI::App& app, Command& command) {
    command.chosen = app.parsed() > 0 || command.parent() == nullptr;
    for (const auto& each : command.commands()) {
        markChosen(*app.get_subcommand(each->name()), *each);
    }
}

/// Options that were not given have their variable's value.
void readVariables(Command& command) {
    for (BoundOption& bound : command.options) {
        const char* const variable = bound.option.variable;
        const char* const value = *variable != '\0' && !bound.given ? std::getenv(variable) : nullptr;
        if (value != nullptr && *value != '\0') {
            bound.set(variable, {value});
        }
    }
    for (const auto& each : command.commands()) {
        if (each->chosen) {
            readVariables(*each);
        }
    }
}

std::vector<std::string> namesOf(const std::vector<const Command*>& commands) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const Command* command : commands) {
        names.push_back(command->name());
    }
    return names;
}

/// A suggestion for the first unknown option: "did you mean --format?".
std::string guessOption(const Command& command, const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const BoundOption& bound : command.options) {
        const std::vector<std::string> flags = bound.option.flags();
        names.insert(names.end(), flags.begin(), flags.end());
    }
    for (const std::string& each : words) {
        const std::string word = each.substr(0, each.find('='));
        if (word.starts_with("--") && std::ranges::find(names, word) == names.end()) {
            return didYouMean(word, names);
        }
    }
    return "";
}

[[noreturn]] void refuse(const Command& root, const std::vector<std::string>& words, const char* why) {
    const Command& command = commandOf(root, words);
    if (&command == &root && !words.empty() && !words.front().starts_with('-')) {
        refuseCommand(root, words.front());
    }
    for (const std::string& word : words) {
        const auto former = std::ranges::find(command.formerly, word.substr(0, word.find('=')),
                                              &std::pair<std::string, std::string>::first);
        if (former != command.formerly.end()) {
            throw Error(ErrorKind::Usage, fmt::format("{} is now {}", former->first, former->second),
                        fmt::format("see {} --help all", command.path()));
        }
    }
    const std::string guess = guessOption(command, words);
    throw Error(ErrorKind::Usage, why,
                fmt::format("{}{}see {} --help", guess, guess.empty() ? "" : " or ", command.path()));
}

}  // namespace

void refuseCommand(const Command& command, const std::string& name) {
    for (const auto& [former, instead] : command.gone) {
        if (name == former) {
            throw Error(ErrorKind::Usage, name + " is gone", instead);
        }
    }
    const std::vector<std::string> names = namesOf(command.listed());
    const std::string guess = didYouMean(name, names);
    throw Error(
        ErrorKind::Usage, fmt::format("there is no command \"{}\"", name),
        guess.empty() ? fmt::format("commands are: {}; see verbcast --help", fmt::join(names, ", ")) : guess);
}

const Command& commandOf(const Command& command, const std::vector<std::string>& words) {
    if (!words.empty()) {
        for (const auto& each : command.commands()) {
            if (each->name() == words.front()) {
                return commandOf(*each, {words.begin() + 1, words.end()});
            }
        }
    }
    return command;
}

void parseWords(Command& command, const std::vector<std::string>& words) {
    CLI::App app(command.summary(), command.name());
    build(app, command);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // it takes the last one first
    } catch (const CLI::ParseError& error) {
        refuse(command, words, error.what());
    }
    markChosen(app, command);
    readVariables(command);
}

}  // namespace verbcast
