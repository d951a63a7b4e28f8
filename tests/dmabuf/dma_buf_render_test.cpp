// verbcast render --memory dmabuf on a virtual graphics card (vgem): what arrives, what is copied, and what
// is left when a viewer dies.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "tests/support/patience.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class DmaBufRender : public ProgramTest {
  protected:
    std::unique_ptr<Verbcast> render(const std::string& transport, const std::string& memory,
                                     const Arguments& more) const {
        return std::make_unique<Verbcast>(
            Arguments{"render", "--policy", "lossless", "--memory", memory, "--frame-md5", file(memory),
                      "--stats-json", file(memory + ".json"), "-v", "--listen", listenAddressFor(transport)} +
                more,
            home_);
    }
    std::unique_ptr<Verbcast> view(const std::string& address, const std::string& name,
                                   const Arguments& more = {"--once"}) const {
        return std::make_unique<Verbcast>(
            Arguments{"view", "--headless", "--frame-md5", file(name), address} + more, home_);
    }
    std::map<std::int64_t, std::string> sumsByTime(const std::string& name) const {
        std::map<std::int64_t, std::string> sums;
        for (const FrameSum& sum : frameSums(file(name), Gaps::Allowed)) {
            sums[sum.pts] = sum.md5;
        }
        return sums;
    }
    static std::size_t descriptorsOf(const Verbcast& program) {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each :
             std::filesystem::directory_iterator("/proc/" + std::to_string(program.pid()) + "/fd")) {
            ++count;
        }
        return count;
    }
};

class DmaBufRenderOver : public DmaBufRender, public ::testing::WithParamInterface<std::string> {};

/// Both draw by the host's clock, and so slowly that neither misses a tick.
TEST_P(DmaBufRenderOver, TheFramesAreThoseOfMainMemory) {
    Verbcast wall({"wall", "new", "1x1", "--size", "62x48", "--sources", "1x1", "--output", file("wall")},
                  home_);
    ASSERT_TRUE(endsWith(wall, 0));
    const Arguments byTheClock{"--wall", file("wall"), "--source", "part-1-1", "--fps",
                               "1/4",    "--frames",   "4",        "--once"};
    const auto host = render(GetParam(), "host", byTheClock), card = render(GetParam(), "dmabuf", byTheClock);
    const std::string hostAddress = host->listenAddress(), cardAddress = card->listenAddress();
    const auto one = view(hostAddress, "host-came"), other = view(cardAddress, "card-came");
    for (Verbcast* program : {host.get(), card.get(), one.get(), other.get()}) {
        EXPECT_TRUE(endsWith(*program, 0));
    }
    EXPECT_TRUE(holds(card->errors(), "frames are drawn into their slots, dma-bufs of /dev/dri/"));
    const auto hosts = sumsByTime("host"), cards = sumsByTime("dmabuf");
    EXPECT_EQ(cards.size(), 4U);
    EXPECT_EQ(sumsByTime("card-came"), cards);
    std::size_t common = 0;
    for (const auto& [pts, sum] : cards) {
        if (const auto same = hosts.find(pts); same != hosts.end()) {
            EXPECT_EQ(sum, same->second) << pts;
            ++common;
        }
    }
    EXPECT_GT(common, 0U) << "both are drawn by the same clock";
    const auto stats = readJson(file("dmabuf.json"));
    EXPECT_EQ(stats["pixel_format"], readJson(file("host.json"))["pixel_format"]);
    EXPECT_GT(stats["bytes"], 4 * 62 * 48 * 4) << "this card's rows are wider than the picture";
    // Over tcp the kernel copies each byte once, as always.
    EXPECT_EQ(stats["bytes_copied"], GetParam() == "shm" ? nlohmann::json(0) : stats["bytes"]) << stats;
    EXPECT_EQ(stats["bytes_from_device"], 0);
    EXPECT_EQ(card->errors().find("frames are copied before they are sent"), std::string::npos)
        << card->errors();
}

INSTANTIATE_TEST_SUITE_P(Over, DmaBufRenderOver, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

/// Soft-RoCE reads no dma-bufs, and vgem's mappings cannot be locked.
TEST_F(DmaBufRender, OverVerbsFramesAreCopiedAndTheReasonsTold) {
    const auto sender =
        render("verbs", "dmabuf", {"--size", "62x48", "--fps", "5", "--frames", "5", "--once"});
    const auto viewer = view(sender->listenAddress(), "came");
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_EQ(sumsByTime("came"), sumsByTime("dmabuf"));
    const auto stats = readJson(file("dmabuf.json"));
    EXPECT_EQ(stats["bytes_copied"], stats["bytes"]) << stats;
    EXPECT_TRUE(holds(sender->errors(),
                      "frames are copied before they are sent: the frames are in dma-bufs: rxe0: "));
    EXPECT_TRUE(holds(sender->errors(), "; and where they are mapped: "));
}

/// The sender has lost a viewer that still holds slots, which come back when it dies. Lossless: without them
/// the next viewer would get no more than are left.
TEST_F(DmaBufRender, AViewerThatIsKilledLeavesNothing) {
    constexpr const char* kLeft = "last viewer left: ";
    const auto sender = render("shm", "dmabuf", {"--size", "62x48", "--fps", "10", "--slots", "3"});
    const std::string address = sender->listenAddress();
    const auto sees = [&](const char* name, const char* frames) {
        const std::size_t mark = sender->errorMark();
        const auto viewer = view(address, name, {"--frames", frames});
        EXPECT_TRUE(endsWith(*viewer, 0));
        EXPECT_TRUE(sender->waitForError(kLeft, mark));
    };
    sees("first", "2");
    const std::size_t open = descriptorsOf(*sender);
    const std::size_t mark = sender->errorMark();
    const auto stopped = view(address, "stopped", {});
    ASSERT_TRUE(stopped->waitForError("receiving "));
    stopped->signal(SIGSTOP);
    ASSERT_TRUE(sender->waitForError("no sign of life", mark));
    stopped->kill();
    sees("last", "12");
    EXPECT_EQ(sumsByTime("last").size(), 12U) << "more than there are slots";
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    while (descriptorsOf(*sender) != open && std::chrono::steady_clock::now() < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(descriptorsOf(*sender), open);
    sender->signal(SIGINT);
    EXPECT_TRUE(sender->waitForEnd());
}

}  // namespace
}  // namespace verbcast::testing
