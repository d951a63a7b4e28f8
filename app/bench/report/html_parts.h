// Building blocks of the HTML report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbcast {

using HtmlRows = std::vector<std::vector<std::string>>;

/// One of several colours for unordered items, distinguishable by colour-blind people.
std::string plainColour(std::size_t index);
/// One of `count` colours for ordered items.
std::string orderedColour(std::size_t index, std::size_t count);
/// A transport's colour, the same in all charts.
std::string transportColour(const std::string& transport);
/// For anything that is not a measurement of Verbcast.
std::string neutralColour();

/// `chart` is markup, `caption` is text. Empty without a chart.
std::string htmlFigure(const std::string& chart, const std::string& caption);
/// Opens a section; close it with </section>.
std::string htmlSection(const std::string& title, const std::string& text);
/// Cells hold plain text, which is escaped here. The first `words` columns are left-aligned.
std::string htmlTable(const std::vector<std::string>& heads, const HtmlRows& rows, std::size_t words);

}  // namespace verbcast
