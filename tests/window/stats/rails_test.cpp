// The window reports what each rail of a stream carries and which one is dead.
#include "app/window/stats/stats_text.h"

#include "app/window/stats/stage_overlay.h"
#include "app/window/stats/status_strip.h"
#include "app/window/style/theme.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

std::vector<RailStats> twoRails() {
    RailStats one, two;
    one.transport = "tcp";
    one.peer = "10.0.1.1:7423";
    one.up = true;
    one.frames = 310;
    one.first = 300;
    two.number = 2;
    two.transport = "verbs";
    two.peer = "10.0.2.1:7423";
    two.lost = true;
    two.frames = 40;
    two.first = 10;
    two.timesDown = 3;
    return {one, two};
}

class RailsTest : public WidgetTest {
  protected:
    /// The strip's label whose description contains the text.
    static const ElidedLabel* saying(const StatusStrip& strip, const QString& text) {
        for (const ElidedLabel* label : strip.findChildren<ElidedLabel*>()) {
            if (label->accessibleDescription().contains(text)) {
                return label;
            }
        }
        return nullptr;
    }
};

TEST_F(RailsTest, AreToldInTheStripAndADeadOneInTheColourOfWarnings) {
    StatusStrip strip;
    ASSERT_NO_FATAL_FAILURE(open(strip));
    const ThroughputHistory history;
    StripContent content;
    content.status.state = StreamState::Streaming;
    content.stats.rails = twoRails();
    strip.setContent(content, history, nowNs());
    const ElidedLabel* label = saying(strip, "rail 1 (tcp): frames 310, first 300");
    ASSERT_NE(label, nullptr);
    EXPECT_TRUE(label->accessibleDescription().contains("rail 2 (verbs) is down, frames 40"));
    EXPECT_TRUE(label->toolTip().contains("10.0.2.1:7423, times lost: 3")) << label->toolTip().toStdString();
    EXPECT_TRUE(label->toolTip().contains("10.0.1.1:7423"));
    EXPECT_EQ(label->palette().color(QPalette::WindowText), theme::colours().warning);

    content.stats.rails[1].lost = false;
    content.stats.rails[1].up = true;
    strip.setContent(content, history, nowNs());
    EXPECT_EQ(saying(strip, "down"), nullptr);
    EXPECT_NE(label->palette().color(QPalette::WindowText), theme::colours().warning);

    content.stats.rails.clear();
    strip.setContent(content, history, nowNs());
    EXPECT_EQ(saying(strip, "rail"), nullptr);
}

TEST_F(RailsTest, HaveALineEachBelowTheStageTimes) {
    const QImage without = renderStagePanel({}, 1);
    StageTimes times;
    times.railsNote = railsDetails(twoRails());
    const QImage with = renderStagePanel(times, 1);
    EXPECT_GE(with.height(), without.height() + theme::line());
    EXPECT_EQ(railsDetails(twoRails()).count('\n'), 1);
    EXPECT_EQ(railsText({}), "");
}

}  // namespace
}  // namespace verbcast::testing
