// `verbcast run` with programs that know nothing about it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/app/commands/run/run_fixture.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class GearsTest : public RunTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(GearsTest, TurnInTheViewer) {
    Verbcast running(run({GetParam()}), home_);
    ColourViewer viewer(address());
    std::set<std::size_t> contents;
    for (int i = 0; i < 30; ++i) {
        const auto picture = viewer.next();
        ASSERT_TRUE(picture);
        EXPECT_EQ(picture->width, 300U);
        EXPECT_EQ(picture->height, 300U);
        contents.insert(picture->content);
    }
    EXPECT_GT(contents.size(), 20U);
    EXPECT_TRUE(endsBySignal(running));
}

INSTANTIATE_TEST_SUITE_P(Run, GearsTest, ::testing::Values("glxgears", "es2gears_x11"),
                         [](const auto& program) { return std::string(program.param); });

TEST_F(RunTest, KeysOfGlxgears) {
    Verbcast running(run({"glxgears"}, {"--allow-input"}), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.next());
    ASSERT_NE(viewer.receiver().sendInput(key('a', true)), 0U);  // stops the gears
    ASSERT_NE(viewer.receiver().sendInput(key('a', false)), 0U);
    std::optional<SeenPicture> still;
    for (auto picture = viewer.next(); picture; picture = viewer.next(500ms)) {
        still = picture;
    }
    constexpr std::uint32_t kLeft = 0xFF51;
    ASSERT_NE(viewer.receiver().sendInput(key(kLeft, true)), 0U);
    EXPECT_TRUE(
        viewer.awaitPicture([&](const SeenPicture& picture) { return picture.content != still->content; }));
    EXPECT_TRUE(endsBySignal(running));
}

struct QtProgram {
    const char* surface;
    const char* integration;
    friend void PrintTo(const QtProgram& program, std::ostream* out) {
        *out << program.surface << " by " << program.integration;
    }
};

class QtProgramTest : public RunTest, public ::testing::WithParamInterface<QtProgram> {};

TEST_P(QtProgramTest, IsSeenAndDoesWhatItsViewerDoes) {
    ::setenv("XDG_RUNTIME_DIR", files_.path().c_str(), 1);  // otherwise Qt creates one and leaves it behind
    ::setenv("QT_QPA_PLATFORM", "xcb", 1);
    ::setenv("QT_XCB_GL_INTEGRATION", GetParam().integration, 1);
    Verbcast running(run({QT_SCENE_PROGRAM, GetParam().surface}, {"--allow-input"}), home_);
    ASSERT_TRUE(running.waitForError("can be viewed at"));
    ColourViewer viewer(address());
    // It has drawn before the viewer connected, and does not draw again by itself.
    ASSERT_TRUE(viewer.awaitColour({50, 0, 0}));
    EXPECT_TRUE(viewer.becomes({200, 0, 10}, key('k', true)));
    EXPECT_TRUE(viewer.becomes({50, 0, 10}, key('k', false)));
    const auto button = [](bool pressed) {
        return InputEvent{
            .kind = InputKind::PointerButton, .pressed = pressed, .code = 1, .x = 255, .y = 100};
    };
    EXPECT_TRUE(viewer.becomes({50, 25, 10}, button(true)));
    EXPECT_NE(viewer.receiver().sendInput(button(false)), 0U);
    EXPECT_TRUE(viewer.becomes({200, 25, 20}, key('l', true)));
    EXPECT_TRUE(endsBySignal(running));
}

INSTANTIATE_TEST_SUITE_P(Run, QtProgramTest,
                         ::testing::Values(QtProgram{"window", "xcb_glx"}, QtProgram{"window", "xcb_egl"},
                                           QtProgram{"widget", "xcb_glx"}, QtProgram{"widget", "xcb_egl"}),
                         [](const auto& program) {
                             return fmt::format("{}_{}", program.param.surface, program.param.integration);
                         });

}  // namespace
}  // namespace verbcast::testing
