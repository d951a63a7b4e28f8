// What the terminal and the page show of a report: tables, charts and sentences, made from its JSON.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/bench/report/report_output.h"
#include "app/bench/report/svg_chart.h"

namespace verbcast {

enum class Where { Everywhere, Terminal, Page };

struct Table {
    struct Column {
        std::string head;
        std::string cell = {};  ///< as filled() takes it
        Where where = Where::Everywhere;
        bool bar = false;  ///< on the page
    };
    struct Line {
        std::vector<std::string> cells;
        std::vector<double> bars = {};  ///< as cells: their lengths, of the column's longest
        std::string note = {};          ///< below the cells
        bool hatched = false;           ///< its bars: pixels were not touched
    };
    std::string title;
    std::vector<Column> columns;
    std::size_t words = 1;  ///< columns that are aligned left, the first ones
    std::vector<Line> lines = {};
    Where where = Where::Everywhere;
};

struct Section {
    std::string title, about;  ///< about: what the figures are, and their units
    std::vector<std::variant<std::string, Table, svg::Chart>> blocks = {};
};

/// Those that the report has data for.
std::vector<Section> sectionsOf(const Json& report);

}  // namespace verbcast
