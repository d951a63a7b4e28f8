// What all parts of the HTML report are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbcast {

using HtmlRows = std::vector<std::vector<std::string>>;

/// A colour for each of several things without an order, told apart by colour-blind people.
std::string plainColour(std::size_t index);
/// One of `count` colours for things that have an order.
std::string orderedColour(std::size_t index, std::size_t count);
/// The same for a transport in all charts.
std::string transportColour(const std::string& transport);
/// For what is no measurement of Verbcast.
std::string neutralColour();

/// A chart, which is markup, with a caption, which is text. Empty without a chart.
std::string htmlFigure(const std::string& chart, const std::string& caption);
/// The beginning of a section, to be closed with </section>.
std::string htmlSection(const std::string& title, const std::string& text);
/// Cells hold plain text, which is escaped here. The first `words` columns are set left.
std::string htmlTable(const std::vector<std::string>& heads, const HtmlRows& rows, std::size_t words);

}  // namespace verbcast
