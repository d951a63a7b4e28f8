// verbcast bench --compare OLD NEW: what changed between two reports, and what only seems to have changed.
//
// A difference is within the spread if the ranges (minimum to maximum) of the two reports' repeated runs
// overlap.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/bench/report/measured_report.h"
#include "app/bench/report/report_output.h"
#include "app/bench/report/report_text.h"
#include "core/base/os/standard_streams.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

std::string judgement(const ComparedMetric& metric, std::size_t index, const MeasuredRow& older,
                      const MeasuredRow& newer) {
    if (older.runs.size() < 2 || newer.runs.size() < 2) {
        return "unknown: one run; use --repeat";
    }
    const auto range = [index](const MeasuredRow& row) {
        const auto [least, most] = std::minmax_element(
            row.runs.begin(), row.runs.end(),
            [index](const MeasuredValues& a, const MeasuredValues& b) { return a[index] < b[index]; });
        return std::pair((*least)[index], (*most)[index]);
    };
    const auto undefined = [index](const MeasuredValues& run) { return !std::isfinite(run[index]); };
    if (std::any_of(older.runs.begin(), older.runs.end(), undefined) ||
        std::any_of(newer.runs.begin(), newer.runs.end(), undefined)) {
        return "unknown: not measured in all runs";
    }
    const auto [oldLeast, oldMost] = range(older);
    const auto [newLeast, newMost] = range(newer);
    if (oldLeast <= newMost && newLeast <= oldMost) {
        return "within the spread";
    }
    return (newLeast > oldMost) == metric.moreIsBetter ? "differs: better" : "differs: worse";
}

std::string ratioText(double older, double newer) {
    return older != 0 ? figureText(newer / older) : "-";
}

void printRow(const MeasuredRow& older, const MeasuredRow& newer) {
    printToStdout("\n{}\n", newer.key());
    if (older.slots != newer.slots || older.load != newer.load) {
        printToStdout("  other conditions: {} slots, {} against {} slots, {}\n", older.slots,
                      loadText(older.load), newer.slots, loadText(newer.load));
    }
    printToStdout("  {:<26}{:>10}{:>10}{:>8}\n", "", "old", "new", "ratio");
    for (std::size_t i = 0; i < kComparedMetrics.size(); ++i) {
        printToStdout("  {:<26}{:>10}{:>10}{:>8}  {}\n", kComparedMetrics[i].name,
                      figureText(older.values[i]), figureText(newer.values[i]),
                      ratioText(older.values[i], newer.values[i]),
                      judgement(kComparedMetrics[i], i, older, newer));
    }
}

/// Prints a row that `other` lacks, and whether it is there with another verify level.
void printOnly(const MeasuredRow& row, const MeasuredReport& here, const MeasuredReport& other) {
    std::string more;
    for (const MeasuredRow& candidate : other.rows) {
        if (candidate.key(false) == row.key(false) && candidate.verify != row.verify) {
            more = fmt::format("; {} has it verified {}: another thing, not compared", other.path,
                               candidate.verify);
        }
    }
    printToStdout("only in {}: {}{}\n", here.path, row.key(), more);
}

/// Probability that the ranges of two sets of runs of the same thing do not overlap.
double chanceOfApart(std::size_t olderRuns, std::size_t newerRuns) {
    const double m = static_cast<double>(olderRuns), n = static_cast<double>(newerRuns);
    return 2 * std::exp(std::lgamma(m + 1) + std::lgamma(n + 1) - std::lgamma(m + n + 1));
}

void printHow(const std::vector<std::pair<const MeasuredRow*, const MeasuredRow*>>& pairs) {
    for (const auto& [older, newer] : pairs) {
        if (older->runs.size() > 1 && newer->runs.size() > 1) {
            printToStdout(
                "\nWithin the spread: the ranges (least to most) of the old and the new runs overlap; "
                "differs: they "
                "do not.\nBy chance alone the ranges of {} and {} equal runs are apart in 1 of {:.0f} "
                "comparisons.\n",
                older->runs.size(), newer->runs.size(),
                1 / chanceOfApart(older->runs.size(), newer->runs.size()));
            return;
        }
    }
}

/// Returns how many rows are in both.
std::size_t compareRows(const MeasuredReport& older, const MeasuredReport& newer) {
    std::vector<std::pair<const MeasuredRow*, const MeasuredRow*>> pairs;
    std::vector<const MeasuredRow*> onlyOld;
    std::vector<bool> taken(newer.rows.size(), false);
    for (const MeasuredRow& row : older.rows) {
        std::size_t i = 0;
        while (i < newer.rows.size() && (taken[i] || newer.rows[i].key() != row.key())) {
            ++i;
        }
        if (i == newer.rows.size()) {
            onlyOld.push_back(&row);
            continue;
        }
        taken[i] = true;
        pairs.emplace_back(&row, &newer.rows[i]);
        printRow(row, newer.rows[i]);
    }
    printHow(pairs);
    writeToStdout(onlyOld.empty() && pairs.size() == newer.rows.size() ? "" : "\n");
    for (const MeasuredRow* row : onlyOld) {
        printOnly(*row, older, newer);
    }
    for (std::size_t i = 0; i < newer.rows.size(); ++i) {
        if (!taken[i]) {
            printOnly(newer.rows[i], newer, older);
        }
    }
    return pairs.size();
}

/// Returns how many points are in both. Points have no repeated runs, so nothing is judged.
std::size_t compareSection(const MeasuredSection& older, const MeasuredSection& newer) {
    std::map<std::string, const std::vector<double>*> known;
    for (const auto& [key, values] : older.points) {
        known.emplace(key, &values);
    }
    std::string text;
    std::size_t count = 0;
    for (const auto& [key, values] : newer.points) {
        const auto old = known.extract(key);  // only once: an old report may contain a key twice
        if (old.empty()) {
            continue;
        }
        ++count;
        text += fmt::format("  {:<44}", key);
        for (std::size_t i = 0; i < values.size(); ++i) {
            text += fmt::format("{:>10}{:>10}{:>8}", countText((*old.mapped())[i]), countText(values[i]),
                                ratioText((*old.mapped())[i], values[i]));
        }
        text += "\n";
    }
    if (count != 0) {
        printToStdout("\n{} (one measurement each: the spread is unknown)\n  {:<44}", newer.title, "");
        for (const std::string& metric : newer.metrics) {
            printToStdout("{:>10}{:>10}{:>8}", "old", metric, "ratio");
        }
        printToStdout("\n{}", text);
    }
    const std::size_t alone = older.points.size() + newer.points.size() - 2 * count;
    if (alone != 0) {
        printToStdout("{}: {} in one of the files only\n", newer.title,
                      counted(alone, "measurement is", "measurements are"));
    }
    return count;
}

void printReport(const char* which, const MeasuredReport& report) {
    printToStdout("{}  {}: {}, verbcast {}{}\n", which, report.path, report.startedAt, report.verbcast,
                  report.interrupted ? ", interrupted" : "");
}

}  // namespace

int runCompare(const CompareOptions& options) {
    const MeasuredReport older = readReport(options.oldJson), newer = readReport(options.newJson);
    printReport("old", older);
    printReport("new", newer);
    if (older.machine != newer.machine) {
        printToStdout("another machine: ratios say nothing about the program\n  old: {}\n  new: {}\n",
                      older.machine, newer.machine);
    }
    std::size_t common = compareRows(older, newer);
    for (std::size_t i = 0; i < newer.sections.size(); ++i) {
        common += compareSection(older.sections[i], newer.sections[i]);
    }
    if (common == 0) {
        writeToStdout("nothing to compare: the two files have no measurement in common\n");
    }
    return 0;
}

}  // namespace verbcast
