#include "app/bench/report/report_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/text/counted.h"

namespace verbcast {
namespace {

/// Null for what is in something that is null.
const Json& valueOf(const Json& row, std::string_view keys) {
    const auto dot = keys.find('.');
    const Json& value = row.is_null() ? row : row.at(std::string(keys.substr(0, dot)));
    return dot == std::string_view::npos ? value : valueOf(value, keys.substr(dot + 1));
}

/// Fills in a text from left to right.
class Filler {
  public:
    Filler(std::string_view text, const Json& row) : text_(text), row_(row) {}

    /// Up to a | or ] that is not in brackets of its own.
    std::string part() {
        std::string out;
        lacking_ = false;
        while (!text_.empty() && text_.front() != '|' && text_.front() != ']') {
            if (text_.front() == '{') {
                out += value(taken(text_.find('}') + 1));
            } else if (text_.front() == '[') {
                out += choice();
            } else {
                out += taken(text_.find_first_of("{[|]"));
            }
        }
        return out;
    }
    /// True if the part lacks a value.
    bool lacking() const { return lacking_; }

  private:
    std::string_view taken(std::size_t count) {
        const std::string_view start = text_.substr(0, count);
        text_.remove_prefix(start.size());
        return start;
    }

    /// [A|B]: A unless it lacks a value, else B.
    std::string choice() {
        const bool before = lacking_;
        taken(1);
        std::string text = part();
        bool lacks = std::exchange(lacking_, before);
        if (text_.starts_with('|')) {
            taken(1);
            const std::string other = part();
            lacking_ = before || (lacks && lacking_);
            text = lacks ? other : text;
            lacks = false;
        }
        taken(1);
        return lacks ? "" : text;
    }

    std::string value(std::string_view braced) {
        const std::string_view inside = braced.substr(1, braced.size() - 2);
        const std::string_view expression = inside.substr(0, inside.find(':'));
        const char as = expression.size() < inside.size() ? inside.back() : '\0';
        const bool key = expression.find(' ') == std::string_view::npos;
        if (const Json& value = key ? valueOf(row_, expression) : row_;
            key && !value.is_number_float() && as == '\0') {
            lacking_ |= value.is_null();
            return value.is_null()      ? "-"
                   : value.is_string()  ? value.get<std::string>()
                   : value.is_boolean() ? (value.get<bool>() ? "holds" : "does not hold")
                                        : value.dump();
        }
        const double value = numberOf(row_, expression);
        lacking_ |= !std::isfinite(value);
        switch (std::isfinite(value) ? as : '\0') {
            case '\0':
                return figureText(value);
            case 'b':
                return bytesText(static_cast<std::uint64_t>(value));
            case 'c':
                return countText(value);
            case 'g':
                return fmt::format("{:.6g}", value);
            case 'l':
                return value == 0 ? "idle" : counted(static_cast<unsigned>(value), "burner");
            default:
                return fmt::format("{:.{}f}", value, as - '0');
        }
    }

    std::string_view text_;
    const Json& row_;
    bool lacking_ = false;  // a value of the current part
};

}  // namespace

std::string figureText(double value) {
    const double size = std::abs(value);
    if (!std::isfinite(value) || size == 0) {
        return size == 0 ? "0" : "-";
    }
    // Thresholds are where rounding would add a digit: 9.996 becomes "10.0", not "10.00".
    return size < 0.09995 ? fmt::format("{:.3g}", value)
                          : fmt::format("{:.{}f}", value, size < 9.995 ? 2 : (size < 99.95 ? 1 : 0));
}

std::string bytesText(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) {
        value /= 1024;
    }
    return fmt::format("{:.{}f} {}", value, value == std::floor(value) || value >= 100 ? 0 : 1, kUnits[unit]);
}

std::string countText(double value) {
    if (!std::isfinite(value) || value < 999.5) {
        return figureText(value);
    }
    return value >= 999.5e3 ? figureText(value / 1e6) + "M" : figureText(value / 1e3) + "k";
}

double numberOf(const Json& row, std::string_view expression) {
    const auto term = [&](const std::string& word) {
        if (word.front() >= '0' && word.front() <= '9') {
            return std::stod(word);
        }
        const Json& value = valueOf(row, word);
        return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    };
    std::istringstream words{std::string(expression)};
    std::string word, sign;
    words >> word;
    double value = term(word);
    while (words >> sign >> word) {
        const double by = term(word);
        value = sign == "+" ? value + by : (sign == "*" ? value * by : value / by);
    }
    return value;
}

std::string filled(std::string_view text, const Json& row) {
    return Filler(text, row).part();
}

std::string sentences(const std::string& text, const Json& row) {
    std::istringstream all(std::regex_replace(text, std::regex("\\s+"), " "));
    std::vector<std::string> known;
    for (std::string sentence; std::getline(all >> std::ws, sentence, ';');) {
        Filler filler(sentence, row);
        if (const std::string filled = filler.part(); !filler.lacking() && !filled.empty()) {
            known.push_back(filled);
        }
    }
    return fmt::format("{}", fmt::join(known, "; "));
}

std::string conditionsText(const Json& row) {
    std::string text = filled("[{offered_fps:g} fps offered|as fast as possible]", row);
    if (const auto streams = row.at("streams").get<unsigned>(); row.value("into_one", false)) {
        text += ", " + counted(streams, "stream") + " into one process";
    } else if (streams != 1) {
        text += fmt::format(", {} streams", streams);
    }
    text += row.value("memory", "host") == "device" ? ", in GPU memory" : "";
    return text + (row.at("poll").get<bool>() ? ", polling" : "");
}

std::string paragraph(const std::string& text, std::size_t indent, std::size_t width) {
    std::istringstream words(text);
    std::string lines, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            lines += line + "\n";
            line.clear();
        }
        line += line.empty() ? std::string(indent, ' ') : " ";
        line += word;
    }
    return line.empty() ? "" : lines + line + "\n";
}

}  // namespace verbcast
