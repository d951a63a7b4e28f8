#include "render/kms/display_mode.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kNearEnough = 500;  // millihertz: 60 also means 59.94
constexpr std::size_t kModesListed = 12;

std::string hertzText(std::uint32_t milliHertz) {
    return fmt::format("{:.4g}", milliHertz / 1000.0);
}

bool better(const DisplayMode& one, const DisplayMode& other) {
    const auto rank = [](const DisplayMode& mode) {
        return std::tuple(mode.preferred, !mode.interlaced, std::uint64_t{mode.width} * mode.height,
                          mode.milliHertz);
    };
    return rank(one) > rank(other);
}

std::uint32_t distance(const DisplayMode& mode, std::uint32_t milliHertz) {
    return mode.milliHertz > milliHertz ? mode.milliHertz - milliHertz : milliHertz - mode.milliHertz;
}

bool fits(const DisplayMode& mode, const ModeWish& wish) {
    return mode.width == wish.width && mode.height == wish.height &&
           (!wish.milliHertz || distance(mode, *wish.milliHertz) <= kNearEnough);
}

bool fitsBetter(const DisplayMode& one, const DisplayMode& other, const ModeWish& wish) {
    if (wish.milliHertz && one.interlaced == other.interlaced &&
        distance(one, *wish.milliHertz) != distance(other, *wish.milliHertz)) {
        return distance(one, *wish.milliHertz) < distance(other, *wish.milliHertz);
    }
    return better(one, other);
}

std::string modesText(const std::vector<DisplayMode>& modes) {
    std::vector<std::string> texts;
    for (const DisplayMode& mode : modes) {
        std::string text = mode.text() + (mode.preferred ? " (preferred)" : "");
        if (std::ranges::find(texts, text) == texts.end()) {
            texts.push_back(std::move(text));
        }
    }
    const std::size_t more = texts.size() - std::min(texts.size(), kModesListed);
    texts.resize(texts.size() - more);
    return fmt::format("{}{}", fmt::join(texts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string shortName(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

std::string listOf(const std::vector<DisplayCard>& cards) {
    std::vector<std::string> list;
    for (const DisplayCard& card : cards) {
        for (const DisplayConnector& connector : card.connectors) {
            list.push_back(connectorText(card.path, connector));
        }
    }
    return list.empty() ? "no connector is there" : fmt::format("there are: {}", fmt::join(list, "; "));
}

struct Found {
    const DisplayCard* card;
    const DisplayConnector* connector;
};

void requireUsable(const DisplayCard& card) {
    if (!card.problem.empty()) {
        throw Error(ErrorKind::Display, card.path + ": " + card.problem, card.remedy);
    }
}

/// The choice if no connector is named.
Found firstConnected(const std::vector<DisplayCard>& cards) {
    for (const DisplayCard& card : cards) {
        for (const DisplayConnector& connector : card.connectors) {
            if (connector.connected && card.problem.empty()) {
                return {&card, &connector};
            }
        }
    }
    for (const DisplayCard& card : cards) {
        requireUsable(card);
    }
    throw Error(ErrorKind::Display, "--drm: no display is plugged in; " + listOf(cards),
                "plug one in, or name a connector to wait for a display there");
}

Found theOneNamed(const std::string& name, const std::vector<DisplayCard>& cards) {
    std::vector<Found> found;
    for (const DisplayCard& card : cards) {
        for (const DisplayConnector& connector : card.connectors) {
            if (name == connector.name || name == shortName(card.path) + "-" + connector.name) {
                found.push_back({&card, &connector});
            }
        }
    }
    if (found.empty()) {
        for (const DisplayCard& card : cards) {
            requireUsable(card);  // it may be on that card
        }
        throw Error(ErrorKind::Usage, fmt::format("--drm {}: no connector has that name", name),
                    listOf(cards));
    }
    if (found.size() > 1) {
        throw Error(
            ErrorKind::Usage, fmt::format("--drm {}: {} cards have one of that name", name, found.size()),
            fmt::format("name the card, too: --drm {}-{}", shortName(found.front().card->path), name));
    }
    return found.front();
}

}  // namespace

std::string DisplayMode::text() const {
    return fmt::format("{}x{}@{}{}", width, height, hertzText(milliHertz), interlaced ? "i" : "");
}

std::string ModeWish::text() const {
    return milliHertz ? fmt::format("{}x{}@{}", width, height, hertzText(*milliHertz))
                      : fmt::format("{}x{}", width, height);
}

std::size_t chooseMode(const std::vector<DisplayMode>& modes, const std::optional<ModeWish>& wish,
                       const std::string& connector) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < modes.size(); ++i) {
        if (wish && !fits(modes[i], *wish)) {
            continue;
        }
        if (!best || (wish ? fitsBetter(modes[i], modes[*best], *wish) : better(modes[i], modes[*best]))) {
            best = i;
        }
    }
    if (best) {
        return *best;
    }
    if (modes.empty()) {
        throw Error(ErrorKind::Display, connector + ": the display offers no mode", "check its cable");
    }
    throw Error(ErrorKind::Usage, fmt::format("--mode {}: {} has no such mode", wish->text(), connector),
                "it has " + modesText(modes));
}

ConnectorChoice chooseConnectors(const std::vector<std::string>& names,
                                 const std::vector<DisplayCard>& cards) {
    if (cards.empty()) {
        throw Error(ErrorKind::Display, "--drm: no graphics card: there is none in /dev/dri",
                    "load its kernel driver; in a container, pass it on (--device /dev/dri)");
    }
    std::vector<Found> chosen;
    for (const std::string& name : names) {
        chosen.push_back(theOneNamed(name, cards));
        requireUsable(*chosen.back().card);
        if (chosen.back().card != chosen.front().card) {
            throw Error(ErrorKind::Usage,
                        fmt::format("--drm {}: {} belongs to a different card than {}", name,
                                    chosen.back().connector->name, chosen.front().connector->name),
                        "start a viewer for each card");
        }
        if (std::ranges::count(chosen, chosen.back().connector, &Found::connector) > 1) {
            throw Error(ErrorKind::Usage, fmt::format("--drm {}: named twice", name), "name each once");
        }
    }
    if (chosen.empty()) {
        chosen.push_back(firstConnected(cards));
    }
    ConnectorChoice choice{.card = chosen.front().card->path, .connectors = {}};
    for (const Found& each : chosen) {
        choice.connectors.push_back(each.connector->name);
    }
    return choice;
}

std::string connectorText(const std::string& card, const DisplayConnector& connector) {
    return fmt::format("{}-{}: {}", shortName(card), connector.name,
                       connector.connected ? modesText(connector.modes) : "no display");
}

}  // namespace verbcast
