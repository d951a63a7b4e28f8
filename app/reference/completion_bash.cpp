#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "app/reference/documents.h"

namespace verbcast {
namespace {

/// Finds the words of the command, and the option whose value is being completed. Bash splits words at
/// colons, and at "=" in --option=value.
constexpr const char* kBegin = R"(# bash completion for verbcast; written from the tables of its options.
_verbcast() {
    local cur prev words cword command= i values= files=
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n : cur prev words cword
    else
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=${words[cword]} prev=${words[cword - 1]}
    fi
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${words[cword - 2]}
    fi
    for ((i = 1; i < cword; ++i)); do
        case "$command ${words[i]}" in
            )";

constexpr const char* kEnd = R"(    esac
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    if [ -n "$files" ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
    fi
    if declare -F __ltrim_colon_completions >/dev/null; then
        __ltrim_colon_completions "$cur"
    fi
}
complete -F _verbcast verbcast
)";

std::string offer(const Option& option) {
    std::string text;
    if (!option.words.empty()) {
        text += fmt::format(" values=\"{}\"", fmt::join(option.words, " "));
    }
    if (option.isFile) {
        text += " files=1";
    }
    if (option.valueOptional()) {
        text += fmt::format("{} [[ $cur != -* ]] || values=$options", text.empty() ? "" : ";");
    }
    return text;
}

/// After an option with a value, completes only that value. Groups options that have the same values.
std::string valuesOf(const std::vector<const Command*>& commands) {
    std::map<std::string, std::vector<std::string>> placesByOffer;
    for (const Command* command : commands) {
        for (const BoundOption* bound : command->shownOptions()) {
            if (bound->takes != BoundOption::Takes::Nothing) {
                for (const std::string& name : bound->option.flags()) {
                    placesByOffer[offer(bound->option)].push_back(
                        fmt::format("\"{} {}\"", pathOf(*command), name));
                }
            }
        }
    }
    std::string text;
    for (const auto& [offered, places] : placesByOffer) {
        text += fmt::format("        {}){} ;;\n", fmt::join(places, " | "), offered);
    }
    return text;
}

std::string placesOf(const Command& command) {
    std::vector<std::string> words;
    for (const Command* each : command.listed()) {
        words.push_back(each->name());
    }
    bool files = false;
    for (const BoundOption* bound : command.shownOptions()) {
        if (!bound->option.argument().empty()) {
            words.insert(words.end(), bound->option.words.begin(), bound->option.words.end());
            files = files || bound->option.isFile;
        }
    }
    if (words.empty() && !files) {
        return "";
    }
    return fmt::format("                \"{}\") values=\"{}\"{} ;;\n", pathOf(command), fmt::join(words, " "),
                       files ? " files=1" : "");
}

}  // namespace

std::string bashCompletion(const Command& verbcast) {
    std::vector<std::string> paths;
    std::string options, places, programs;
    const std::vector<const Command*> commands = verbcast.all();
    for (const Command* command : commands) {
        std::vector<std::string> names;
        for (const BoundOption* bound : command->shownOptions()) {
            const std::vector<std::string> flags = bound->option.flags();
            names.insert(names.end(), flags.begin(), flags.end());
        }
        options +=
            fmt::format("        \"{}\") options=\"{}\" ;;\n", pathOf(*command), fmt::join(names, " "));
        places += placesOf(*command);
        if (command != &verbcast) {
            paths.push_back(fmt::format("\"{}\"", pathOf(*command)));
        }
        if (command->takesProgram) {
            programs = fmt::format(
                "            \"{} --\")\n                compopt -o filenames 2>/dev/null\n"
                "                if ((i + 1 == cword)); then mapfile -t COMPREPLY < <(compgen -c -- "
                "\"$cur\"); else mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); fi\n"
                "                return ;;\n",
                pathOf(*command));
        }
    }
    return kBegin + fmt::format("{}) command+=\" ${{words[i]}}\" ;;\n", fmt::join(paths, " | ")) + programs +
           "        esac\n    done\n    local options=\n    case \"$command\" in\n" + options +
           "    esac\n    case \"$command $prev\" in\n" + valuesOf(commands) +
           "        *)\n            if [[ $cur == -* ]]; then\n                values=$options\n            "
           "else\n"
           "                case \"$command\" in\n" +
           places + "                esac\n            fi ;;\n" + kEnd;
}

}  // namespace verbcast
