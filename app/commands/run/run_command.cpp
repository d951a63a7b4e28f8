#include "app/commands/run/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/cli/peer_options.h"
#include "app/cli/progress_line.h"
#include "app/commands/run/program_sound.h"
#include "app/host/helper_program.h"
#include "app/host/interrupt.h"
#include "app/host/process_tree.h"
#include "app/preload/run_line.h"
#include "app/preload/run_settings.h"
#include "capture/screen/master_devices.h"
#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/unique_fd.h"
#include "core/base/os/whole_file.h"
#include "core/stats/stats_json.h"
#include "core/stream/stats_stream.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr auto kPictureExpected = 10s;
/// A program that is asked to end (SIGTERM) has this long to do so.
constexpr auto kEndPatience = 5s;

/// The environment with two variables set for our library.
std::vector<std::string> environmentFor(const std::string& library, const std::string& settings) {
    std::vector<std::string> variables;
    std::string preload = library;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        if (text.starts_with("LD_PRELOAD=")) {
            preload += fmt::format(":{}", text.substr(std::strlen("LD_PRELOAD=")));
        } else if (!text.starts_with(fmt::format("{}=", kRunSettingsVariable))) {
            variables.emplace_back(text);
        }
    }
    variables.push_back("LD_PRELOAD=" + preload);
    variables.push_back(fmt::format("{}={}", kRunSettingsVariable, settings));
    return variables;
}

RunSettings settingsOf(const RunOptions& options) {
    RunSettings settings{.options = options, .numaNode = options.numa.node};
    // The program may change its working directory.
    std::string& md5 = settings.options.frameMd5;
    md5 = md5.empty() ? "" : std::filesystem::absolute(md5).string();
    settings.stats = options.statsDescriptor >= 0;
    settings.reports = !options.statsJson.empty() || options.verbosity != Verbosity::Quiet;
    return settings;
}

Json parsed(const std::string& statistics) {
    return Json::parse(statistics, nullptr, false);
}

/// Not an object if the stream reported nothing. If the library last reported "running", the program could
/// not report its end. `status` is that of waitpid().
Json finalStatistics(const std::string& said, int status) {
    Json statistics = parsed(said);
    if (statistics.is_object()) {
        Json& reason = statistics["exit_reason"];
        if (!reason.is_string() || reason == "running") {
            const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            const bool interrupted = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
            reason = interrupted ? "interrupted" : "the program ended";
        }
    }
    return statistics;
}

/// A program with our library preloaded, and what the library reports.
class WatchedProgram {
  public:
    explicit WatchedProgram(const RunOptions& options)
        : name_(options.program.front()),
          progress_(options.verbosity),
          sound_(soundOf(options)),
          line_(options.statsDescriptor, [this] { return sound_ ? sound_->openLine() : UniqueFd(); }) {
        std::string library = helperLibrary("libverbcast-run.so");
        if (library.empty()) {
            throw Error(ErrorKind::Display,
                        "this installation cannot capture programs: libverbcast-run.so is missing",
                        remedyForMissing("verbcast_run"));
        }
        RunSettings settings = settingsOf(options);
        settings.runner = line_.name();
        settings.options.sender.hasSound = sound_ != nullptr;
        if (settings.options.sender.allowInput) {
            settings.devices = devices_.emplace().devices();
        }
        // A name with a space or a colon would be several for the dynamic linker, so it gets another.
        if (library.find_first_of(" :") != std::string::npos) {
            library_.reset(::open(library.c_str(), O_RDONLY | O_CLOEXEC));
            if (!library_) {
                throwErrno(ErrorKind::Resource, "opening", library, errno);
            }
            library = fmt::format("/proc/{}/fd/{}", ::getpid(), library_.get());
        }
        start(options.program, environmentFor(library, toJson(settings)));
    }

    /// Returns the status of waitpid().
    int wait() {
        const auto since = std::chrono::steady_clock::now();
        bool noted = false;
        for (;;) {
            if (const std::optional<int> status = tree_.status()) {
                line_.hear();
                return *status;
            }
            const bool overdue =
                !line_.swapped() && std::chrono::steady_clock::now() - since >= kPictureExpected;
            if (overdue && !std::exchange(noted, true)) {
                printToStderr("verbcast: {} has shown no OpenGL picture for {} s{}\n", name_,
                              kPictureExpected.count(), noPictureHint());
            }
            waitReadable({tree_.descriptor(), line_.descriptor(), sound_ ? sound_->descriptor() : -1,
                          asked_ ? -1 : interruptEvent().descriptor()},
                         noted || line_.swapped() ? Deadline::never() : Deadline::in(1s));
            line_.hear();
            noteSound();
            showStats();
            if (!asked_ && (interruptEvent().isSet() || line_.end())) {
                end();
            }
        }
    }

    bool swapped() const { return line_.swapped(); }
    /// How the stream ended, if before the program.
    const std::optional<RunEnd>& streamEnd() const { return line_.end(); }
    /// As JSON; "" if the stream reported nothing.
    const std::string& statistics() const { return line_.statistics(); }
    /// Prints the summary of `send`. If a signal ended the program, it is up to a second old.
    void summarize(const Json& statistics) {
        const auto stats = senderStatsFromJson(statistics);
        if (!stats) {
            return;
        }
        progress_.note(fmt::format("sent {} ({})", summaryText(*stats),
                                   statistics.at("exit_reason").get_ref<const std::string&>()));
        for (const std::string& viewer : viewerLines(*stats)) {
            progress_.note(viewer);
        }
    }
    std::string noPictureHint() const {
        return line_.loaded() ? ": it may use Vulkan, or draw without swapping buffers"
                              : ": Verbcast's library was not loaded; it may be statically linked or setuid";
    }

  private:
    /// Null: none is sent.
    std::unique_ptr<ProgramSound> soundOf(const RunOptions& options) {
        try {
            return options.audio == "none" ? nullptr : std::make_unique<ProgramSound>(options.audio);
        } catch (const Error& error) {
            if (options.audio != "auto") {
                throw;
            }
            progress_.note(fmt::format("note: no sound: {}", error.what()));
            return nullptr;
        }
    }

    void noteSound() {
        for (const std::string& note : sound_ ? sound_->takeNotes() : std::vector<std::string>()) {
            progress_.news("sound note", "note: " + note);
        }
    }

    /// Also what it has started: who ends a shell would leave its programs running.
    void end() {
        asked_ = true;
        const Event& insist = interruptEvent().isSet() ? secondInterruptEvent() : interruptEvent();
        if (tree_.end(kEndPatience, insist)) {
            printToStderr(
                "verbcast: {}, or what it had started, did not end when asked to (SIGTERM), and was killed\n",
                name_);
        }
        letSecondInterruptEnd();
    }

    void showStats() {
        if (!progress_.due() || line_.statistics() == shown_) {
            return;
        }
        shown_ = line_.statistics();
        if (const auto stats = senderStatsFromJson(parsed(shown_)); stats && stats->framesTransferred > 0) {
            progress_.statistics(*stats, viewersText(*stats));
        }
    }

    void start(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
        const int code = tree_.start(words.front(), words, {.environment = &environment});
        if (code != 0) {
            throwErrno(ErrorKind::Input, "starting", name_, code,
                       "give a program that exists: verbcast run -- PROGRAM");
        }
        if (devices_) {
            devices_->usedBy(tree_.root());
        }
    }

    std::string name_;
    std::optional<OwnMasterPair> devices_;  // for viewers; here, so that they always go with the program
    ProgressLine progress_;
    std::unique_ptr<ProgramSound> sound_;
    RunLine line_;
    std::string shown_;  // the statistics last shown
    UniqueFd library_;   // if its name is none for the dynamic linker
    ProcessTree tree_;
    bool asked_ = false;  // to end
};

void writeStatistics(const RunOptions& options, Json statistics) {
    if (options.statsJson.empty()) {
        return;
    }
    if (!statistics.is_object()) {
        throw Error(
            ErrorKind::Input,
            fmt::format("--stats-json {}: the stream has reported nothing: the program ended too early",
                        options.statsJson));
    }
    statistics["numa"] = fieldsJson(options.numa);
    writeWhole(options.statsJson, statistics.dump(2) + "\n");
}

/// For a stream that ended before the program.
int explain(const RunEnd& end) {
    if (end.exitCode != 0) {
        log().error("the stream has ended: {}", end.reason);
    }
    return end.exitCode;
}

}  // namespace

int runProgram(const RunOptions& options) {
    checkHostExists(options.sender);
    installInterruptHandler();
    checkWritable(options.statsJson);
    if (options.statsDescriptor >= 0) {
        StatsOutput::requireWritable(options.statsDescriptor);
    }
    secondInterruptEvent();  // whatever comes first, the program is to end first
    WatchedProgram program(options);
    const int status = program.wait();
    if (program.swapped()) {
        const Json statistics = finalStatistics(program.statistics(), status);
        program.summarize(statistics);
        writeStatistics(options, statistics);
    }
    if (program.streamEnd()) {
        return explain(*program.streamEnd());
    }
    if (WIFSIGNALED(status)) {
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status) == 0 && !program.swapped()) {
        throw Error(ErrorKind::Input, fmt::format("{} ended without showing an OpenGL picture{}",
                                                  options.program.front(), program.noPictureHint()));
    }
    return WEXITSTATUS(status);
}

}  // namespace verbcast
