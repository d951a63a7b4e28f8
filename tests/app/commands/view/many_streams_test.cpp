// Several streams into one viewer: every frame of each arrives, no matter which side connects.
#include <map>

#include "tests/app/commands/view/many_streams.h"

namespace verbcast::testing {
namespace {

class ManyStreamsOver : public ManyStreams, public ::testing::WithParamInterface<std::string> {
  protected:
    /// A viewer of as many senders as there are pictures.
    void viewThatConnects(std::size_t count) {
        std::vector<Program> senders;
        Arguments addresses;
        for (const Picture& picture : std::span(kPictures).first(count)) {
            senders.push_back(start(sending(picture, {"--listen", listenAddressFor(GetParam())})));
            addresses.push_back(senders.back()->listenAddress());
        }
        const Program viewer = view(addresses + Arguments{"--output", file("take-%n.nut")});
        EXPECT_TRUE(endsWith(*viewer, 0));
        for (const Program& sender : senders) {
            EXPECT_TRUE(endsWith(*sender, 0));
        }
        const std::vector<Json> all = streams();
        ASSERT_EQ(all.size(), count);
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(all[i].at("number"), i + 1);
            EXPECT_EQ(all[i].at("name"), addresses[i]);
            EXPECT_EQ(all[i].at("width"), kPictures[i].width);
            EXPECT_EQ(all[i].at("pixel_format"), kPictures[i].format);
            EXPECT_EQ(all[i].at("frames_received"), kPictures[i].frames);
            expectWhole(all[i]);
            expectRecorded(static_cast<int>(i) + 1);
            EXPECT_TRUE(holds(viewer->errors(), "stream " + std::to_string(i + 1) + ": received " +
                                                    std::to_string(kPictures[i].frames) + " frames"));
        }
    }
    /// The same, but the senders connect.
    void viewThatListens(std::size_t count) {
        const Program viewer =
            view({"--listen", listenAddressFor(GetParam()), "--streams", std::to_string(count)});
        const std::string address = viewer->listenAddress();
        std::vector<Program> senders;
        for (const Picture& picture : std::span(kPictures).first(count)) {
            senders.push_back(start(sending(picture, {"--to", address})));
        }
        EXPECT_TRUE(endsWith(*viewer, 0)) << "all that could come have come and ended";
        for (const Program& sender : senders) {
            EXPECT_TRUE(endsWith(*sender, 0));
        }
        std::map<int, int> frames;
        for (const Json& stream : streams()) {
            frames[stream.at("width")] = stream.at("frames_received");
            expectWhole(stream);
        }
        ASSERT_EQ(frames.size(), count);
        for (const Picture& picture : std::span(kPictures).first(count)) {
            EXPECT_EQ(frames[picture.width], picture.frames) << picture.width;
        }
    }

  private:
    /// FFmpeg finds the frames of the list in the recording.
    void expectRecorded(int number) const {
        const auto sums = [](const std::vector<FrameSum>& frames) {
            std::vector<std::string> text;
            for (const FrameSum& frame : frames) {
                text.push_back(frame.md5);
            }
            return text;
        };
        EXPECT_EQ(sums(ffmpegFrameSums({"-i", file("take-" + std::to_string(number) + ".nut")})),
                  sums(frameSums(received(number))));
    }
};

TEST_P(ManyStreamsOver, SixSendersThatAreCalled) {
    viewThatConnects(6);
}

TEST_P(ManyStreamsOver, SixSendersThatCall) {
    viewThatListens(6);
}

VERBCAST_OVER_TRANSPORTS(ManyStreamsOver, variantsForMany());

class TwoStreamsOver : public ManyStreamsOver {};

TEST_P(TwoStreamsOver, SendersThatAreCalled) {
    viewThatConnects(2);
}

TEST_P(TwoStreamsOver, SendersThatCall) {
    viewThatListens(2);
}

INSTANTIATE_TEST_SUITE_P(Thorough, TwoStreamsOver, ::testing::ValuesIn(variantsForMany()), variantName);

}  // namespace
}  // namespace verbcast::testing
