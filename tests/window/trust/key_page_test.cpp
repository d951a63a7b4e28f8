// The key page and the Key field, with real files.
#include <sys/stat.h>
#include <zbar.h>

#include <QClipboard>
#include <QFile>
#include <QPushButton>
#include <QTableWidget>

#include "app/commands/key/key_file.h"
#include "app/window/trust/key_page.h"
#include "app/window/trust/qr_code.h"
#include "app/window/trust/trust_form.h"
#include "core/base/error.h"
#include "core/session/trust/pairing.h"
#include "core/session/trust/session_key.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class KeyPageTest : public WidgetTest {
  protected:
    KeyPageTest() { qunsetenv(kKeyVariable); }

    QString standard() const { return file(".config/verbcast/key"); }

    static QString content(const QString& path) {
        QFile opened(path);
        return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()) : QString();
    }
    static void write(const QString& path, const QByteArray& bytes, int mode) {
        QFile opened(path);
        ASSERT_TRUE(opened.open(QIODevice::WriteOnly));
        opened.write(bytes);
        opened.close();
        ASSERT_EQ(::chmod(path.toUtf8().constData(), static_cast<mode_t>(mode)), 0);
    }
    static int modeOf(const QString& path) {
        struct stat status {};
        return ::stat(path.toUtf8().constData(), &status) == 0 ? status.st_mode & 07777 : -1;
    }
    static bool says(const QWidget& widget, const QString& text) {
        for (const QLabel* each : widget.findChildren<QLabel*>()) {
            if (each->text().contains(text) && each->isVisible()) {
                return true;
            }
        }
        return false;
    }
};

/// Decodes the picture with an independent QR code reader.
QString readQrCode(const QImage& picture) {
    const QImage grey = picture.convertToFormat(QImage::Format_Grayscale8);
    QByteArray pixels;
    for (int y = 0; y < grey.height(); ++y) {
        pixels.append(reinterpret_cast<const char*>(grey.constScanLine(y)), grey.width());
    }
    zbar::Image image(static_cast<unsigned>(grey.width()), static_cast<unsigned>(grey.height()), "Y800",
                      pixels.constData(), static_cast<unsigned long>(pixels.size()));
    zbar::ImageScanner scanner;
    scanner.scan(image);
    const auto first = image.symbol_begin();
    return first == image.symbol_end() ? QString() : QString::fromStdString(first->get_data());
}

TEST_F(KeyPageTest, PairedHostsAreListedAndForgotten) {
    const PairedHosts hosts(PairedHosts::defaultPath());
    const auto pair = [&](const std::string& name, const std::string& address) {
        hosts.add({name, {address}, {"a key", SessionKey::random()}, kMayView, "2026-11-22"});
    };
    pair("studio", "10.0.0.7");
    pair("wall", "10.0.0.8");
    KeyPage page;
    ASSERT_NO_FATAL_FAILURE(open(page));
    auto& table = *page.findChild<QTableWidget*>();
    ASSERT_EQ(table.rowCount(), 2);
    EXPECT_EQ(table.item(0, 0)->text(), "studio");
    EXPECT_EQ(table.item(0, 1)->text(), "10.0.0.7");
    EXPECT_EQ(table.item(0, 2)->text(), "view");
    EXPECT_EQ(table.item(0, 3)->text(), "2026-11-22");
    table.selectRow(0);
    for (QPushButton* button : page.findChildren<QPushButton*>()) {
        if (button->text() == "&Forget the host") {
            button->click();
        }
    }
    EXPECT_EQ(table.rowCount(), 1);
    ASSERT_EQ(hosts.list().size(), 1U);
    EXPECT_EQ(hosts.list().front().name, "wall");
    EXPECT_TRUE(says(page, "studio is forgotten"));
}

TEST_F(KeyPageTest, MakesANewKeyAndNeverReplacesIt) {
    KeyPage page;
    ASSERT_NO_FATAL_FAILURE(open(page));
    EXPECT_TRUE(says(page, "No key yet"));
    xServer->key("alt+n");
    ASSERT_TRUE(eventually([&] { return says(page, "The default key"); }));
    EXPECT_EQ(modeOf(standard()), 0600);
    EXPECT_NO_THROW(SessionKey::fromFile(standard().toStdString()));
    const QString first = content(standard());
    EXPECT_EQ(first.trimmed().size(), 64);
    xServer->key("alt+n");
    EXPECT_TRUE(eventually([&] { return says(page, "exists"); }));
    EXPECT_EQ(content(standard()), first);
}

TEST_F(KeyPageTest, CopiesWhatMakesTheSameKeyAtTheOtherEnd) {
    writeNewKey(standard().toStdString());
    KeyPage page;
    ASSERT_NO_FATAL_FAILURE(open(page));
    xServer->key("alt+y");
    EXPECT_TRUE(eventually([&] { return says(page, "Every program of this session can read"); }));
    const std::string copied = QGuiApplication::clipboard()->text().toStdString();
    EXPECT_EQ(SessionKey::fromSecret(copied, "the clipboard").text(),
              SessionKey::fromFile(standard().toStdString()).text());
}

TEST_F(KeyPageTest, KeepsAKeyThatIsPasted) {
    const QString secret = "a secret of more than thirty-two bytes";
    KeyPage page;
    ASSERT_NO_FATAL_FAILURE(open(page));
    QGuiApplication::clipboard()->setText(secret + "\n");
    // The dialog runs its own event loop, so a timer presses keys for it from there.
    QTimer keys;
    const auto dialog = [] { return QApplication::activeModalWidget(); };
    QObject::connect(&keys, &QTimer::timeout, [&] {
        if (dialog() != nullptr && xServer->focus("Verbcast - Paste a key")) {
            keys.stop();
            xServer->key("ctrl+v");
            xServer->key("Return");
        }
    });
    keys.start(20);
    xServer->key("alt+p");
    EXPECT_TRUE(eventually([&] { return says(page, "The key is kept in ~/.config/verbcast/key"); }));
    EXPECT_EQ(content(standard()), secret + "\n");
    EXPECT_EQ(modeOf(standard()), 0600);
}

TEST_F(KeyPageTest, ShowsTheKeyAsAQrCode) {
    const std::string secret = SessionKey::random().text();
    QrCodeDialog dialog(secret, "The default key");
    ASSERT_NO_FATAL_FAILURE(open(dialog));
    EXPECT_TRUE(eventually([&] { return readQrCode(screen()) == QString::fromStdString(secret); }))
        << readQrCode(screen()).toStdString();
    EXPECT_TRUE(eventually([&] { return says(dialog, "Closes in") && !says(dialog, "Closes in 60 s"); }));
    EXPECT_THROW(qrCode(std::string(4000, 'x')), Error);
}

TEST_F(KeyPageTest, TheFieldTellsWhatIsWrongUntilItIsMended) {
    TrustForm form;
    ASSERT_NO_FATAL_FAILURE(open(form));
    EXPECT_TRUE(form.usable());
    form.setSettings({.keyFile = file("wall.key").toStdString(), .encrypt = true});
    EXPECT_FALSE(form.usable());
    EXPECT_TRUE(says(form, "There is no file"));
    write(file("wall.key"), QByteArray(40, 'k'), 0644);
    EXPECT_TRUE(eventually([&] { return says(form, "mode 0644") && says(form, "chmod 600"); }));
    ASSERT_EQ(::chmod(file("wall.key").toUtf8().constData(), 0600), 0);
    EXPECT_TRUE(eventually([&] { return form.usable(); }));
    EXPECT_FALSE(says(form, "chmod"));
    write(file("wall.key"), "short", 0600);
    EXPECT_TRUE(eventually([&] { return says(form, "5 bytes, 32 to 4096 expected"); }));
    EXPECT_EQ(form.settings(), (TrustSettings{.keyFile = file("wall.key").toStdString(), .encrypt = true}));
}

TEST_F(KeyPageTest, OnlyAListenerWithoutAKeyAdmitsAnybody) {
    TrustForm form;
    ASSERT_NO_FATAL_FAILURE(open(form));
    EXPECT_FALSE(says(form, "Any host"));
    xServer->key("alt+d");
    EXPECT_TRUE(eventually([&] { return says(form, "Any host can connect"); }));
    form.setListening(false);
    EXPECT_FALSE(says(form, "Any host"));
    form.setListening(true);
    EXPECT_TRUE(says(form, "Any host"));
    writeNewKey(file("wall.key").toStdString());
    form.setSettings({.keyFile = file("wall.key").toStdString(), .open = true});
    EXPECT_FALSE(says(form, "Any host")) << "a key keeps them out";
}

TEST_F(KeyPageTest, TheVariableIsNamedWhereItCounts) {
    qputenv(kKeyVariable, "a secret of more than thirty-two bytes");
    const TrustForm form;
    EXPECT_EQ(form.findChild<QComboBox*>()->currentText(), "That of VERBCAST_KEY");
    qunsetenv(kKeyVariable);
}

}  // namespace
}  // namespace verbcast::testing
