// The report as one HTML page: style and charts are inline, with no external references.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/report/report_output.h"
#include "app/bench/report/report_sections.h"
#include "app/bench/report/report_text.h"
#include "core/base/text/clean_text.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
body { margin: 0 auto; padding: 48px 32px 64px; max-width: 1060px; background: #fff; color: #1b1f24;
  font: 15px/1.55 "Inter", "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif; }
header { border-bottom: 2px solid #1b1f24; padding-bottom: 18px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 21px; margin: 48px 0 6px; } h3 { font-size: 15px; margin: 26px 0 4px; }
p { margin: 0 0 14px; max-width: 86ch; color: #3c4651; }
pre { background: #f3f5f7; border-left: 3px solid #0072b2; padding: 10px 14px; margin: 18px 0; font-size: 13px;
  font-family: "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 0; font-size: 13.5px; }
dt { color: #59636e; } dd { margin: 0; overflow-wrap: anywhere; }
.notice { background: #fff4e5; border-left: 3px solid #d55e00; padding: 10px 14px; margin: 20px 0 0; }
.notice p { margin: 0; color: #1b1f24; max-width: none; }
figure { margin: 12px 0 16px; } figcaption, td.note { font-size: 13px; color: #59636e; }
figcaption { margin-top: 2px; } figure svg { display: block; width: 100%; height: auto; }
.table { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-size: 12.5px; line-height: 1.35; font-variant-numeric: tabular-nums;
  width: 100%; }
th { font-weight: 600; color: #59636e; border-bottom: 1.5px solid #1b1f24; vertical-align: bottom; }
th, td { padding: 5px 8px; text-align: right; } tbody { border-bottom: 1px solid #e5e9ed; }
th.word, td.word, td.note { text-align: left; } td.word:first-child { white-space: nowrap; }
td.bar { --colour: #b9d7ea; background: linear-gradient(var(--colour) 0 0) no-repeat left / var(--length) 100% content-box; }
td.hatched { --colour: #0000; background-image: repeating-linear-gradient(45deg, #b9d7ea 0 3px, #fff 3px 7px); }
footer { margin-top: 48px; border-top: 1px solid #d5dbe1; padding-top: 8px; }
svg text { font-size: 12.5px; fill: #1b1f24; font-variant-numeric: tabular-nums; }
svg .tick { fill: #59636e; font-size: 12px; } svg .label { fill: #3c4651; }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .grid { stroke: #e5e9ed; } svg .axis { stroke: #1b1f24; stroke-width: 1.2; }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; } svg .dot { stroke: #fff; }
svg .mark { fill: #fff; stroke-width: 2; } svg .leader { stroke-width: 2; }
@page { margin: 14mm; }
@media print { body { padding: 0; max-width: none; font-size: 10.5pt; } h2 { margin-top: 26px; }
  figure, tr, h2, h3 { break-inside: avoid; } h2, h3 { break-after: avoid; } .table { overflow: visible; }
  table { font-size: 8pt; } th, td { padding: 3px 4px; } * { print-color-adjust: exact; } }
)";

/// "<p>text</p>"; the text is escaped. Empty without a text.
std::string element(const std::string& tag, const std::string& text) {
    return text.empty() ? "" : fmt::format("<{0}>{1}</{0}>\n", tag, escapedXml(text));
}

std::string tableHtml(const Table& table) {
    if (table.lines.empty()) {
        return "";
    }
    std::size_t columns = 0;
    const auto row = [&](const char* tag, const Table::Line* line, auto cell) {
        std::string text = "<tr>";
        columns = 0;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            if (table.columns[i].where == Where::Terminal) {
                continue;
            }
            ++columns;
            const bool bar = line != nullptr && table.columns[i].bar;
            text += fmt::format("<{}{}>{}</{}>", tag,
                                i < table.words ? " class=\"word\""
                                : bar           ? fmt::format(" class=\"bar{}\" style=\"--length: {:.1f}%\"",
                                                    line->hatched ? " hatched" : "", line->bars[i] * 100)
                                                : "",
                                escapedXml(cell(i)), tag);
        }
        return text + "</tr>\n";
    };
    std::string text = element("h3", table.title) + "<div class=\"table\"><table>\n<thead>";
    text += row("th", nullptr, [&](std::size_t i) { return table.columns[i].head; }) + "</thead>\n";
    for (const Table::Line& line : table.lines) {
        text += "<tbody>" + row("td", &line, [&](std::size_t i) { return line.cells[i]; });
        if (!line.note.empty()) {
            text += fmt::format("<tr><td class=\"note\" colspan=\"{}\">{}</td></tr>\n", columns,
                                escapedXml(line.note));
        }
        text += "</tbody>\n";
    }
    return text + "</table></div>\n";
}

struct BlockHtml {
    std::string operator()(const std::string& text) const { return element("p", text); }
    std::string operator()(const Table& table) const { return tableHtml(table); }
    std::string operator()(const svg::Chart& chart) const {
        const std::string drawn = draw(chart);
        return drawn.empty() ? ""
                             : element("h3", chart.title) + "<figure>\n" + drawn +
                                   element("figcaption", chart.caption) + "</figure>\n";
    }
};

std::string machineHtml(const Json& machine) {
    std::string text = "<dl>\n";
    for (const auto& [name, value] : {std::pair{"Processor", "{processor}, {processors} processors"},
                                      {"Memory", "{memory_bytes:b}"},
                                      {"Kernel", "{kernel}"},
                                      {"Verbcast", "{verbcast} ({compiler})"},
                                      {"FFmpeg", "{ffmpeg}"},
                                      {"RDMA", "{rdma_core}"}}) {
        text += element("dt", name) + element("dd", filled(value, machine));
    }
    return text + "</dl>\n";
}

std::string noticesHtml(const Json& report) {
    std::string text =
        report.at("interrupted").get<bool>() ? "<p>Interrupted: these are the figures until then.</p>\n" : "";
    for (const Json& note : report.at("notes")) {
        text += element("p", note);
    }
    return text.empty() ? "" : "<div class=\"notice\">\n" + text + "</div>\n";
}

/// Warns against misreading the results.
std::string caveatsHtml(const Json& report) {
    std::string text = "<footer>\n<h2>What these numbers do not mean</h2>\n<ul>\n";
    const auto add = [&](bool applies, const char* item) { text += applies ? element("li", item) : ""; };
    const auto any = [&](auto condition) { return std::ranges::any_of(report.at("rows"), condition); };
    add(true,
        "Both ends ran on this one machine and shared its processors and memory. These figures do not "
        "predict those of a network, an adapter or a GPU between two machines.");
    add(any([](const Json& row) { return row.at("verify") != "full"; }),
        "Hatched bars and dashed lines: nothing wrote or read the pixels. They show the cost of handing over "
        "a frame; a GB/s figure derived from them is the amount handed over, not a speed of memory.");
    add(any([](const Json& row) { return row.at("offered_fps").is_null(); }),
        "At full speed the queues stay full, and latency would be the time spent in them: it is only shown "
        "for rows at an offered rate, whose frames are submitted on schedule whatever happens.");
    add(any([](const Json& row) { return row.at("latency_us").at("count") < 1000; }),
        "p99.9 needs at least 1000 frames.");
    add(true,
        "Absolute speeds of a shared or virtual machine drift; ratios to limits measured in the same run "
        "hold better.");
    return text + "</ul>\n</footer>\n";
}

}  // namespace

std::string reportHtml(const Json& report) {
    const std::string heading = filled("verbcast bench {mode}", report);
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n"
        "<body>\n<header>\n<h1>{0}</h1>\n{2}</header>\n{3}",
        heading, kStyle, element("p", report.at("started_at")), element("pre", report.at("command_line")));
    text += machineHtml(report.at("machine")) + noticesHtml(report);
    for (const Section& section : sectionsOf(report)) {
        text += "<section>\n" + element("h2", section.title) + element("p", section.about);
        for (const auto& block : section.blocks) {
            text += std::visit(BlockHtml{}, block);
        }
        text += "</section>\n";
    }
    return text + caveatsHtml(report) + "</body>\n</html>\n";
}

}  // namespace verbcast
