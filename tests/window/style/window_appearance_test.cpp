// Light windows, by real keys: the choice is kept for all windows.
#include "tests/window/desktop/x_settings_manager.h"
#include "tests/window/main/main_window_fixture.h"

namespace verbcast::testing {
namespace {

constexpr QRgb kLightSurface = qRgb(0xf3, 0xf4, 0xf6);
constexpr QRgb kDarkSurface = qRgb(0x17, 0x1a, 0x1f);
constexpr QRgb kCanvas = qRgb(0x0e, 0x10, 0x13);
constexpr QRect kScreen{0, 0, XServer::kWidth, XServer::kHeight};

class WindowAppearanceTest : public MainWindowTest {
  protected:
    bool mostly(QRgb colour, QRgb insteadOf) const {
        return pixels(kScreen, colour) > 20'000 && pixels(kScreen, insteadOf) == 0;
    }
};

TEST_F(WindowAppearanceTest, AreChosenInTheMenuAndKept) {
    ASSERT_NO_FATAL_FAILURE(open());
    ASSERT_TRUE(eventually([&] { return mostly(kDarkSurface, kLightSurface); })) << "without a desktop";
    x_.key("alt+i");
    x_.key("r");
    x_.key("l");
    EXPECT_TRUE(eventually([&] { return mostly(kLightSurface, kDarkSurface); }));
    close();
    ASSERT_NO_FATAL_FAILURE(open());
    EXPECT_TRUE(eventually([&] { return mostly(kLightSurface, kDarkSurface); })) << "after a new start";
    close();

    // The strip is light; the area around the picture stays dark in every theme.
    QImage picture(kPictureSize, QImage::Format_RGB32);
    picture.fill(qRgb(90, 60, 30));
    ASSERT_NO_FATAL_FAILURE(openWithPicture(picture));
    EXPECT_TRUE(eventually([&] { return pixels({0, 720, 1280, 50}, kLightSurface) > 10'000; }));
    EXPECT_TRUE(eventually([&] { return pixels(kPictureArea, kCanvas) > 500'000; }));
}

TEST_F(WindowAppearanceTest, FollowTheThemeOfADesktopWithoutAPortal) {
    through_ = {"env", "XDG_CURRENT_DESKTOP=X-Test"};  // a desktop whose colours Qt does not know
    const auto becomeDark = [&] { return eventually([&] { return mostly(kDarkSurface, kLightSurface); }); };
    const auto becomeLight = [&] { return eventually([&] { return mostly(kLightSurface, kDarkSurface); }); };
    ASSERT_NO_FATAL_FAILURE(open());
    ASSERT_TRUE(becomeLight());
    std::optional<XSettingsManager> manager(std::in_place, x_.display(), "Adwaita-dark");
    EXPECT_TRUE(becomeDark()) << "a manager that comes later";
    manager->setTheme("Adwaita");
    EXPECT_TRUE(becomeLight());
    manager->setTheme("Breeze-Dark");
    EXPECT_TRUE(becomeDark());
    manager.reset();
    EXPECT_TRUE(becomeLight()) << "the manager has gone";
    close();

    manager.emplace(x_.display(), "Yaru-dark");
    ASSERT_NO_FATAL_FAILURE(open());
    EXPECT_TRUE(becomeDark()) << "a manager that was there before";
    close();
}

}  // namespace
}  // namespace verbcast::testing
