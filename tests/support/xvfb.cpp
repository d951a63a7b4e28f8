#include "tests/support/xvfb.h"

#include <stdexcept>

namespace verbcast::testing {
namespace {

std::vector<std::string> commandOf(const std::string& screen, const std::vector<std::string>& more) {
    std::vector<std::string> words{"Xvfb", "-displayfd", "1",   "-screen", "0",
                                   screen, "-nolisten",  "tcp", "-noreset"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

Xvfb::Xvfb(const std::string& screen, const std::vector<std::string>& more)
    : process_(commandOf(screen, more)), display_(":" + process_.line()) {
    if (display_ == ":") {
        throw std::runtime_error("Xvfb does not start: " + process_.errors());
    }
}

}  // namespace verbcast::testing
