// The windows' list of translatable core texts matches what the core says.
#include "app/window/parts/core_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/cli/options/glossary.h"
#include "app/view/layout.h"
#include "capture/pattern/pattern_names.h"
#include "core/session/trust/trust.h"
#include "core/stream/frame_receiver.h"
#include "core/video/pixel_format.h"
#include "render/scenes/scene_names.h"

namespace verbcast::testing {
namespace {

bool known(std::string_view text) {
    return std::ranges::any_of(coreWords(), [text](const std::string_view each) {
        const std::size_t value = each.find("%1");
        return value == std::string_view::npos ? text == each : text.starts_with(each.substr(0, value));
    });
}

TEST(CoreWords, HoldTheSummariesOfTheLists) {
    for (const PatternName& pattern : kPatternNames) {
        EXPECT_TRUE(known(pattern.summary)) << pattern.summary;
    }
    for (const SceneName& scene : kSceneNames) {
        EXPECT_TRUE(known(scene.summary)) << scene.summary;
    }
    for (const Layout& layout : layouts()) {
        EXPECT_TRUE(known(layout.title)) << layout.title;
        EXPECT_TRUE(known(layout.meaning)) << layout.meaning;
    }
    for (const PixelFormatInfo& format : allPixelFormats()) {
        EXPECT_TRUE(known(format.summary)) << format.summary;
    }
    for (const Protection each :
         {Protection::None, Protection::ThisHost, Protection::Proven, Protection::Encrypted}) {
        EXPECT_TRUE(known(meaningOf(each))) << meaningOf(each);
    }
}

TEST(CoreWords, HoldWhatStatisticsCount) {
    for (const char* text : {kDroppedHelp, kSkippedHelp, kPausedHelp}) {
        EXPECT_TRUE(known(text)) << text;
    }
}

TEST(CoreWords, HoldTheStatesOfAStream) {
    ReceiverOptions options;
    options.url = parseUrl("shm://core-words");
    const FrameReceiver connecting(options);
    EXPECT_TRUE(known(connecting.status().text)) << connecting.status().text;
    options.listen = true;
    const FrameReceiver waiting(options);
    EXPECT_TRUE(known(waiting.status().text)) << waiting.status().text;
}

TEST(CoreWords, StayAsTheyAreWithoutATranslation) {
    EXPECT_EQ(inWindowLanguage("connecting to tcp://%1"), "connecting to tcp://%1");
    EXPECT_EQ(inWindowLanguage("what nobody says"), "what nobody says");
}

}  // namespace
}  // namespace verbcast::testing
