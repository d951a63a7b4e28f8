#include "app/bench/report/html_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/bench/report/svg_chart.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

using svg::escaped;

/// M. Okabe, K. Ito, "Color Universal Design"; without yellow, which is hard to see on white.
constexpr std::array kPalette{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9", "#555555"};
/// viridis without its light end.
constexpr std::array kOrdered{"#440154", "#453781", "#33638d", "#238a8d", "#1f9d84", "#3fbc73", "#8bc53f"};

}  // namespace

std::string plainColour(std::size_t index) {
    return kPalette[index % kPalette.size()];
}

std::string orderedColour(std::size_t index, std::size_t count) {
    const std::size_t last = kOrdered.size() - 1;
    return kOrdered[count < 2 ? 1 : std::min(last, index * last / (count - 1))];
}

std::string transportColour(const std::string& transport) {
    return plainColour(transportHas(transport, &Transport::sharesMemory) ? 0
                       : transportHas(transport, &Transport::usesRdma)   ? 2
                                                                         : 1);
}

std::string neutralColour() {
    return kPalette.back();
}

std::string htmlFigure(const std::string& chart, const std::string& caption) {
    return chart.empty()
               ? ""
               : fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", chart, escaped(caption));
}

std::string htmlSection(const std::string& title, const std::string& text) {
    return fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n", escaped(title), escaped(text));
}

std::string htmlTable(const std::vector<std::string>& heads, const HtmlRows& rows, std::size_t words) {
    const auto cells = [&](const std::vector<std::string>& texts, const char* tag) {
        std::string text = "<tr>";
        for (std::size_t i = 0; i < texts.size(); ++i) {
            text +=
                fmt::format("<{0}{1}>{2}</{0}>", tag, i < words ? " class=\"word\"" : "", escaped(texts[i]));
        }
        return text + "</tr>\n";
    };
    std::string text = "<div class=\"table\"><table>\n<thead>" + cells(heads, "th") + "</thead>\n<tbody>\n";
    for (const auto& row : rows) {
        text += cells(row, "td");
    }
    return text + "</tbody></table></div>\n";
}

}  // namespace verbcast
