// The one-time pairing code: shown on one host, typed on the other.
#include <QClipboard>
#include <QPushButton>

#include "app/window/trust/pairing_banner.h"
#include "app/window/trust/pairing_dialog.h"
#include "app/window/trust/pairing_offer.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

const QString kCode = QStringLiteral("ABCD-EFGH-JKMN-PQRS-TVWX-YZ23");

class PairingTest : public WidgetTest {
  protected:
    template <typename Widget>
    static bool says(const QWidget& window, const QString& text) {
        for (const Widget* each : window.findChildren<Widget*>()) {
            if (each->text().contains(text) && each->isVisible()) {
                return true;
            }
        }
        return false;
    }
    static QPushButton& button(const QWidget& window, const QString& text) {
        for (QPushButton* each : window.findChildren<QPushButton*>()) {
            if (each->text() == text) {
                return *each;
            }
        }
        throw std::runtime_error("no button " + text.toStdString());
    }
};

TEST_F(PairingTest, TheBannerShowsWhoAskedAndTheCodeUntilItsTimeIsOver) {
    PairingBanner banner;
    banner.follow(PairingInvitation{"<b>wall</b>", kCode.toStdString(), std::chrono::seconds(121)});
    EXPECT_TRUE(says<QLabel>(banner, "valid for 2:01")) << "events count it down";
    ASSERT_NO_FATAL_FAILURE(open(banner));
    EXPECT_TRUE(says<QLabel>(banner, "<b>wall</b>")) << "a name from outside is text, not markup";
    EXPECT_TRUE(says<QLabel>(banner, kCode));
    EXPECT_TRUE(
        eventually([&] { return says<QLabel>(banner, "valid for") && !says<QLabel>(banner, "2:01"); }));
    banner.follow(PairingInvitation{"wall", kCode.toStdString(), std::chrono::seconds(1)});
    EXPECT_TRUE(eventually([&] { return banner.isHidden(); }));
    EXPECT_FALSE(says<QLabel>(banner, kCode));
}

TEST_F(PairingTest, TheBannerCopiesTheCode) {
    PairingBanner banner;
    banner.follow(PairingInvitation{"wall", kCode.toStdString(), std::chrono::seconds(60)});
    ASSERT_NO_FATAL_FAILURE(open(banner));
    button(banner, "Copy").click();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), kCode);
    banner.clear();
    EXPECT_TRUE(banner.isHidden());
}

TEST_F(PairingTest, ACodeIsTypedAsItComes) {
    EXPECT_EQ(groupedCode("abcd efgh-JKMN.pqrs\ttvwx  yz23"), kCode);
    EXPECT_EQ(groupedCode(kCode + "-MORE"), kCode);
    EXPECT_EQ(groupedCode("abcde"), "ABCD-E");
    EXPECT_EQ(groupedCode("\u00e4\u202e-"), "");
}

TEST_F(PairingTest, TheDialogGivesTheCodeThatWasTyped) {
    PairingDialog dialog("wall");
    QSignalSpy entered(&dialog, &PairingDialog::codeEntered);
    ASSERT_NO_FATAL_FAILURE(open(dialog));
    EXPECT_TRUE(says<QLabel>(dialog, "shown at wall:"));
    type("abcdefghjkmnpqrstvwxyz2");
    EXPECT_TRUE(eventually([&] { return dialog.findChild<QLineEdit*>()->text() == kCode.chopped(1); }));
    xServer->key("Return");
    type("3");
    EXPECT_TRUE(eventually([&] { return dialog.findChild<QLineEdit*>()->text() == kCode; }));
    EXPECT_EQ(entered.count(), 0) << "sent before it was whole";
    xServer->key("Return");
    EXPECT_TRUE(eventually([&] { return entered.count() == 1; }));
    EXPECT_EQ(entered.first().first().toString(), kCode);
    EXPECT_TRUE(dialog.isVisible()) << "its owner closes it";

    dialog.refuse("Another code is shown there");
    EXPECT_TRUE(says<QLabel>(dialog, "Another code is shown there"));
    type("y");  // replaces the old one
    EXPECT_TRUE(eventually([&] { return dialog.findChild<QLineEdit*>()->text() == "Y"; }));
    EXPECT_FALSE(says<QLabel>(dialog, "Another code is shown there"));
}

TEST_F(PairingTest, TheOfferSaysWhyItCannotPair) {
    QWidget window;
    PairingOffer offer(&window);
    ASSERT_NO_FATAL_FAILURE(open(window));
    offer.open(parseUrl("tcp://127.0.0.1:1"));
    ASSERT_TRUE(eventually([] { return xServer->focus("Verbcast - Pair"); }));
    type(kCode);
    xServer->key("Return");
    const auto* dialog = window.findChild<PairingDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(
        eventually([&] { return says<QLabel>(*dialog, "127.0.0.1:1 is an address of this machine"); }));
    EXPECT_FALSE(says<QLabel>(*dialog, "not the code"));
}

}  // namespace
}  // namespace verbcast::testing
