"""What a case measured, and the table of all."""

import json

FEW = 5  # trials of which no percentile tells anything


class Result:
    """Figures of one case. Times are in seconds; what missed its goal is named in `faults`."""

    def __init__(self, name):
        self.name = name
        self.trials = 0
        self.notice, self.recover = [], []
        self.lost = self.unnamed = self.repeated = self.torn = 0
        self.note = ""
        self.faults = []
        self.skipped = ""

    def fault(self, text):
        if text not in self.faults:
            self.faults.append(text)

    def judge(self, notice_goal=None, recover_goal=None):
        """The goals that all cases share; limits in seconds where the case has them. Of a few trials the best counts: a
        busy machine delays one or two."""
        for what, times, goal in (("noticed", self.notice, notice_goal), ("recovered", self.recover, recover_goal)):
            if goal is None or not times:
                continue
            reached, which = (min(times), "best") if len(times) <= FEW else (percentile(times, 99), "p99")
            if reached > goal:
                self.fault(f"{what} after {reached * 1e3:.0f} ms ({which}; goal {goal * 1e3:.0f} ms)")
        if self.torn:
            self.fault(f"{self.torn} torn frames")
        if self.repeated:
            self.fault(f"{self.repeated} frames repeated")
        if self.unnamed:
            self.fault(f"{self.unnamed} frames lost without a word")

    def json(self):
        return {"case": self.name, "trials": self.trials, "notice_s": summary(self.notice),
                "recover_s": summary(self.recover), "frames_lost": self.lost, "frames_lost_unnamed": self.unnamed,
                "frames_repeated": self.repeated, "frames_torn": self.torn, "note": self.note,
                "faults": self.faults, "skipped": self.skipped}

    @staticmethod
    def of_json(values):
        result = Result(values["case"])
        result.trials, result.note = values["trials"], values["note"]
        result.notice, result.recover = Summary(values["notice_s"] or {}), Summary(values["recover_s"] or {})
        result.lost, result.unnamed = values["frames_lost"], values["frames_lost_unnamed"]
        result.repeated, result.torn = values["frames_repeated"], values["frames_torn"]
        result.faults, result.skipped = values["faults"], values["skipped"]
        return result


class Summary(dict):
    """Percentiles that came from elsewhere."""


def percentile(values, percent):
    """Nearest rank: of 100 values, p99 is the 99th."""
    if isinstance(values, Summary):
        return values[f"p{percent}"]
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def summary(values):
    if isinstance(values, Summary) or not values:
        return values or None
    return {"p50": percentile(values, 50), "p99": percentile(values, 99), "max": max(values)}


def _times(values):
    figures = summary(values)
    if not figures:
        return ["-", "-", "-"]
    return [f"{figures[name] * 1e3:.0f}" for name in ("p50", "p99", "max")]


def table(results):
    """For a terminal and for Markdown alike."""
    rows = [["case", "n", "notice p50", "p99", "max ms", "recover p50", "p99", "max ms", "lost", "repeated", "torn", "result"]]
    for result in results:
        if result.skipped:
            rows.append([result.name, "-", *["-"] * 9, f"not run: {result.skipped}"])
            continue
        verdict = "; ".join(result.faults) or "ok"
        rows.append([result.name, result.trials, *_times(result.notice), *_times(result.recover), result.lost,
                     result.repeated, result.torn, f"{verdict} ({result.note})" if result.note else verdict])
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = []
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:])), row[-1]]
        lines.append("| " + " | ".join(cells) + " |")
        if number == 0:
            lines.append("|" + "|".join("-" * (width + 2) for width in widths) + "|---|")
    return "\n".join(lines)


def write_json(path, seed, results):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"seed": seed, "results": [result.json() for result in results]}, file, indent=1)
        file.write("\n")
