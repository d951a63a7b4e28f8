// Figures and names as text, for every form of the report.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace verbcast {

using Json = nlohmann::ordered_json;

/// Three significant digits, or all digits before the point: 0.0123, 1.23, 12.3, 123, 12345. "-" if not a
/// number.
std::string figureText(double value);
/// "4 KiB", "1.5 MiB", "100 B".
std::string bytesText(std::uint64_t bytes);
/// A count in short form: 812, 14.2k, 1.25M.
std::string countText(double value);

/// The value of an expression over a row of the report: keys, with dots where they are nested, and numbers,
/// with + * / between them, from left to right: "cpu.sender.user_seconds * 1e6 / frames". Not a number if a
/// value is null. Throws Json::exception if there is none.
double numberOf(const Json& row, std::string_view expression);
/// Replaces each {EXPRESSION} and {EXPRESSION:AS} in `text` by its value. AS: a digit: that many decimals; b:
/// bytes; c: count; g: up to six digits; l: load ("idle", "4 burners"); none: what the key holds, and three
/// digits of other numbers. "-" for what is not a number. Of [TEXT|OTHER] stays TEXT if all its values are
/// known, else OTHER; [TEXT] is left out then.
std::string filled(std::string_view text, const Json& row);
/// The sentences of `text`, between which is a semicolon, filled; those that lack a value are left out.
std::string sentences(const std::string& text, const Json& row);

/// Distinguishes a row of frames from others of the same name: "60 fps offered, 2 streams, polling".
std::string conditionsText(const Json& row);

/// Wraps at spaces into lines of at most `width` bytes that begin with `indent` spaces; a longer word stays
/// whole. Empty for an empty text.
std::string paragraph(const std::string& text, std::size_t indent, std::size_t width);

}  // namespace verbcast
