// The wall page, driven by keys, clicks and drags, and the live picture behind it.
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTest>
#include <cstring>

#include "app/wall/wall_file.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/style/theme.h"
#include "app/window/wall/new_wall_dialog.h"
#include "app/window/wall/wall_page.h"
#include "core/stream/broadcast.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

Wall pairOfDisplays() {
    Wall wall;
    wall.width = 2000;
    wall.height = 1000;
    for (const char* name : {"left", "right"}) {
        WallDisplay display;
        display.name = name;
        wall.displays.push_back(display);
    }
    wall.displays[0].rectangle = {0, 0, 1000, 1000};
    wall.displays[1].rectangle = {1000, 0, 1000, 1000};
    return wall;
}

class WallCanvasTest : public WidgetTest {
  protected:
    void SetUp() override {
        canvas_.resize(640, 340);
        canvas_.setWall(&wall_);
        QObject::connect(&canvas_, &WallCanvas::rectangleWanted, [this](const FrameRect& rect) {
            wall_.displays[*canvas_.chosen()].rectangle = rect;
            canvas_.setWall(&wall_);
        });
        canvas_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&canvas_));
    }
    /// The canvas position of a point of the wall. The canvas has a margin of one line height.
    QPoint at(int x, int y) const {
        const double margin = theme::line();
        const double scale = std::min((canvas_.width() - 2 * margin) / wall_.width,
                                      (canvas_.height() - 2 * margin) / wall_.height);
        const QPointF corner((canvas_.width() - wall_.width * scale) / 2,
                             (canvas_.height() - wall_.height * scale) / 2);
        return (corner + QPointF(x, y) * scale).toPoint();
    }
    void drag(const QPoint& from, const QPoint& to) {
        QTest::mousePress(&canvas_, Qt::LeftButton, {}, from);
        QTest::mouseMove(&canvas_, (from + to) / 2);
        QTest::mouseMove(&canvas_, to);
        QTest::mouseRelease(&canvas_, Qt::LeftButton, {}, to);
    }
    const FrameRect& rect(std::size_t display) const { return wall_.displays[display].rectangle; }

    Wall wall_ = pairOfDisplays();
    WallCanvas canvas_;
};

TEST_F(WallCanvasTest, AClickChoosesAndKeysMove) {
    QTest::mouseClick(&canvas_, Qt::LeftButton, {}, at(1500, 500));
    ASSERT_EQ(canvas_.chosen(), std::optional<std::size_t>(1));
    QTest::keyClick(&canvas_, Qt::Key_Left);
    QTest::keyClick(&canvas_, Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(rect(1), (FrameRect{989, 0, 1000, 1000}));
    QTest::keyClick(&canvas_, Qt::Key_Up);
    EXPECT_EQ(rect(1), (FrameRect{989, 0, 1000, 1000})) << "it leaves the canvas";
    QTest::keyClick(&canvas_, Qt::Key_PageDown);
    EXPECT_EQ(canvas_.chosen(), std::optional<std::size_t>(0));
    QTest::keyClick(&canvas_, Qt::Key_PageUp);
    EXPECT_EQ(canvas_.chosen(), std::optional<std::size_t>(1));
    QTest::mouseClick(&canvas_, Qt::LeftButton, {}, QPoint(2, 2));
    EXPECT_EQ(canvas_.chosen(), std::nullopt);
}

TEST_F(WallCanvasTest, EdgesSnapToOthers) {
    drag(at(1500, 500), at(1300, 500));  // overlaps the left one, close to no edge
    EXPECT_NEAR(rect(1).x, 800, 4);
    drag(at(1700, 500), at(1888, 500));  // almost back
    EXPECT_EQ(rect(1), (FrameRect{1000, 0, 1000, 1000}));
}

TEST_F(WallCanvasTest, ACornerResizes) {
    QTest::mouseClick(&canvas_, Qt::LeftButton, {}, at(1500, 500));
    drag(at(2000, 1000), at(1600, 700));
    EXPECT_EQ(rect(1).x, 1000);
    EXPECT_NEAR(rect(1).width, 600, 4);
    EXPECT_NEAR(rect(1).height, 700, 4);
    drag(at(1600, 700), at(0, 0));
    EXPECT_EQ(rect(1).width, 16) << "a display has a size";
    EXPECT_EQ(rect(1).height, 16);
}

class WallPageTest : public WidgetTest {
  protected:
    void SetUp() override {
        file_ = file("wall.json");
        writeText(wallText(pairOfDisplays()));
        QSettings().setValue("wall/file", file_);
        page_ = std::make_unique<WallPage>();
        page_->resize(1100, 760);
        page_->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(page_.get()));
    }
    void TearDown() override {
        page_.reset();
        QSettings().remove("wall/file");
    }
    void writeText(const std::string& text) const {
        QFile opened(file_);
        ASSERT_TRUE(opened.open(QIODevice::WriteOnly));
        opened.write(text.data(), static_cast<qint64>(text.size()));
    }
    template <typename Kind>
    Kind& named(const QString& name) const {
        for (Kind* widget : page_->findChildren<Kind*>()) {
            if (widget->accessibleName() == name) {
                return *widget;
            }
        }
        throw std::runtime_error("there is no " + name.toStdString());
    }
    QPushButton& button(const QString& text) const {
        for (QPushButton* each : page_->findChildren<QPushButton*>()) {
            if (each->text().remove('&') == text) {
                return *each;
            }
        }
        throw std::runtime_error("there is no button " + text.toStdString());
    }
    QListWidget& findings() const { return named<QListWidget>("What is wrong"); }
    Wall saved() const {
        button("Save").click();
        return readWall(file_.toStdString());
    }

    QString file_;
    std::unique_ptr<WallPage> page_;
};

TEST_F(WallPageTest, FieldsAreWhatIsInTheFile) {
    EXPECT_EQ(named<QLineEdit>("Name").text(), "left");
    EXPECT_EQ(named<QSpinBox>("Width").value(), 1000);
    named<QSpinBox>("Left edge").setValue(0);
    named<QDoubleSpinBox>("Gain of red").setValue(0.875);
    named<QDoubleSpinBox>("Top left corner, across").setValue(0.0125);
    named<QSpinBox>("Width").setValue(1100);
    ASSERT_EQ(findings().count(), 1);
    EXPECT_TRUE(findings().item(0)->text().contains("overlap by 100x1000 pixels and do not blend"));
    named<QSpinBox>("Fades at the right").setValue(100);
    EXPECT_EQ(findings().count(), 1) << "the other one has to, too";
    QTest::mouseClick(page_->findChild<WallCanvas*>(), Qt::LeftButton, {},
                      page_->findChild<WallCanvas*>()->rect().center() + QPoint(150, 0));
    ASSERT_EQ(named<QLineEdit>("Name").text(), "right");
    named<QSpinBox>("Fades at the left").setValue(100);
    EXPECT_EQ(findings().count(), 0);
    Wall expected = pairOfDisplays();
    expected.displays[0].rectangle.width = 1100;
    expected.displays[0].colour.gain[0] = 0.875;
    expected.displays[0].corners[0].x = 0.0125;
    expected.displays[0].blend.right = expected.displays[1].blend.left = 100;
    EXPECT_EQ(saved(), expected);
}

TEST_F(WallPageTest, DisplaysAreAddedAndRemoved) {
    button("Add a display").click();
    EXPECT_EQ(named<QLineEdit>("Name").text(), "display-1");
    EXPECT_GT(findings().count(), 0) << "it lies where another is";
    button("Remove it").click();
    EXPECT_EQ(findings().count(), 0);
    QTest::keyClick(page_->findChild<WallCanvas*>(), Qt::Key_Delete);
    EXPECT_FALSE(button("Remove it").isEnabled()) << "the last one stays";
    EXPECT_EQ(findings().count(), 1) << "a half of the picture is on no display";
    page_->findChild<QCheckBox*>()->click();
    EXPECT_EQ(findings().count(), 0);
    EXPECT_TRUE(saved().gaps);
}

TEST_F(WallPageTest, HowOtherPicturesAreShownIsChosenAndSaved) {
    auto& fit = named<ChoiceCombo>("Other pictures");
    EXPECT_EQ(fit.value(), "fit");
    fit.setCurrentIndex(1);
    EXPECT_EQ(saved().fit, CanvasFit::Fill);
}

TEST_F(WallPageTest, ASenderThatRefusesIsToldAndTheNextMayBeTried) {
    auto& address = named<ChoiceCombo>("Picture from");
    address.setValue("shm://wall-page-test-nobody");
    QTest::keyClick(address.lineEdit(), Qt::Key_Return);
    EXPECT_TRUE(button("Stop").isEnabled()) << "it waits for that sender";
    address.setValue("tcp://127.0.0.1:70000");
    QTest::keyClick(address.lineEdit(), Qt::Key_Return);  // another one, not the end of the first
    bool told = false;
    for (const QLabel* label : page_->findChildren<QLabel*>()) {
        told |= label->text().contains("70000");
    }
    EXPECT_TRUE(told);
    EXPECT_TRUE(button("Show").isEnabled());
}

TEST_F(WallPageTest, OffersNoRecentAddressOfSeveralSenders) {
    const RecentStream one{"shm://one"}, several{"shm://one shm://two"};
    rememberStream(one);
    rememberStream(several);
    auto& address = named<ChoiceCombo>("Picture from");
    Q_EMIT address.listWanted();
    EXPECT_NE(address.findText(one.address), -1);
    EXPECT_EQ(address.findText(several.address), -1);
    forgetStream(one);
    forgetStream(several);
}

TEST_F(WallPageTest, AFileThatIsNoneIsToldAndAnotherWallIsShown) {
    page_.reset();
    writeText("{}");
    WallPage page;
    bool told = false;
    for (const QLabel* label : page.findChildren<QLabel*>()) {
        told |= label->text().contains("is not a valid wall");
    }
    EXPECT_TRUE(told);
    EXPECT_NE(page.findChild<WallCanvas*>()->chosen(), std::nullopt);
}

TEST_F(WallPageTest, TabGoesThroughANewWallInTheOrderOfReading) {
    NewWallDialog dialog;
    dialog.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&dialog));
    QStringList names;  // fields have parts of the same name
    const QWidget* each = &dialog;
    for (int widgets = 0; widgets < 100 && names.size() < 8; ++widgets, each = each->nextInFocusChain()) {
        if ((each->focusPolicy() & Qt::TabFocus) != 0 && each->isVisible() &&
            !each->accessibleName().isEmpty() && !names.contains(each->accessibleName())) {
            names << each->accessibleName();
        }
    }
    EXPECT_EQ(names, (QStringList{"Columns", "Rows", "Size", "Bezels", "Overlap", "Turned",
                                  "Columns of sources", "Rows of sources"}));
}

TEST(LivePictureTest, ShowsWhatTheSenderSends) {
    const VideoFormat format = tightFormat(64, 32, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 4});
    SenderOptions options;
    options.url = parseUrl("shm://live-picture-test");
    options.policy = Policy::Latest;
    Broadcast sender(options);
    LivePicture picture;
    QImage shown;
    QObject::connect(&picture, &LivePicture::pictureChanged, &picture,
                     [&shown](const QImage& image) { shown = image; });
    ReceiverOptions receiver;
    receiver.url = options.url;
    receiver.slots = 2;
    picture.watch(receiver);
    const Event never;
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            if (auto lease = pool->tryAcquire()) {
                for (std::uint64_t i = 0; i < format.payloadBytes; i += 4) {
                    const std::array<std::uint8_t, 4> pixel{200, 100, 50, 255};
                    std::memcpy(lease->data() + i, pixel.data(), pixel.size());
                }
                static_cast<void>(sender.submit(std::move(*lease), format, {}, never));
            }
            return !shown.isNull();
        },
        20000));
    EXPECT_EQ(shown.size(), QSize(1280, 640));
    EXPECT_EQ(shown.pixelColor(640, 320), QColor(200, 100, 50));
    picture.stop();
}

}  // namespace
}  // namespace verbcast::testing
