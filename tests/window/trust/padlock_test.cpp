// Padlocks distinguish protected from unprotected streams, visually and for screen readers.
#include "app/window/trust/padlock.h"
#include "app/window/style/theme.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

constexpr Protection kAll[] = {Protection::None, Protection::ThisHost, Protection::Proven,
                               Protection::Encrypted};

QImage painted(Protection protection) {
    return padlockIcon(protection).pixmap(64, 64).toImage().convertToFormat(QImage::Format_ARGB32);
}

class PadlockTest : public WidgetTest {
  protected:
    static QLabel& words(PadlockBadge& badge) { return *badge.findChild<QLabel*>(); }
};

TEST_F(PadlockTest, EachProtectionHasAPictureOfItsOwn) {
    for (const Protection a : kAll) {
        for (const Protection b : kAll) {
            EXPECT_EQ(painted(a) == painted(b), a == b);
        }
        EXPECT_GT(pixels(painted(a), theme::colourOf(padlockTone(a))), 100);
    }
}

TEST_F(PadlockTest, HalfOfTheBodySaysThatPicturesAreNotEncrypted) {
    // Checks one pixel in the body's upper half and one in its lower half.
    const QImage half = painted(Protection::Proven);
    const QImage whole = painted(Protection::Encrypted);
    EXPECT_EQ(half.pixelColor(32, 38).alpha(), 0);
    EXPECT_EQ(half.pixelColor(32, 50), theme::colourOf(padlockTone(Protection::Proven)));
    EXPECT_EQ(whole.pixelColor(32, 38), theme::colourOf(padlockTone(Protection::Encrypted)));
}

TEST_F(PadlockTest, SaysWhatItMeans) {
    PadlockBadge badge;
    EXPECT_TRUE(badge.isHidden());
    for (const Protection each : kAll) {
        badge.show({.protection = each});
        const QString meaning = QString::fromUtf8(meaningOf(each).data(), meaningOf(each).size());
        EXPECT_TRUE(badge.toolTip().contains(meaning, Qt::CaseInsensitive)) << badge.toolTip().toStdString();
        EXPECT_TRUE(badge.accessibleName().contains(meaning, Qt::CaseInsensitive));
        EXPECT_EQ(words(badge).isHidden(), each != Protection::None);
    }
    badge.show({});
    EXPECT_TRUE(badge.isHidden());
}

TEST_F(PadlockTest, AdmittingAnybodyIsShownInRed) {
    PadlockBadge badge;
    badge.show({.protection = Protection::ThisHost, .open = true});
    ASSERT_NO_FATAL_FAILURE(open(badge));
    EXPECT_EQ(words(badge).text(), "Open to anybody");
    EXPECT_TRUE(eventually([] { return pixels(screen(), theme::colours().warning) > 100; }));
    const QImage warning = renderPadlockWarning({.open = true}, 4).convertToFormat(QImage::Format_ARGB32);
    const int line = 4 * theme::line();
    EXPECT_EQ(warning.pixelColor(line, warning.height() / 2 + line / 4), theme::kOverVideo.warning)
        << "not filled over a picture in fullscreen";
}

}  // namespace
}  // namespace verbcast::testing
