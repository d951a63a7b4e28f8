#include "app/commands/view/layout_choice.h"

#include <fmt/format.h>

#include <utility>

namespace verbcast {

Value<const Layout*> layoutValue(const std::function<bool(const Layout&)>& has) {
    std::vector<std::pair<std::string, const Layout*>> choices;
    for (const Layout& layout : layouts()) {
        if (has(layout)) {
            choices.emplace_back(layout.name, &layout);
        }
    }
    return choiceValue(choices);
}

std::string layoutHelp(std::string beginning, const std::function<bool(const Layout&)>& has) {
    for (const Layout& layout : layouts()) {
        beginning += has(layout) ? fmt::format("\n{}: {}", layout.name, layout.meaning) : "";
    }
    return beginning;
}

Value<std::vector<PanePlace>> panesValue() {
    return {[](const std::string&, const std::string& text) { return parsePanes(text); }, panesText};
}

}  // namespace verbcast
