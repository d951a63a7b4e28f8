// The strip under the picture: what it shows in which width.
#include "app/window/stats/status_strip.h"

#include <QVBoxLayout>

#include "app/window/style/theme.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class StatusStripTest : public WidgetTest {
  protected:
    static StripContent streaming() {
        StripContent content;
        content.status.state = StreamState::Streaming;
        content.status.peerName = "studio";
        content.status.channel.transport = "shm";
        content.stats.framesTransferred = 600;
        content.stats.latency = {.count = 600, .p50 = 30, .p99 = 50, .p999 = 0, .max = 60};
        content.stats.latencyToScreen = {.count = 120, .p50 = 9000, .p99 = 30000, .p999 = 0, .max = 40000};
        content.input = InputState::Off;
        content.record = RecordChoice::Start;
        return content;
    }
    /// As in the viewer's window. Owned by that.
    static StatusStrip* stripIn(QWidget& window) {
        auto* column = new QVBoxLayout(&window);
        column->setContentsMargins(0, 0, 0, 0);
        auto* strip = new StatusStrip(&window);
        column->addWidget(strip);
        return strip;
    }
    /// Of the number under that caption; null: it is not shown.
    static const QLabel* value(const StatusStrip& strip, const QString& caption) {
        for (const QLabel* label : strip.findChildren<QLabel*>()) {
            if (label->accessibleName() == caption && label->isVisible()) {
                return label;
            }
        }
        return nullptr;
    }
};

TEST_F(StatusStripTest, TellsArrivalFromTheScreen) {
    QWidget window;
    StatusStrip& strip = *stripIn(window);
    window.resize(2000, 100);
    ASSERT_NO_FATAL_FAILURE(open(window));
    ThroughputHistory history;
    for (std::uint64_t second = 0; second < 4; ++second) {
        history.add(static_cast<TimestampNs>(second) * 1'000'000'000, second, 60 * second, 12 * second);
    }
    strip.setContent(streaming(), history, 0);
    ASSERT_NE(value(strip, "Arriving/s"), nullptr);
    EXPECT_EQ(value(strip, "Arriving/s")->text(), "60.0");
    EXPECT_EQ(value(strip, "Shown/s")->text(), "12.0");
    EXPECT_EQ(value(strip, "Shown/s")->palette().color(QPalette::WindowText), theme::colours().warning);
    EXPECT_EQ(value(strip, "Arrival p50 / p99")->text(), QString("30 / 50 \u00b5s"));
    EXPECT_EQ(value(strip, "Screen p50 / p99")->text(), "9.00 / 30.0 ms");
}

TEST_F(StatusStripTest, GivesUpNumbersInANarrowWindowAndNeverStandsInItsWay) {
    QWidget window;
    StatusStrip& strip = *stripIn(window);
    window.resize(2000, 100);
    ASSERT_NO_FATAL_FAILURE(open(window));
    const ThroughputHistory history;
    strip.setContent(streaming(), history, 0);
    int before = 100;
    for (const int width : {2000, 1100, 800, 600, 420}) {
        window.resize(width, 100);
        ASSERT_TRUE(eventually([&] { return strip.width() == width; })) << "it stays at " << strip.width();
        strip.setContent(streaming(), history, 0);
        int shown = 0;
        for (const MetricCell* cell : strip.findChildren<MetricCell*>()) {
            shown += cell->isVisible() ? 1 : 0;
            EXPECT_TRUE(!cell->isVisible() || cell->geometry().right() < width) << width;
        }
        EXPECT_LE(shown, before) << width;
        before = shown;
    }
    EXPECT_LE(before, 1) << "at 420 pixels, names and buttons have the room";
    EXPECT_LE(window.minimumSizeHint().width(), 420);
}

}  // namespace
}  // namespace verbcast::testing
