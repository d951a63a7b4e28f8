// The report as text for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/report/report_output.h"
#include "app/bench/report/report_sections.h"
#include "app/bench/report/report_text.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr std::size_t kWidth = 110, kIndent = 2, kNoteIndent = 8;

/// Columns, as groups that fit side by side. Each group begins with the words before the first figure.
std::vector<std::vector<std::size_t>> groupsOf(const Table& table, const std::vector<std::size_t>& widths,
                                               std::size_t gap) {
    std::vector<std::size_t> words;
    std::vector<std::vector<std::size_t>> groups(1);
    std::size_t before = kIndent, width = kIndent;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].where == Where::Page) {
            continue;
        }
        if (i < table.words) {
            words.push_back(i);
            before += widths[i] + gap;
        } else if (width + widths[i] > kWidth && groups.back().size() > words.size()) {
            groups.push_back(words);
            width = before;
        }
        groups.back().push_back(i);
        width += widths[i] + gap;
    }
    return groups;
}

std::string tableText(const Table& table) {
    if (table.where == Where::Page || table.lines.empty()) {
        return "";
    }
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        widths.push_back(table.columns[i].head.size());
        for (const Table::Line& line : table.lines) {
            widths[i] = std::max(widths[i], line.cells[i].size());
        }
    }
    const std::size_t gap = groupsOf(table, widths, 2).size() == 1 ? 2 : 1;
    const auto groups = groupsOf(table, widths, gap);
    std::string text = table.title.empty() ? "" : "\n" + paragraph(table.title, kIndent, kWidth);
    for (const auto& group : groups) {
        const auto add = [&](auto cell) {
            std::string line;
            for (const std::size_t i : group) {
                const bool left = i < table.words || table.columns[i].where == Where::Terminal;
                line += std::string(line.empty() ? kIndent : gap, ' ') +
                        (left ? fmt::format("{:<{}}", cell(i), widths[i])
                              : fmt::format("{:>{}}", cell(i), widths[i]));
            }
            text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        };
        add([&](std::size_t i) { return table.columns[i].head; });
        for (const Table::Line& line : table.lines) {
            add([&](std::size_t i) { return line.cells[i]; });
            text += line.note.empty() || &group != &groups.back() ? ""
                                                                  : paragraph(line.note, kNoteIndent, kWidth);
        }
    }
    return text;
}

struct BlockText {
    std::string operator()(const std::string& text) const { return paragraph(text, kIndent, kWidth); }
    std::string operator()(const Table& table) const { return tableText(table); }
    std::string operator()(const svg::Chart&) const { return ""; }
};

}  // namespace

std::string reportTable(const Json& report) {
    const Json& machine = report.at("machine");
    std::string text = paragraph(
        filled("{processor}, ", machine) + counted(machine.at("processors").get<unsigned>(), "processor") +
            filled(", {memory_bytes:b} memory, {kernel}; verbcast {verbcast} ({compiler})", machine),
        0, kWidth);
    for (const Section& section : sectionsOf(report)) {
        text += "\n" + paragraph(section.title + " (" + section.about + ")", 0, kWidth);
        for (const auto& block : section.blocks) {
            text += std::visit(BlockText{}, block);
        }
    }
    const bool interrupted = report.at("interrupted");
    text += report.at("notes").empty() && !interrupted ? "" : "\n";
    for (const Json& note : report.at("notes")) {
        text += paragraph("note: " + note.get<std::string>(), 0, kWidth);
    }
    return text + (interrupted ? "interrupted: these are the figures until then\n" : "");
}

}  // namespace verbcast
