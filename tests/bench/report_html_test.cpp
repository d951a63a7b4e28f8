#include <gtest/gtest.h>

#include <regex>

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
    EXPECT_EQ(fault(pageOf(sampleReport())), "");
    EXPECT_EQ(fault(pageOf(BenchReport{})), "");
    EXPECT_EQ(fault(pageOf(numberlessReport())), "");
}

TEST(ReportHtml, RefersToNothingOutside) {
    const std::string page = pageOf(sampleReport());
    for (const char* part : {"<script", "href=", "src=", "@import", "url(http", "<link", "<img", "<iframe"}) {
        EXPECT_FALSE(holds(page, part)) << part;
    }
}

TEST(ReportHtml, EscapesTextFromOutside) {
    BenchReport report = sampleReport();
    report.notes = {"<script>alert('x')</script> & \"more\"\x1b[31m"};
    report.rows[0].pixelFormat = "\"/><b>";
    const std::string page = pageOf(report);
    EXPECT_FALSE(holds(page, "<script"));
    EXPECT_FALSE(holds(page, "\x1b"));
    EXPECT_TRUE(holds(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"));
    EXPECT_TRUE(holds(page, "Example &lt;CPU&gt; &amp; Co"));
    EXPECT_EQ(fault(page), "");
}

TEST(ReportHtml, ShowsChartsAndNumbersOfEachPart) {
    const std::string page = pageOf(sampleReport());
    for (const char* part : {"<h2>Frames</h2>",
                             "<h3>Latency</h3>",
                             "<h3>What a frame costs: user and system time",
                             "<h2>Limits</h2>",
                             "<h2>Sweep</h2>",
                             "<h3>Throughput by block size, tcp</h3>",
                             "<h3>Fit of t",
                             "<h2>Registering memory</h2>",
                             "<h2>Calls</h2>",
                             "<h2>Viewers</h2>",
                             "16 that stall",
                             "<h2>Stages</h2>",
                             "<h2>Decoding</h2>",
                             "<h2>Picture and sound</h2>",
                             "registering pays from 1 MiB",
                             "limit plain TCP 5.00 GB/s, ratio 0.90",
                             "class=\"mark\"",
                             "limit plain TCP: checks &lt;nothing&gt;",
                             "class=\"bar\" style=\"--length: 33.3%\"",
                             "transfer of a frame",
                             "ratio 1.10, at most 1.15",
                             "1.08 frame times",
                             "send user",
                             "read/write calls"}) {
        EXPECT_TRUE(holds(page, part)) << part;
    }
    // Latency, sweep, registering (idle and loaded), calls (two).
    EXPECT_EQ(count(page, "<svg "), 6u);
}

TEST(ReportHtml, LatencyThatIsTheWaitInQueuesIsNotShown) {
    BenchReport report;
    report.rows = {sampleRow("tcp", Verify::Full, 3)};
    report.rows[0].repeats = {{90, 3, 119, 330, 3500}, {91, 3, 121, 350, 3700}};
    const auto shown = [&](const std::string& form) {
        return holds(form, "340") || holds(form, "p99 330 to 350 us") || holds(form, "<svg ");
    };
    EXPECT_FALSE(shown(pageOf(report)));
    EXPECT_FALSE(shown(terminalOf(report)));
    report.rows[0].offeredFps = 60;
    EXPECT_TRUE(holds(pageOf(report), "p99 330 to 350 us") && holds(pageOf(report), "<td>340</td>"));
    EXPECT_TRUE(holds(pageOf(report), "<svg "));
    EXPECT_TRUE(holds(terminalOf(report), " 340 "));
}

TEST(ReportHtml, WhereNobodyTouchedThePixelsBarsAreHatchedAndSaySo) {
    BenchReport report;
    report.rows = {sampleRow("tcp", Verify::Full, 4.5)};
    EXPECT_FALSE(holds(pageOf(report), "class=\"bar hatched\""));
    EXPECT_FALSE(holds(pageOf(report), "pixels not touched;"));
    report.rows = {sampleRow("tcp", Verify::None, 4.5)};
    EXPECT_TRUE(holds(pageOf(report), "class=\"bar hatched\""));
    EXPECT_TRUE(holds(pageOf(report), "verified none: pixels not touched;"));
}

TEST(ReportHtml, HoldsNoBadNumbers) {
    const std::string page = pageOf(numberlessReport());
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
    svg::Chart chart;
    chart.x.scale = svg::Scale::Log10;
    chart.series.emplace_back();
    chart.series[0].points = {{0, 1}};
    EXPECT_EQ(draw(chart), "") << "0 has no logarithm";
    EXPECT_EQ(draw(svg::Chart{}), "");
}

TEST(SvgChart, EnclosesAllItsTexts) {
    svg::Chart chart{.title = "all", .caption = "", .x = {std::string(200, 'x')}, .y = {"y"}};
    chart.series = {{.name = std::string(150, 'm'), .colour = "#000", .points = {{1, 123456}, {2, 5}}},
                    {.name = "short", .colour = "#000", .points = {{1, 2}}}};
    const std::string drawn = draw(chart);
    std::smatch box;
    ASSERT_TRUE(std::regex_search(drawn, box, std::regex("viewBox=\"(\\S+) 0 (\\S+) (\\S+)\"")));
    const double left = std::stod(box[1]), right = left + std::stod(box[2]), bottom = std::stod(box[3]);
    const std::regex text("<text x=\"(\\S+)\" y=\"(\\S+)\" class=\"([^\"]*)\">([^<]*)<");
    std::size_t texts = 0;
    for (auto at = std::sregex_iterator(drawn.begin(), drawn.end(), text); at != std::sregex_iterator();
         ++at) {
        const double width = 8.5 * static_cast<double>((*at)[4].length());  // of a wide font
        const std::string anchor = (*at)[3];
        const double from = std::stod((*at)[1]) - (anchor.ends_with("end")      ? width
                                                   : anchor.ends_with("middle") ? width / 2
                                                                                : 0);
        EXPECT_GE(from, left) << (*at)[4];
        EXPECT_LE(from + width, right) << (*at)[4];
        EXPECT_LE(std::stod((*at)[2]), bottom) << (*at)[4];
        ++texts;
    }
    EXPECT_GT(texts, 8u);
}

}  // namespace
}  // namespace verbcast::testing
