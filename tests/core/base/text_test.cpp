// A peer's text, sanitised for a terminal, a log or a window.
#include "core/base/text/clean_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/base/text/counted.h"
#include "core/base/text/nearest_word.h"

namespace verbcast::testing {
namespace {

struct Case {
    const char* name;
    std::string_view text;
    std::string_view clean;
};

using namespace std::string_view_literals;

constexpr std::array kCases{
    Case{"plain", "render1 (Xvfb), 4K", "render1 (Xvfb), 4K"},
    Case{"letters of the world", "Grüße, Ελλάδα, 日本語, עברית, 🎥", "Grüße, Ελλάδα, 日本語, עברית, 🎥"},
    Case{"nothing", "", ""},
    Case{"terminal: title", "a\x1b]0;owned\x07z", "a?]0;owned?z"},
    Case{"terminal: clears", "\x1b[2J\x1b[H", "?[2J?[H"},
    Case{"lines", "one\r\ntwo\tthree\vfour\f", "one??two?three?four?"},
    Case{"NUL and DEL", "a\0b\x7f"sv, "a?b?"},
    Case{"C1 as bytes",
         "a\x9b"
         "31m",
         "a?31m"},
    Case{"C1 as UTF-8", "a\u009b31m \u0085 \u0080", "a?31m ? ?"},
    Case{"bidi embeddings", "\u202agood\u202b\u202c\u202dfdp\u202eexe", "?good???fdp?exe"},
    Case{"bidi isolates", "\u2066\u2067\u2068\u2069", "????"},
    Case{"bidi marks", "\u200e\u200f\u061c", "???"},
    Case{"zero width", "ad\u200bmin\u200c\u200d\ufeff\u2060", "ad?min????"},
    Case{"separators", "a\u2028b\u2029c", "a?b?c"},
    Case{"soft hyphen and joiners", "a\u00adb\u034f\u180e", "a?b??"},
    Case{"fillers", "\u115f\u3164\uffa0", "???"},
    Case{"variation selectors", "x\ufe0f\U000e0100", "x??"},
    Case{"tags", "\U000e0041\U000e0001", "??"},
    Case{"interlinear", "\ufff9a\ufffab\ufffb", "?a?b?"},
    Case{"a replacement is a character", "\ufffd", "\ufffd"},
    Case{"noncharacters", "\ufdd0\xef\xbf\xbe\xf4\x8f\xbf\xbf", "???"},
    Case{"a lone continuation", "a\x80z", "a?z"},
    Case{"overlong slash", "\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "?????????"},
    Case{"surrogates", "\xed\xa0\x80", "???"},
    Case{"beyond Unicode", "\xf4\x90\x80\x80\xff\xfe", "??????"},
    Case{"cut short", "a\xe2\x82", "a??"},
    Case{"a broken one eats nothing", "\xe2\x82z\xc3\xa4", "??zä"},
};

TEST(CleanTextTest, LeavesNothingInvisible) {
    for (const Case& one : kCases) {
        EXPECT_EQ(cleanText(one.text), one.clean) << one.name;
        EXPECT_EQ(cleanText(one.clean), one.clean) << one.name << ": is clean already";
    }
}

TEST(CleanTextTest, IsCutBetweenCharacters) {
    EXPECT_EQ(cleanText(std::string(500, 'x')), std::string(400, 'x'));
    EXPECT_EQ(cleanLine(std::string(500, 'x')), std::string(500, 'x'));
    for (const std::string character : {"ä", "日", "🎥"}) {
        for (std::size_t before = 390; before <= 400; ++before) {
            const std::string text = std::string(before, 'x') + character + character;
            std::string expected(before, 'x');
            while (expected.size() + character.size() <= 400 && expected.size() < text.size()) {
                expected += character;
            }
            EXPECT_EQ(cleanText(text), expected) << before;
        }
    }
}

TEST(CleanTextTest, NoCharacterOfAForbiddenRangeComesThrough) {
    const auto utf8 = [](char32_t c) {
        std::string text;
        if (c < 0x80) {
            text = {static_cast<char>(c)};
        } else if (c < 0x800) {
            text = {static_cast<char>(0xc0 | c >> 6U), static_cast<char>(0x80 | (c & 0x3fU))};
        } else {
            text = {static_cast<char>(0xe0 | c >> 12U), static_cast<char>(0x80 | (c >> 6U & 0x3fU)),
                    static_cast<char>(0x80 | (c & 0x3fU))};
        }
        return text;
    };
    constexpr std::array<std::pair<char32_t, char32_t>, 7> kForbidden{{{0, 0x1f},
                                                                       {0x7f, 0x9f},
                                                                       {0x61c, 0x61c},
                                                                       {0x200b, 0x200f},
                                                                       {0x2028, 0x202e},
                                                                       {0x2060, 0x206f},
                                                                       {0xfeff, 0xfeff}}};
    for (const auto& [first, last] : kForbidden) {
        for (char32_t c = first; c <= last; ++c) {
            EXPECT_EQ(cleanText(utf8(c)), "?") << fmt::format("U+{:04X}", static_cast<unsigned>(c));
        }
        EXPECT_NE(cleanText(utf8(last + 1)), "?") << "the one behind, in use or not, is seen";
    }
}

TEST(Counted, OneIsSingular) {
    EXPECT_EQ(counted(0, "frame"), "0 frames");
    EXPECT_EQ(counted(1U, "frame"), "1 frame");
    EXPECT_EQ(counted(std::uint64_t{2}, "frame"), "2 frames");
    EXPECT_EQ(counted(1, "measurement is", "measurements are"), "1 measurement is");
    EXPECT_EQ(counted(2, "measurement is", "measurements are"), "2 measurements are");
}

const std::vector<std::string> kOptions{"--format", "--fps", "--frames", "--size", "--from"};

TEST(NearestWord, IsFoundThroughOneSlip) {
    EXPECT_EQ(didYouMean("--fromat", kOptions), "did you mean --format?");
    EXPECT_EQ(didYouMean("--formt", kOptions), "did you mean --format?");
    EXPECT_EQ(didYouMean("--fsp", kOptions), "did you mean --fps?");
    EXPECT_EQ(didYouMean("--sise", kOptions), "did you mean --size?");
    EXPECT_EQ(didYouMean("--framess", kOptions), "did you mean --frames?");
    EXPECT_EQ(didYouMean("sned", {"view", "send"}), "did you mean send?");
}

TEST(NearestWord, IsNoGuess) {
    EXPECT_EQ(didYouMean("--listen", kOptions), "");
    EXPECT_EQ(didYouMean("x", {"send", "view"}), "");
    EXPECT_EQ(didYouMean("", kOptions), "");
    EXPECT_EQ(didYouMean("--format", {}), "");
    EXPECT_EQ(didYouMean(std::string(1U << 20, 'x'), kOptions), "");
}

TEST(NearestWord, OfEqualsIsTheFirst) {
    EXPECT_EQ(didYouMean("bat", {"cat", "hat"}), "did you mean cat?");
}

}  // namespace
}  // namespace verbcast::testing
