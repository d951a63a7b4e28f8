// What a file may make FFmpeg open: nothing. Lists of other files and addresses are followed only if the user
// has named their format, and then as far as FFmpeg's own program follows them.
#include "capture/media/input/input_limits.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/transport/socket_address.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/support/loopback_listener.h"

namespace verbcast::testing {
namespace {

class InputLimits : public FfmpegTest {
  protected:
    void SetUp() override {
        FfmpegTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 10 -c:v mpeg2video " + file("clip.ts"));
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
    static std::string hls(const std::string& segment) {
        return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-VERSION:3\n#EXTINF:0.4,\n" + segment +
               "\n#EXT-X-ENDLIST\n";
    }
    /// Of a server that accepts nothing.
    static UniqueFd webServer() { return loopbackListener(SOCK_NONBLOCK); }
    static std::string addressAt(const UniqueFd& server) {
        return "http://" + localAddressOf(server.get()).text() + "/clip.ts";
    }
    static bool wasCalled(const UniqueFd& server) {
        return ::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC) >= 0 || errno != EAGAIN;
    }
    static std::string problemOf(const SourceOptions& options) {
        try {
            openSource(options);
        } catch (const Error& error) {
            return std::string(error.what()) + " | " + error.remedy();
        }
        return "it was opened";
    }
};

TEST_F(InputLimits, ListsAreNotFollowed) {
    const UniqueFd web = webServer();
    const std::string address = addressAt(web);
    write("local.m3u8", hls("clip.ts"));
    write("remote.m3u8", hls(address));
    write("list.ffconcat", "ffconcat version 1.0\nfile clip.ts\n");
    write("film.mp4", hls(address));  // by whatever name
    write("film.mpd",
          "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" "
          "profiles=\"urn:mpeg:dash:profile:isoff-live:2011\" type=\"static\" "
          "mediaPresentationDuration=\"PT1S\">"
          "<Period><AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\" bandwidth=\"1\"><BaseURL>" +
              address + "</BaseURL></Representation></AdaptationSet></Period></MPD>\n");
    write("film.sdp",
          "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
          "a=rtpmap:96 H264/90000\n");
    for (const char* name :
         {"local.m3u8", "remote.m3u8", "list.ffconcat", "film.mp4", "film.mpd", "film.sdp"}) {
        const std::string problem = problemOf({.source = file(name)});
        EXPECT_NE(problem.find("is a list of other files or addresses"), std::string::npos)
            << name << ": " << problem;
        EXPECT_NE(problem.find("--input-format hls"), std::string::npos) << problem;
    }
    EXPECT_FALSE(wasCalled(web));
}

TEST_F(InputLimits, APipeOpensNothing) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    std::jthread writing([&] { write("pipe", hls(file("clip.ts"))); });
    EXPECT_NE(problemOf({.source = file("pipe")}).find("is a list of other files"), std::string::npos);
}

TEST_F(InputLimits, AListIsFollowedIfItsFormatIsNamed) {
    write("local.m3u8", hls("clip.ts"));
    write("list.ffconcat", "ffconcat version 1.0\nfile clip.ts\n");
    const auto expected = takeSums(*openSource({.source = file("clip.ts")}));
    ASSERT_EQ(expected.size(), 10U);
    EXPECT_EQ(takeSums(*openSource({.source = "concat:" + file("clip.ts")})).size(), 10U);
    for (const auto& [name, format] : {std::pair{"local.m3u8", "hls"}, {"list.ffconcat", "concat"}}) {
        const auto sums = takeSums(*openSource({.source = file(name), .inputFormat = format}));
        ASSERT_EQ(sums.size(), expected.size()) << name;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i].md5, expected[i].md5) << name << ", picture " << i;
        }
    }
    EXPECT_NE(problemOf({.source = file("clip.ts"), .inputFormat = "no-such"}).find("no format of that name"),
              std::string::npos);
}

/// A playlist in a file leads to no web server even then, as with ffmpeg.
TEST_F(InputLimits, AFileLeadsToNoServer) {
    const UniqueFd web = webServer();
    write("remote.m3u8", hls(addressAt(web)));
    EXPECT_NE(problemOf({.source = file("remote.m3u8"), .inputFormat = "hls"}), "it was opened");
    EXPECT_FALSE(wasCalled(web));
}

/// Returns to the working folder.
class InFolder {
  public:
    explicit InFolder(const std::string& folder) : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(folder);
    }
    ~InFolder() { std::filesystem::current_path(before_); }
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;

  private:
    const std::filesystem::path before_;
};

TEST_F(InputLimits, AFileIsAFileWhateverItsName) {
    const InFolder folder(file(""));
    for (const std::string name : {"12:30:00.ts", "1:2.ts", "film:first.ts", "http:film.ts"}) {
        std::filesystem::copy_file("clip.ts", name);
        EXPECT_EQ(takeSums(*openSource({.source = name})).size(), 10U) << name;
    }
    EXPECT_NE(problemOf({.source = "12:31:00.ts"}).find("No such file"), std::string::npos);
    EXPECT_NE(problemOf({.source = "no-such://host"}).find("Protocol not found"), std::string::npos);
}

TEST(InputProtocols, AreThoseOfTheUrl) {
    const auto protocols = [](const std::string& path, bool piped = false) {
        const DictionaryPtr limits = inputLimits(path, piped, "");
        return std::string(av_dict_get(limits.get(), "protocol_whitelist", nullptr, 0)->value);
    };
    EXPECT_EQ(protocols("/tmp/film.mp4"), "file");
    EXPECT_EQ(protocols("film 10:30.mp4"), "file");
    EXPECT_EQ(protocols("file:film.mp4"), "file");
    EXPECT_EQ(protocols("stdin", true), "none");
    EXPECT_EQ(protocols("http://host/film"), "http,https,httpproxy,tls,tcp");
    EXPECT_EQ(protocols("srt://host:1"), "srt,http,tcp,tls,udp");
    EXPECT_EQ(protocols("concat:a.ts|b.ts"), "concat,async,cache,crypto,file,http,https,httpproxy,tls,tcp");
    EXPECT_TRUE(protocols("subfile,,start,0,end,0,,:a.ts").starts_with("subfile,"));
    EXPECT_EQ(protocols("film, the second.mp4"), "file");
    EXPECT_TRUE(protocols("rtmp://host/film").starts_with("rtmp,"));
}

}  // namespace
}  // namespace verbcast::testing
