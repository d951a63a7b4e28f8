// Texts: addresses, command lines, session files, wall files, and the lines between the stages of a pipe.
#include <string>

#include "app/cli/shell_words.h"
#include "app/commands/pipe/run/stage_protocol.h"
#include "app/wall/wall_file.h"
#include "app/window/settings/session_file.h"
#include "core/transport/url.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {
namespace {

std::string textOf(Bytes input) {
    return {reinterpret_cast<const char*>(input.data()), input.size()};
}

}  // namespace

FUZZ_TARGET(url) {
    expectErrors([&] {
        const Url url = parseUrl(textOf(input));
        require(parseUrl(url.text()).text() == url.text(), "an address reads otherwise the second time");
    });
}

FUZZ_TARGET(shell_words) {
    const std::string line = textOf(input);
    expectErrors([&] {
        const std::vector<std::string> words = shellWords(line);
        require(shellWords(shellQuoted(words)) == words, "words are others once they are quoted");
    });
    // Any text can be quoted as one word.
    require(shellWords(shellQuoted(line)) == std::vector<std::string>{line}, "a quoted word is another");
}

FUZZ_TARGET(session_file) {
    expectErrors([&] {
        const std::string once = sessionText(sessionFromText(textOf(input), "session"));
        require(sessionText(sessionFromText(once, "session")) == once,
                "a session reads otherwise the second time");
    });
}

FUZZ_TARGET(wall_file) {
    const ParsedWall parsed = parseWall(textOf(input));
    if (parsed.findings.empty()) {
        const ParsedWall again = parseWall(wallText(parsed.wall));
        require(again.findings.empty() && again.wall == parsed.wall,
                "a wall reads otherwise the second time");
    }
}

FUZZ_TARGET(stage_lines) {
    const std::string line = textOf(input);
    expectErrors([&] {
        const std::string once = encodeLine(decodeOrder(line));
        require(encodeLine(decodeOrder(once)) == once, "an order reads otherwise the second time");
    });
    expectErrors([&] {
        const std::string once = encodeLine(decodeReport(line));
        require(encodeLine(decodeReport(once)) == once, "a report reads otherwise the second time");
    });
}

}  // namespace verbcast::fuzz
