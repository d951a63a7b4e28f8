#include "app/reference/documents.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <string_view>

#include "app/cli/options/glossary.h"
#include "app/reference/markdown.h"
#include "app/reference/meanings.h"
#include "app/reference/sections.h"

namespace verbcast {
namespace {

constexpr Meaning kExitCodes[] = {
    {"0", "done"},
    {"1", "internal error"},
    {"2", "usage: the command line is wrong"},
    {"3", "input: no such file, or neither video nor sound in it"},
    {"4", "network, or the peer was lost (`--once`) or did not come (`--wait`)"},
    {"5", "memory or disk space, a limit on them, or results that standard output does not take"},
    {"6", "the peer refused, or broke the protocol"},
    {"7", "device"},
    {"8", "display"},
    {"9",
     "finished, but parts of the source were damaged or frames of a lossless stream were lost; pipes: the "
     "bytes that arrived differ from those sent"},
    {"130", "interrupted; a second Ctrl-C, at least half a second later, ends the program at once"},
    {"141", "the reader of the output has exited"},
};

constexpr const char* kEnvironment = R"(
## Environment

| variable | means |
|---|---|
| `VERBCAST_KEY` | a key: the contents of the file that `--key-file` names |
| `VERBCAST_TIMEOUT` | the default of `--timeout` |
| `VERBCAST_GPU` | the default of `--gpu` |
| `VERBCAST_LOG`, `VERBCAST_LOG_TIMES` | [what is logged](troubleshooting.md#messages-and-logs), and whether with times |
| `VERBCAST_DRM_LEGACY` | `1`: `view --drm` flips pages without atomic commits |
| `NO_COLOR` | the doctor prints without colours |
| `CUDA_VISIBLE_DEVICES` | hides GPUs from CUDA, but not from EGL |
)";

/// Those that help lists, with their meanings.
std::string exitCodes() {
    Meanings meanings("exit codes", kExitCodes);
    std::string text = "\n## Exit codes\n\n| code | means |\n|---|---|\n";
    std::istringstream codes(kExitCodeHelp);
    for (std::string word; codes >> word;) {
        if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
            text += fmt::format("| {} | {} |\n", word, meanings.of(word));
        }
    }
    meanings.requireAllUsed();
    return text + "\n" +
           markdownLines(
               "Commands with codes of their own name them above. Messages that standard error does not take "
               "are dropped. A signal that is ignored when a program starts stays ignored, so `nohup "
               "verbcast send ... &` outlives its terminal. A limit on the size of files (`ulimit -f`) also "
               "applies to shared memory.") +
           "\n";
}

std::string glossary() {
    std::string text = "\n## Glossary\n\n";
    struct Word {
        const char *word, *help, *more;
    };
    const Word words[] = {
        {"dropped", kDroppedHelp,
         " So is one of a stream with `--policy latest` that was lost with its connection or in "
         "its [group](multicast.md)."},
        {"lost", kLostHelp, " So is one that a camera failed to deliver."},
        {"skipped", kSkippedHelp, ""},
        {"paused", kPausedHelp, ""},
        {"corrupt",
         "A frame is corrupt if it is damaged: decoded with errors, marked by the device, or "
         "not as announced.",
         ""},
        {"refused", "An encrypted frame is refused if it was changed on its way.", ""}};
    for (const auto& [word, help, more] : words) {
        text += "- " + markdownLines(fmt::format("**{}**: {}{}", word, help, more), 2) + "\n";
    }
    return text;
}

std::string contents(const Command& verbcast) {
    std::string commands;
    for (const Command* command : verbcast.listed()) {
        commands +=
            fmt::format("{}[{}](#{})", commands.empty() ? "" : ", ", command->name(), anchorOf(*command));
    }
    return "- " +
           markdownLines(
               fmt::format("[Commands](#commands): [options of several](#options-of-several-commands), {}",
                           commands),
               2) +
           "\n- [Statistics](#statistics); what pipes, the doctor and the benchmark write: "
           "[reports](reports.md)\n"
           "- [Exit codes](#exit-codes)\n"
           "- [Environment](#environment)\n"
           "- [Glossary](#glossary)\n";
}

}  // namespace

std::string referencePage(const Command& verbcast) {
    return "<!-- Written by verbcast-reference (app/reference). Change it there, and copy it from the build. "
           "-->\n"
           "# Reference\n\n" +
           contents(verbcast) + "\n## Commands\n\n" +
           markdownLines(
               std::string("Addresses: ") + kAddressHelp +
               " More in [streams](streams.md#addresses). Options follow a question mark: "
               "`verbs://host?device=mlx5_0&port=1&gid=3`. For verbs there are also `immediate=off`, "
               "`windows=off` and `timeout=MS`, 10 to 60000: how long the device retransmits before it "
               "reports a dead link. For ofi there are `provider=NAME`, `domain=NAME` and "
               "`immediate=on|off`.") +
           "\n" + optionsSection(verbcast) +
           "\n## Statistics\n\n"
           "What `--stats-json FILE` writes for streams, whole or not at all (`-`: to standard output).\n" +
           statisticsSection() + exitCodes() + kEnvironment + glossary();
}

}  // namespace verbcast
