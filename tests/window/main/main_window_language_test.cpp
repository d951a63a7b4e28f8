// The real window, started with another language in its environment.
#include "tests/window/main/main_window_fixture.h"

namespace verbcast::testing {
namespace {

TEST_F(MainWindowTest, SpeaksTheUsersLanguage) {
    through_ = {"env", "LANG=de_DE.UTF-8"};
    ASSERT_NO_FATAL_FAILURE(open());
    // Mnemonics of the German texts: Bildrate, Adresse.
    type("alt+i", "59.94");
    type("alt+a", url());
    EXPECT_TRUE(eventually([&] {
        return copied() == "verbcast send pattern:bars --fps 59.94 --listen " + url();
    })) << "commands are the same in every language";
    EXPECT_TRUE(eventually([&] { return !tellsAProblem(); }));
    x_.key("F1");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Tasten"));
    x_.key("Escape");
    ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Tasten"));
    close();
}

TEST_F(MainWindowTest, EnglishIsALanguageToo) {
    through_ = {"env", "LANG=de_DE.UTF-8", "LANGUAGE=en:de"};
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("F1");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Shortcuts"));
    x_.key("Escape");
    ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Shortcuts"));
    close();
}

}  // namespace
}  // namespace verbcast::testing
