// verbcast compose: parts of a scene that several processes draw become the picture that one draws alone.
#include <signal.h>

#include <map>

#include "tests/support/exit_codes.h"
#include "tests/support/required_package.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Program = std::unique_ptr<Verbcast>;

class ComposeTest : public ProgramTest, public ::testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        Verbcast devices({"devices"}, home_);
        EXPECT_TRUE(endsWith(devices, 0));
        if (devices.output().find("OpenGL renderer\n  none") != std::string::npos) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "SKIPPED, no OpenGL here: " << devices.output();
        }
    }
    Program start(const Arguments& arguments) const { return std::make_unique<Verbcast>(arguments, home_); }
    Program render(const std::string& part, const std::string& size = "160x90",
                   const Arguments& more = {}) const {
        return start(Arguments{"render", "--part", part, "--size", size, "--fps", "10", "--listen",
                               listenAddressFor(GetParam())} +
                     more);
    }
    static std::map<std::int64_t, std::string> sumsByPts(const std::string& path) {
        std::map<std::int64_t, std::string> sums;
        for (const FrameSum& sum : frameSums(path)) {
            sums[sum.pts] = sum.md5;
        }
        return sums;
    }
};

TEST_P(ComposeTest, PartsOfSeveralProcessesAreThePictureOfOne) {
    const Program whole = render("1/1", "160x90", {"--frame-md5", file("whole")});
    const Program one = render("1/3"), two = render("2/3"), three = render("3/3");
    const Program pair = start({"compose", two->listenAddress(), three->listenAddress(), "--keep-depth",
                                "--listen", listenAddressFor(GetParam())});
    // A tree: what the pair has merged is merged again.
    const Program all =
        start({"compose", one->listenAddress(), pair->listenAddress(), "--listen",
               listenAddressFor(GetParam()), "--frames", "12", "--frame-md5", file("merged")});
    const Program alone = start({"view", "--headless", whole->listenAddress(), "-q"});
    const Program viewer = start({"view", "--headless", "--once", all->listenAddress(), "-q"});
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*all, 0)) << all->errors();
    whole->signal(SIGINT);
    EXPECT_TRUE(endsWith(*whole, 130));
    const auto expected = sumsByPts(file("whole")), merged = sumsByPts(file("merged"));
    EXPECT_EQ(merged.size(), 12U);
    std::size_t compared = 0;
    for (const auto& [pts, md5] : merged) {
        if (const auto same = expected.find(pts); same != expected.end()) {
            EXPECT_EQ(same->second, md5) << "frame " << pts;
            ++compared;
        }
    }
    EXPECT_GE(compared, 1U) << "no frame was drawn by both";
}

TEST_P(ComposeTest, PartsThatDoNotFitAreNamed) {
    const Program flat = start({"send", "pattern", "--size", "160x90", "--format", "rgba", "--fps", "10",
                                "--listen", listenAddressFor(GetParam())});
    const Program part = render("1/2");
    const Program noDepth = start(
        {"compose", part->listenAddress(), flat->listenAddress(), "--listen", listenAddressFor(GetParam())});
    EXPECT_TRUE(endsWith(*noDepth, kInput));
    EXPECT_NE(noDepth->errors().find("brings no depths"), std::string::npos) << noDepth->errors();
    EXPECT_NE(noDepth->errors().find(flat->listenAddress()), std::string::npos) << noDepth->errors();

    const Program large = render("2/2", "320x180");
    const Program sizes = start(
        {"compose", part->listenAddress(), large->listenAddress(), "--listen", listenAddressFor(GetParam())});
    EXPECT_TRUE(endsWith(*sizes, kInput));
    EXPECT_NE(sizes->errors().find("320x180"), std::string::npos) << sizes->errors();
}

TEST_P(ComposeTest, APartThatComesBackCompletesThePictureAgain) {
    const Program one = render("1/2");
    Program two = render("2/2");
    const std::string address = two->listenAddress();
    const Program all =
        start({"compose", one->listenAddress(), address, "--listen", listenAddressFor(GetParam())});
    const Program viewer = start({"view", "--headless", "--frame-md5", "-", all->listenAddress()});
    EXPECT_EQ(viewer->line(), "#sequence,pts,bytes,md5");
    EXPECT_NE(viewer->line(), "");
    two->kill();
    EXPECT_TRUE(all->waitForError("signal lost")) << all->errors();
    two = start({"render", "--part", "2/2", "--size", "160x90", "--fps", "10", "--listen", address});
    EXPECT_TRUE(all->waitForError("signal restored")) << all->errors();
    EXPECT_NE(viewer->line(), "");
}

INSTANTIATE_TEST_SUITE_P(Over, ComposeTest, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

class ComposeCommandLine : public ProgramTest {};

TEST_F(ComposeCommandLine, SaysWhatPartsAre) {
    const auto errorsOf = [this](const Arguments& arguments) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, kUsage));
        return program.errors();
    };
    for (const std::string part : {"0/3", "4/3", "1", "1/65", "a/b", "1/3x", "/3"}) {
        EXPECT_NE(errorsOf({"render", "--part", part}).find("--part " + part), std::string::npos) << part;
    }
    EXPECT_NE(errorsOf({"render", "--part", "1/2", "--fps", "max"}).find("a rate in common"),
              std::string::npos);
    EXPECT_NE(errorsOf({"render", "--part", "1/2", "--allow-input"}).find("--allow-input"),
              std::string::npos);
    EXPECT_NE(errorsOf({"compose", "tcp://127.0.0.1:1"}).find("2 to 64 parts"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
