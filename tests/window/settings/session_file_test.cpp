// The main window's settings as a file and as a command line, and its programs' answers. Needs no display.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "app/cli/shell_words.h"
#include "app/commands/key/key_file.h"
#include "app/window/main/child_program.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/command_composer.h"
#include "app/window/settings/session_file.h"
#include "app/window/settings/settings_problem.h"
#include "app/window/stats/sender_stats.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

SendSettings unusualSettings() {
    return {.source = SourceKind::Program,
            .pattern = "zone",
            .file = "/tmp/a \"clip\".mp4",
            .loop = true,
            .decoder = "vaapi",
            .screen = "monitor=HDMI-1",
            .camera = "/dev/video2",
            .scene = "swarm",
            .program = "glxgears -info 'two words'",
            .size = "1280x720",
            .format = "v210",
            .rate = "59.94",
            .policy = "lossless",
            .audio = "alsa:mic",
            .listen = false,
            .listenAddress = ":7000",
            .peer = "verbs://wall",
            .allowInput = true,
            .trust = {.keyFile = "/etc/wall.key", .encrypt = true, .open = true, .grants = kMayView},
            .preview = false};
}

TEST(SessionFile, KeepsEverySetting) {
    const Session session{unusualSettings(),
                          {.listen = true,
                           .address = "tcp://a:1",
                           .layout = "focus",
                           .streams = "6",
                           .panes = "1:0,0,100",
                           .align = "pts",
                           .delay = "80",
                           .fullscreen = true,
                           .input = true,
                           .trust = {.keyFile = "a.key", .encrypt = true, .open = true, .grants = 0}}};
    EXPECT_EQ(sessionFromText(sessionText(session), "x"), session);
    EXPECT_EQ(sessionFromText(sessionText({}), "x"), Session{});
    EXPECT_NE(sessionText(session), sessionText({}));
}

TEST(SessionFile, TakesTheDefaultForWhatIsMissing) {
    Session expected;
    expected.send.source = SourceKind::Scene;
    EXPECT_EQ(sessionFromText(R"({"verbcast_session": 1, "send": {"source": "scene"}})", "x"), expected);
}

struct BadSession {
    const char* text;
    const char* where;
    const char* what;
};

TEST(SessionFile, NamesThePlaceOfAnError) {
    const std::string deep =
        "{\"verbcast_session\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    const BadSession cases[] = {
        {"{\n  \"verbcast_session\": 1,\n  \"send\": {,\n}", "wall.verbcast, line 3", "not JSON"},
        {"", "wall.verbcast, line 1", "not JSON"},
        {"[1]", "wall.verbcast: the file", "an object expected"},
        {"{\"verbcast_session\": 1e999}", "wall.verbcast", "not JSON"},
        {deep.c_str(), "verbcast_session", "a whole number expected, not an array"},
        {"{}", "verbcast_session", "not a Verbcast session"},
        {R"({"verbcast_session": 2})", "verbcast_session", "version 1 expected, not 2"},
        {R"({"verbcast_session": 1, "sned": {}})", "sned", "no such setting"},
        {R"({"verbcast_session": 1, "send": {"sizes": ""}})", "send.sizes", "no such setting"},
        {R"({"verbcast_session": 1, "send": {"size": 5}})", "send.size", "text in quotes expected, not 5"},
        {R"({"verbcast_session": 1, "send": {"loop": "yes"}})", "send.loop", "true or false expected"},
        {R"({"verbcast_session": 1, "send": {"source": "tape"}})", "send.source", "not \"tape\""},
        {R"({"verbcast_session": 1, "view": []})", "view.", "an object expected"},
        {R"({"verbcast_session": 1, "send": {"key_file": true}})", "send.key_file", "text in quotes"},
        {R"({"verbcast_session": 1, "view": {"open": "yes"}})", "view.open", "true or false expected"},
        {R"({"verbcast_session": 1, "send": {"grant": "view,steer"}})", "send.grant", "not \"view,steer\""}};
    for (const BadSession& bad : cases) {
        try {
            static_cast<void>(sessionFromText(bad.text, "wall.verbcast"));
            ADD_FAILURE() << "taken: " << bad.text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_NE(std::string(error.what()).find(bad.where), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(bad.what), std::string::npos) << error.what();
            EXPECT_NE(error.remedy(), "");
        }
    }
}

TEST(SessionFile, TakesThePathOfAKeyFileAndNoKey) {
    const std::string key(64, 'a');
    for (const char* page : {"send", "view"}) {
        try {
            static_cast<void>(sessionFromText(
                fmt::format(R"({{"verbcast_session": 1, "{}": {{"key_file": "{}"}}}})", page, key), "x"));
            ADD_FAILURE() << "taken";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(fmt::format("{}.key_file: the path", page)),
                      std::string::npos)
                << error.what();
            EXPECT_EQ(std::string(error.what()).find(key), std::string::npos) << "the key itself is shown";
        }
    }
}

TEST(SessionFile, ThatIsMissingIsAnError) {
    EXPECT_THROW(static_cast<void>(readSession("/nonexistent/a.verbcast")), Error);
    EXPECT_THROW(writeSession("/nonexistent/a.verbcast", {}), Error);
}

TEST(SessionFile, ThatIsEmptyOrAFolderIsAnErrorOfItsOwn) {
    const QTemporaryDir folder;
    const std::string empty = folder.filePath("empty.verbcast").toStdString();
    std::ofstream(empty).close();
    for (const auto& [path, what] :
         {std::pair{empty, "this is not JSON"}, std::pair{folder.path().toStdString(), "Is a directory"}}) {
        try {
            static_cast<void>(readSession(path));
            ADD_FAILURE() << "read: " << path;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    }
}

TEST(CommandComposer, LeavesOutWhatIsNotSet) {
    EXPECT_EQ(sendCommand({}), (Words{"send", "pattern:bars"}));
    EXPECT_EQ(viewCommand({}), (Words{"view"}));
}

TEST(CommandComposer, SaysWhatIsSet) {
    SendSettings settings = unusualSettings();
    settings.source = SourceKind::File;
    EXPECT_EQ(sendCommand(settings), (Words{"send",          "/tmp/a \"clip\".mp4",
                                            "--loop",        "--decoder",
                                            "vaapi",         "--size",
                                            "1280x720",      "--format",
                                            "v210",          "--fps",
                                            "59.94",         "--audio",
                                            "alsa:mic",      "--policy",
                                            "lossless",      "--to",
                                            "verbs://wall",  "--key-file",
                                            "/etc/wall.key", "--encrypt"}));
    settings.listen = true;
    settings.source = SourceKind::Screen;  // has its own size and format, and accepts input
    EXPECT_EQ(sendCommand(settings),
              (Words{"send", "screen:monitor=HDMI-1", "--fps", "59.94", "--audio", "alsa:mic", "--policy",
                     "lossless", "--allow-input", "--listen", ":7000", "--key-file", "/etc/wall.key",
                     "--encrypt", "--grant", "view"}));
    EXPECT_EQ(viewCommand({.listen = true, .address = ":7000", .fullscreen = true, .input = true}),
              (Words{"view", "--listen", ":7000", "--fullscreen", "--input"}));
    EXPECT_EQ(viewCommand({.address = " render1  shm://cam 10.0.0.5:7500", .layout = "pip"}),
              (Words{"view", "render1", "shm://cam", "10.0.0.5:7500", "--layout", "pip"}));
    EXPECT_EQ(composeCommand({.address = "render1 shm://cam", .layout = "pip", .trust = {.keyFile = "/k"}}, 2,
                             {1280, 720}),
              (Words{"compose", "--layout", "pip", "--size", "1280x720", "--focus", "2", "--listen", ":0",
                     "--control", "--key-file", "/k", "render1", "shm://cam"}));
    const ViewSettings wall{.listen = true, .layout = "free", .streams = "6", .panes = "1:0,0,100"};
    EXPECT_EQ(viewCommand(wall),
              (Words{"view", "--listen", "--streams", "6", "--layout", "free", "--panes", "1:0,0,100"}));
    EXPECT_NO_THROW(checkCommand(viewCommand(wall)));
    EXPECT_EQ(viewCommand({.layout = "grid", .streams = "6", .panes = "1:0,0,100"}),
              (Words{"view", "--layout", "grid"}))
        << "they mean nothing there";
    const ViewSettings pair{.address = "left right", .layout = "anaglyph", .align = "pts", .delay = "80"};
    EXPECT_EQ(viewCommand(pair),
              (Words{"view", "left", "right", "--layout", "anaglyph", "--align", "pts", "--delay", "80"}));
    EXPECT_NO_THROW(checkCommand(viewCommand(pair)));
    EXPECT_EQ(viewCommand({.address = "left right", .delay = "80"}), (Words{"view", "left", "right"}))
        << "a delay of what is not aligned";
    EXPECT_THROW(checkCommand({"view", "--panes", "1:0,0,100"}), Error);
    EXPECT_THROW(checkCommand({"view", "--layout", "free", "--panes", "1"}), Error);
}

// A session may be somebody else's: what it says is a value, never an option.
TEST(CommandComposer, NoSettingBecomesAnOption) {
    const std::string option = "--stats-json=/tmp/x";
    for (const char* address :
         {"tcp://h:1 --output=/tmp/x --output-format rawvideo", "--output=/tmp/x", "-v"}) {
        EXPECT_THROW(static_cast<void>(viewCommand({.address = address})), Error) << address;
        EXPECT_THROW(static_cast<void>(viewCommand({.listen = true, .address = address})), Error) << address;
    }
    const auto isOption = [&](const std::string& word) { return word == option; };
    for (const SourceKind kind :
         {SourceKind::Pattern, SourceKind::File, SourceKind::Screen, SourceKind::Camera, SourceKind::Scene}) {
        for (const bool listen : {false, true}) {
            const SendSettings settings{.source = kind,
                                        .pattern = option,
                                        .file = option,
                                        .decoder = option,
                                        .screen = option,
                                        .camera = option,
                                        .scene = option,
                                        .size = option,
                                        .format = option,
                                        .rate = option,
                                        .policy = option,
                                        .audio = option,
                                        .listen = listen,
                                        .listenAddress = option,
                                        .peer = option,
                                        .trust = {.keyFile = option}};
            const Words words = sendCommand(settings);
            EXPECT_EQ(std::ranges::count_if(words, isOption), 0) << shellLine(words);
            EXPECT_EQ(std::ranges::count_if(previewCommand(settings, "shm://x"), isOption), 0);
        }
        SendSettings settings{.source = kind, .file = "/clip.mp4", .listenAddress = option};
        EXPECT_THROW(checkCommand(sendCommand(settings)), Error) << "an address";
    }
    const Words words = viewCommand({.listen = true,
                                     .layout = option,
                                     .streams = option,
                                     .align = option,
                                     .delay = option,
                                     .trust = {.keyFile = option}});
    EXPECT_EQ(std::ranges::count_if(words, isOption), 0) << shellLine(words);
    EXPECT_EQ(viewCommand({.layout = "free", .panes = "-x"}),
              (Words{"view", "--layout", "free", "--panes=-x"}));
}

TEST(CommandComposer, AFileIsAFileOrAUrl) {
    const auto word = [](const char* file) {
        return sendCommand({.source = SourceKind::File, .file = file}).at(1);
    };
    for (const char* file :
         {"/a.mp4", "./a.mp4", "../a.mp4", "http://host/a.mp4", "rtmp://host/a", "file:///a.mp4"}) {
        EXPECT_EQ(word(file), file);
    }
    for (const std::string file :
         {"screen", "screen:x/y", "v4l2:/dev/video0", "--stats-json=/x", "-", "clips/a.mp4",
          "concat:http://host/a", "subfile,,start,0,end,9,,:http://host/a", "pattern:://x", "://x"}) {
        EXPECT_EQ(word(file.c_str()), "./" + file);
    }
}

TEST(CommandComposer, NothingForeignIsOpenedWithoutConsent) {
    const auto ofFile = [](const char* file) {
        return needsConsent({.source = SourceKind::File, .file = file});
    };
    EXPECT_EQ(ofFile("http://host/a.mp4"), "http://host/a.mp4");
    EXPECT_EQ(ofFile("crypto+http://host/a.mp4"), "crypto+http://host/a.mp4");
    EXPECT_EQ(ofFile("/a.mp4"), "");
    EXPECT_EQ(ofFile("file:///a.mp4"), "");
    EXPECT_EQ(needsConsent({.source = SourceKind::Program, .program = "glxgears"}), "glxgears");
    EXPECT_EQ(needsConsent({.source = SourceKind::Screen, .file = "http://host/a", .program = "x"}), "");
}

TEST(CommandComposer, LetsInAnybodyOnlyWhereItListensWithoutAKey) {
    SendSettings settings;
    settings.trust.open = true;
    EXPECT_EQ(sendCommand(settings), (Words{"send", "pattern:bars", "--open"}));
    settings.trust.keyFile = "wall.key";
    EXPECT_EQ(sendCommand(settings), (Words{"send", "pattern:bars", "--key-file", "./wall.key"}));
    EXPECT_EQ(viewCommand({.trust = {.open = true}}), (Words{"view"}));
    EXPECT_EQ(viewCommand({.listen = true, .trust = {.open = true}}), (Words{"view", "--listen", "--open"}));
    settings.listen = false;
    settings.peer = "wall";
    settings.trust.keyFile.clear();
    EXPECT_EQ(sendCommand(settings), (Words{"send", "pattern:bars", "--to", "wall"}));
}

TEST(CommandComposer, GrantsAreForThoseWhoAreLetIn) {
    const TrustSettings some{.grants = kMayView | kMayInput};
    EXPECT_EQ(sendCommand({.trust = some}), (Words{"send", "pattern:bars", "--grant", "view,input"}));
    EXPECT_EQ(sendCommand({.listen = false, .peer = "wall", .trust = some}),
              (Words{"send", "pattern:bars", "--to", "wall"}));
    EXPECT_EQ(viewCommand({.listen = true, .trust = {.grants = kMaySend}}),
              (Words{"view", "--listen", "--grant", "send"}));
    EXPECT_NO_THROW(checkCommand(sendCommand({.trust = some})));
    EXPECT_THROW(static_cast<void>(sendCommand({.trust = {.grants = 0}})), Error) << "taken for all";
    EXPECT_THROW(static_cast<void>(viewCommand({.listen = true, .trust = {.grants = 0}})), Error);
}

TEST(CommandComposer, WatchingOnlyAddsOptions) {
    const Watch watch{7, "shm://look"};
    for (const SourceKind kind : {SourceKind::Pattern, SourceKind::File, SourceKind::Screen,
                                  SourceKind::Camera, SourceKind::Scene, SourceKind::Program}) {
        SendSettings settings = unusualSettings();
        settings.source = kind;
        Words plain = sendCommand(settings);
        const Words watched = sendCommand(settings, watch);
        const auto end = std::find(plain.begin(), plain.end(), "--");
        Words options{"--stats-fd", "7", "--preview", "shm://look"};
        if (kind == SourceKind::File) {
            options.emplace_back("--control");
        }
        plain.insert(end, options.begin(), options.end());
        EXPECT_EQ(watched, plain);
    }
}

TEST(CommandComposer, EveryCommandIsUnderstood) {
    const QTemporaryDir folder;
    const std::string key = folder.filePath("key").toStdString();
    writeNewKey(key);
    for (const SourceKind kind : {SourceKind::Pattern, SourceKind::File, SourceKind::Screen,
                                  SourceKind::Camera, SourceKind::Scene, SourceKind::Program}) {
        SendSettings settings = unusualSettings();
        settings.source = kind;
        settings.trust.keyFile = key;
        EXPECT_NO_THROW(checkCommand(sendCommand(settings)));
        EXPECT_NO_THROW(checkCommand(sendCommand(settings, Watch{1, "shm://look"})));
        if (needsConsent(settings).empty()) {
            EXPECT_NO_THROW(checkCommand(previewCommand(settings, "shm://look")));
        }
    }
    EXPECT_NO_THROW(checkCommand(viewCommand({.listen = true, .address = ":7000", .fullscreen = true})));
}

TEST(CommandComposer, RefusesWhatIsMissing) {
    EXPECT_THROW(static_cast<void>(sendCommand({.source = SourceKind::File})), Error);
    EXPECT_THROW(static_cast<void>(sendCommand({.source = SourceKind::Program})), Error);
    EXPECT_THROW(static_cast<void>(sendCommand({.listen = false})), Error);
    EXPECT_THROW(checkCommand(sendCommand({.size = "12"})), Error);
    // A file in the working folder with the name of a source.
    EXPECT_EQ(sendCommand({.source = SourceKind::File, .file = "screen"})[1], "./screen");
}

TEST(ShellWords, AreTheirOwnInverse) {
    const std::vector<std::string> words{"a", "", "two words", "it's", "\"", "\\", "$HOME", "x=1", "ü"};
    EXPECT_EQ(shellWords(shellQuoted(words)), words);
    EXPECT_EQ(shellWords("  a 'b c'd \"e \\\" $f\" \\ g  "),
              (std::vector<std::string>{"a", "b cd", "e \" $f", " g"}));
    EXPECT_EQ(shellWords(" "), std::vector<std::string>{});
    EXPECT_THROW(static_cast<void>(shellWords("a 'b")), Error);
}

TEST(ShellWords, OfTheHomeFolderAreShortAndTheSameToAShell) {
    const std::string home = std::getenv("HOME");
    const std::vector<std::string> words{home,  home + "/clip.mp4", home + "/it's mine", home + "2/x", "~/x",
                                         "/tmp"};
    const std::string line = shellQuotedFromHome(words);
    EXPECT_NE(line.find(" ~/clip.mp4 ~/'it"), std::string::npos) << line;
    std::string expected;
    for (const std::string& word : words) {
        expected += word + "\n";
    }
    FILE* const shell = ::popen(("printf '%s\\n' " + line).c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string got(expected.size() + 1, '\0');
    got.resize(std::fread(got.data(), 1, got.size(), shell));
    EXPECT_EQ(::pclose(shell), 0);
    EXPECT_EQ(got, expected);
}

TEST(SenderStats, AreReadFromALine) {
    const auto stats = senderStatsFromLine(
        R"({"width":1920,"height":1080,"pixel_format":"rgba","fps":59.5,"gigabytes_per_second":0.5,)"
        R"("frames":100,"frames_sent":100,"frames_dropped":2,"bytes":1000,"connections":1,"connections_lost":0,)"
        R"("needs_pairing":true,"decoder":{"name":"vaapi","codec":"h264","reason":"it decodes this file",)"
        R"("from_device":100},)"
        R"("receivers":[{"name":"wall","peer":"process 7","transport":"shm","protection":"proven","frames_sent":98,)"
        R"("frames_dropped":2,"frames_shown":97,"frames_skipped":1,)"
        R"("latency_us":{"p50":40,"p99":null,"p999":null,"max":99,"count":98},"clock_error_us":0}]})");
    ASSERT_TRUE(stats);
    EXPECT_EQ(stats->frames, 100U);
    EXPECT_EQ(stats->framesPerSecond, 59.5);
    EXPECT_TRUE(stats->needsPairing);
    EXPECT_EQ(stats->decoder, "vaapi");
    EXPECT_EQ(stats->decoderReason, "it decodes this file");
    ASSERT_EQ(stats->receivers.size(), 1U);
    EXPECT_EQ(stats->receivers[0].name, "wall");
    EXPECT_EQ(stats->receivers[0].protection, Protection::Proven);
    EXPECT_EQ(stats->receivers[0].dropped, 2U);
    EXPECT_EQ(stats->receivers[0].latencyP50, 40);
    EXPECT_FALSE(stats->receivers[0].latencyP99) << "98 frames tell none";
    for (const char* line : {"", "{}", "null", "[]", "{\"width\":\"a\"}", "not json"}) {
        EXPECT_FALSE(senderStatsFromLine(line)) << line;
        EXPECT_FALSE(pairingNews(line)) << line;
    }
    const auto news = pairingNews(R"({"pairing":{"host":"10.0.0.9","code":"ABCD-EFGH","seconds":540}})");
    ASSERT_TRUE(news && news->invitation);
    EXPECT_EQ(news->invitation->host, "10.0.0.9");
    EXPECT_EQ(news->invitation->code, "ABCD-EFGH");
    EXPECT_EQ(news->invitation->validFor, std::chrono::seconds(540));
    ASSERT_TRUE(pairingNews(R"({"pairing":null})"));
    EXPECT_FALSE(pairingNews(R"({"pairing":null})")->invitation);
    EXPECT_FALSE(pairingNews(R"({"pairing":{"host":7}})"));
}

TEST(SettingsProblem, SpeaksOfFieldsAndAlarmsOnlyWhenSomethingIsWrong) {
    const auto problemOf = [](const SendSettings& settings) {
        try {
            checkCommand(sendCommand(settings));
        } catch (const Error& error) {
            return settingsProblem(error);
        }
        return Message{};
    };
    for (const SendSettings& settings :
         {SendSettings{.source = SourceKind::File}, SendSettings{.source = SourceKind::Program},
          SendSettings{.listen = false}, SendSettings{.trust = {.grants = 0}}}) {
        const Message message = problemOf(settings);
        EXPECT_FALSE(message.text.isEmpty());
        EXPECT_FALSE(message.alarming) << "it has only still to be chosen: " << message.text.toStdString();
    }
    for (const SendSettings& settings :
         {SendSettings{.size = "12"}, SendSettings{.rate = "fast"}, SendSettings{.listenAddress = "udp://a"},
          SendSettings{.listen = false, .peer = "wall", .trust = {.encrypt = true}}}) {
        const Message message = problemOf(settings);
        EXPECT_TRUE(message.alarming);
        const QString all = message.text + message.remedy;
        EXPECT_FALSE(all.contains("--") || all.contains("verbcast ")) << all.toStdString();
    }
    EXPECT_EQ(problemOf({.listen = false, .peer = "wall", .trust = {.encrypt = true}}).text,
              "encrypting the pictures needs a key");
    EXPECT_TRUE(problemOf({.size = "12"}).text.startsWith("Size 12: "));
    EXPECT_TRUE(problemOf({.size = "12"}).remedy.startsWith("For example 3840x2160"));
    EXPECT_EQ(inWindowWords(QString("a--size b --sizes --size")), "a--size b --sizes Size");
}

TEST(WindowWords, LeaveOutWhatNoWindowCanDo) {
    const auto remedy = [](const char* text) {
        return inWindowWords(Message{.title = {}, .text = {}, .remedy = text}).remedy.toStdString();
    };
    EXPECT_EQ(remedy("give both sides the same key (--key-file FILE or VERBCAST_KEY), or none"),
              "Give both sides the same key, or none");
    EXPECT_EQ(remedy("type the code that the other side shows now: verbcast key pair tcp://render1:7423"),
              "Type the code that the other side shows now");
    EXPECT_EQ(inWindowWords(QString("To admit it, run  verbcast key pair ADDRESS  there (the address that it "
                                    "called) within 3 minutes")),
              "To admit it, connect again there within 3 minutes");
    EXPECT_EQ(remedy("start the other side, or check its --listen address and port"),
              "Start the other side, or check its address and port");
    EXPECT_EQ(remedy("choose another port, for example --listen tcp://:7424"),
              "Choose another port, for example tcp://:7424");
    EXPECT_EQ(remedy("use tcp://, or see \"verbcast devices\""), "Use tcp://");
    EXPECT_EQ(remedy("verbcast devices lists the cameras; is it plugged in?"), "Is it plugged in?");
    EXPECT_EQ(remedy("choose a smaller --size or --fps, or plug it into a USB port of its own"),
              "Choose a smaller Size or Rate, or plug it into a USB port of its own");
    EXPECT_EQ(remedy("use fewer slots (--slots) or a smaller --size"), "Use fewer slots or a smaller Size");
    EXPECT_EQ(remedy("see verbcast doctor"), "");
    EXPECT_EQ(
        inWindowWords(QString("the sender already serves its maximum number of viewers (--max-viewers)")),
        "the sender already serves its maximum number of viewers");
}

TEST(ChildProblem, IsTheLastErrorWithItsRemedy) {
    const QStringList lines{"verbcast: warning: slow", "verbcast: cannot listen", "  try: another port"};
    const auto problem = childProblem(lines, 4);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->text, "cannot listen");
    EXPECT_EQ(problem->remedy, "Another port");
    EXPECT_TRUE(problem->alarming);
    EXPECT_EQ(childProblem({"sent 5 frames"}, 4)->text, "sent 5 frames (exit code 4)");
    EXPECT_EQ(childProblem({}, 139)->text, "it ended with exit code 139");
    EXPECT_FALSE(childProblem(lines, 0));
    EXPECT_FALSE(childProblem(lines, 130));
}

}  // namespace
}  // namespace verbcast::testing
