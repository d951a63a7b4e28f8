#include <gtest/gtest.h>

#include <regex>

#include "app/bench/report/report_output.h"
#include "app/bench/report/svg_chart.h"
#include "tests/bench/sample_report.h"

namespace verbcast::testing {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
        ++found;
    }
    return found;
}

/// What is wrong with the page: unbalanced tags, unquoted attributes or a bare &. Empty if it is well-formed.
/// Apart from its first line, the page is valid XML.
std::string fault(const std::string& page) {
    static const std::regex tag(R"(<(/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z0-9:-]+="[^"<]*")*)\s*(/?)>)");
    static const std::regex loose(R"(&(?!(amp|lt|gt|quot|#39);))");
    const std::string doctype = "<!DOCTYPE html>\n";
    if (!page.starts_with(doctype)) {
        return "no doctype";
    }
    std::string text = page.substr(doctype.size());
    if (std::regex_search(text, loose)) {
        return "a loose &";
    }
    std::vector<std::string> open;
    std::size_t at = 0;
    while ((at = text.find('<', at)) != std::string::npos) {
        std::smatch match;
        if (!std::regex_search(text.cbegin() + static_cast<std::ptrdiff_t>(at), text.cend(), match, tag,
                               std::regex_constants::match_continuous)) {
            return "no tag: " + text.substr(at, 60);
        }
        if (match[1].length() != 0) {
            if (open.empty() || open.back() != match[2]) {
                return "closes what is not open: " + match.str();
            }
            open.pop_back();
        } else if (match[4].length() == 0) {
            open.push_back(match[2]);
        }
        at += static_cast<std::size_t>(match.length());
    }
    return open.empty() ? "" : "not closed: " + open.back();
}

TEST(ReportHtml, TheCheckerSeesFaults) {
    const std::string doctype = "<!DOCTYPE html>\n";
    EXPECT_EQ(fault(doctype + "<p class=\"a\">x &amp; y<br/></p>"), "");
    EXPECT_NE(fault(doctype + "<p><b></p></b>"), "");
    EXPECT_NE(fault(doctype + "<p>"), "");
    EXPECT_NE(fault(doctype + "<p>a & b</p>"), "");
    EXPECT_NE(fault(doctype + "<p>1 < 2</p>"), "");
}

TEST(ReportHtml, IsWellFormedWithAllNoneAndBadFigures) {
    EXPECT_EQ(fault(reportHtml(sampleReport())), "");
    EXPECT_EQ(fault(reportHtml(BenchReport{})), "");
    EXPECT_EQ(fault(reportHtml(numberlessReport())), "");
}

TEST(ReportHtml, RefersToNothingOutside) {
    const std::string page = reportHtml(sampleReport());
    for (const char* part : {"<script", "href=", "src=", "@import", "url(http", "<link", "<img", "<iframe"}) {
        EXPECT_FALSE(holds(page, part)) << part;
    }
}

TEST(ReportHtml, EscapesTextFromOutside) {
    BenchReport report = sampleReport();
    report.notes = {"<script>alert('x')</script> & \"more\"\x1b[31m"};
    report.rows[0].pixelFormat = "\"/><b>";
    const std::string page = reportHtml(report);
    EXPECT_FALSE(holds(page, "<script"));
    EXPECT_FALSE(holds(page, "\x1b"));
    EXPECT_TRUE(holds(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"));
    EXPECT_TRUE(holds(page, "Example &lt;CPU&gt; &amp; Co"));
    EXPECT_EQ(fault(page), "");
}

TEST(ReportHtml, ShowsChartsAndNumbersOfEachPart) {
    const std::string page = reportHtml(sampleReport());
    for (const char* part :
         {"<h2>Throughput</h2>", "<h2>Latency</h2>", "<h2>What a frame costs</h2>", "<h2>Limits</h2>",
          "<h2>Block size and depth</h2>", "<h2>Registering memory</h2>", "<h2>Calls</h2>",
          "<h2>Viewers</h2>", "beside 16 that stall", "<h2>Where a frame&#39;s time goes</h2>",
          "registering pays from 1 MiB", "plain TCP 5.00 (ratio 0.90)", "class=\"mark\"",
          "Limit plain TCP: checks &lt;nothing&gt;", "class=\"whisker\"", "transfer of a frame",
          "ratio 1.10, at most 1.15", "1.08 frame times"}) {
        EXPECT_TRUE(holds(page, part)) << part;
    }
    // Throughput (checked; handed over at a rate), latency, cost, limits, sweep, register, calls (two),
    // stages; plus the hatching pattern.
    EXPECT_EQ(count(page, "<svg "), 11u);
}

TEST(ReportHtml, WhereNobodyTouchedThePixelsBarsAreHatchedAndSaySo) {
    BenchReport report;
    report.rows = {sampleRow("tcp", Verify::Full, 4.5)};
    EXPECT_FALSE(holds(reportHtml(report), "url(#hatch)"));
    EXPECT_FALSE(holds(reportHtml(report), "pixels not touched</text>"));
    report.rows = {sampleRow("tcp", Verify::None, 4.5)};
    EXPECT_TRUE(holds(reportHtml(report), "url(#hatch)"));
    EXPECT_TRUE(holds(reportHtml(report), "pixels not touched</text>"));
}

TEST(ReportHtml, HoldsNoBadNumbers) {
    const std::string page = reportHtml(numberlessReport());
    EXPECT_FALSE(std::regex_search(page, std::regex("\\b(nan|inf)\\b")));
}

TEST(SvgChart, ALogarithmicAxisHasATickForEachPowerAndPutsPointsInOrder) {
    const svg::Mapping mapping = svg::mappingFor(svg::Scale::Log2, {4096, 67108864}, 100, 800);
    EXPECT_DOUBLE_EQ(mapping(4096), 100);
    EXPECT_DOUBLE_EQ(mapping(67108864), 800);
    EXPECT_DOUBLE_EQ(mapping(524288), 450);
    EXPECT_EQ(svg::tickText({"", svg::Scale::Log2, svg::Unit::Bytes}, svg::ticksOf(mapping).front()),
              "4 KiB");
    EXPECT_LE(svg::ticksOf(mapping).size(), 11u);
}

TEST(SvgChart, FractionsAreSpreadByTheirNines) {
    const svg::Mapping mapping = svg::mappingFor(svg::Scale::Nines, {0.5, 0.999, 1}, 0, 300);
    EXPECT_NEAR(mapping(0.9), 100, 1e-6);
    EXPECT_NEAR(mapping(0.99), 200, 1e-6);
    EXPECT_DOUBLE_EQ(mapping(1), 300);
    EXPECT_EQ(svg::tickText({"", svg::Scale::Nines, svg::Unit::Number}, 0.999), "99.9%");
}

TEST(SvgChart, NothingToShowIsNoChart) {
    svg::LineChart chart;
    chart.x.scale = svg::Scale::Log10;
    chart.series.emplace_back();
    chart.series[0].points = {{0, 1}};
    EXPECT_EQ(draw(chart), "") << "0 has no logarithm";
    EXPECT_EQ(draw(svg::BarChart{}), "");
    EXPECT_EQ(draw(svg::BandChart{}), "");
}

}  // namespace
}  // namespace verbcast::testing
