#include "app/commands/pipe/run/hop_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "app/commands/pipe/pipe_report.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

std::size_t longestName(const std::vector<Hop>& hops) {
    std::size_t longest = 0;
    for (const Hop& hop : hops) {
        longest = std::max(longest, hop.name().size());
    }
    return longest;
}

}  // namespace

HopLines::HopLines() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void HopLines::clear() {
    if (lines_ > 0) {
        printToStderr("\033[{}A\r\033[J", lines_);  // cursor up, then erase everything below
        lines_ = 0;
    }
}

std::string HopLines::lineOf(const Hop& hop, std::size_t index) {
    if (!hop.status.flowing) {
        return "nothing yet";
    }
    return fmt::format("{:<5} {}", hop.status.transport, progressText(hop.status, shown_.at(index)));
}

void HopLines::show(const std::vector<Hop>& hops) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (terminal_ ? 250ms : 5000ms)) {
        return;
    }
    last_ = now;
    shown_.resize(hops.size());
    clear();
    const std::size_t width = longestName(hops);
    for (std::size_t i = 0; i < hops.size(); ++i) {
        printToStderr("{:<{}}  {}\n", hops[i].name(), width, lineOf(hops[i], i));
    }
    lines_ = terminal_ ? hops.size() : 0;
}

void HopLines::finish(const std::vector<Hop>& hops) {
    clear();
    const std::size_t width = longestName(hops);
    for (const Hop& hop : hops) {
        if (hop.status.flowing) {
            printToStderr("{:<{}}  {:<5} {}\n", hop.name(), width, hop.status.transport,
                          summaryText(hop.status));
        }
    }
}

}  // namespace verbcast
