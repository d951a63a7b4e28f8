// Lines that change a mosaic, and its inputs' names.
#include "app/commands/compose/mosaic/changes.h"

#include <gtest/gtest.h>

#include "app/commands/compose/mosaic/mosaic_options.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

using namespace mosaic;

std::string refusal(const char* line, std::size_t inputs = 3) {
    const Error error = thrownBy([&] { static_cast<void>(parseChange(line, inputs)); });
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    return error.what();
}

TEST(MosaicChanges, AreRead) {
    EXPECT_EQ(std::get<SetLayout>(parseChange("layout pip", 3)).layout->name, "pip");
    EXPECT_EQ(std::get<SetFocus>(parseChange("  focus   2 \r", 3)).input, 1U);
    EXPECT_EQ(std::get<SetOrder>(parseChange("order 3 1 2", 3)).inputs, (std::vector<std::size_t>{2, 0, 1}));
    EXPECT_EQ(std::get<SetPanes>(parseChange("panes 1:0,0,100;2:5,5,50", 3)).panes.size(), 2U);
    EXPECT_EQ(std::get<SetFade>(parseChange("fade 0.25", 3)).fade, std::chrono::milliseconds(250));
    EXPECT_TRUE(std::get<SetNames>(parseChange("names on", 3)).shown);
    EXPECT_EQ(std::get<SetAudio>(parseChange("audio 2", 3)).from, (AudioFrom{AudioFrom::Way::Input, 1}));
    EXPECT_EQ(std::get<SetAudio>(parseChange("audio mix", 3)).from, AudioFrom{AudioFrom::Way::Mix});
    EXPECT_EQ(std::get<Add>(parseChange("add my clip.mp4", 3)).input, "my clip.mp4");
    EXPECT_EQ(std::get<Remove>(parseChange("remove 3", 3)).input, 2U);
    const auto replace = std::get<Replace>(parseChange("replace 1 tcp://host:7000", 3));
    EXPECT_EQ(replace.input, 0U);
    EXPECT_EQ(replace.by, "tcp://host:7000");
}

TEST(MosaicChanges, WhatIsWrongIsNamed) {
    EXPECT_TRUE(contains(refusal("layout wipe"), "wipe"));
    EXPECT_TRUE(contains(refusal("focus 4"), "1 to 3"));
    EXPECT_TRUE(contains(refusal("focus 0"), "1 to 3"));
    EXPECT_TRUE(contains(refusal("focus 99999999999999999999"), "1 to 3"));
    EXPECT_TRUE(contains(refusal("order 1 2"), "each of the 3"));
    EXPECT_TRUE(contains(refusal("order 1 2 2"), "each of the 3"));
    EXPECT_TRUE(contains(refusal("fade nan"), "0 to 1"));
    EXPECT_TRUE(contains(refusal("fade 2"), "0 to 1"));
    EXPECT_TRUE(contains(refusal("names yes"), "on or off"));
    EXPECT_TRUE(contains(refusal("audio 4"), "1 to 3"));
    EXPECT_TRUE(contains(refusal("audio loud"), "\"loud\": focus, mix, none"));
    EXPECT_TRUE(contains(refusal("add "), "missing"));
    EXPECT_TRUE(contains(refusal("add x", kMaxMosaicInputs), "the maximum"));
    EXPECT_TRUE(contains(refusal("replace 1"), "missing"));
    EXPECT_TRUE(contains(refusal("jump"), "\"jump\""));
    EXPECT_TRUE(contains(refusal(""), "\"\""));
    EXPECT_TRUE(contains(refusal("panes 1:0"), "1:0"));
}

TEST(MosaicInputs, AreAddressesOrSources) {
    for (const char* source : {"-", "pattern", "pattern:zone", "v4l2:/dev/video0", "screen", "/dev/video1",
                               "clips/a.mp4", "rtsp://camera/stream", "file:///a.mp4"}) {
        EXPECT_TRUE(isLocalInput(source)) << source;
    }
    for (const char* address : {"render1", "render1:7000", ":7423", "tcp://host:1", "shm://name", "verbs://h",
                                "multicast://239.10.0.7", "rdma://h", "auto://h"}) {
        EXPECT_FALSE(isLocalInput(address)) << address;
    }
}

TEST(MosaicInputs, ColoursAreSixDigits) {
    const auto colour = colourIn("#ff8000");
    ASSERT_TRUE(colour);
    EXPECT_FLOAT_EQ(colour->rgb[0], 1);
    EXPECT_FLOAT_EQ(colour->rgb[1], 128 / 255.0F);
    EXPECT_FLOAT_EQ(colour->rgb[2], 0);
    EXPECT_TRUE(colourIn("000000"));
    for (const char* none : {"", "#fff", "ff80001", "gg0000", "-f0000", "logo.png"}) {
        EXPECT_FALSE(colourIn(none)) << none;
    }
}

}  // namespace
}  // namespace verbcast::testing
