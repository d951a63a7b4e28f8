#include "app/copy/copy_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/report_error.h"
#include "app/cli/shell_words.h"
#include "app/copy/copy_receiver.h"
#include "app/copy/copy_sender.h"
#include "app/host/process.h"
#include "app/pipe/pipe_report.h"
#include "app/pipe/run/pipeline.h"
#include "app/pipe/run/pipeline_report.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/clean_text.h"
#include "core/base/text/counted.h"
#include "core/pipe/pipe_messages.h"

namespace verbcast {
namespace {

/// ssh and similar programs start in the home folder.
std::string fromHome(const std::string& target) {
    const std::string path = target == "~" ? "" : target.starts_with("~/") ? target.substr(2) : target;
    return path.empty() ? "." : path;
}

std::string remoteCommand(const CopyOptions& options) {
    return fmt::format("{} copy-receive{}{} -- {}", options.access.program, options.resume ? " --resume" : "",
                       options.sources.size() > 1 ? " --into" : "", shellQuoted(fromHome(options.target)));
}

/// Returns 0, or the exit code for failures on this side.
int explain(const CopySender& sender, const std::exception_ptr& failure) {
    for (const std::string& text : sender.failures()) {
        printToStderr("verbcast: not copied: {}\n", cleanLine(text));
    }
    try {
        if (failure) {
            std::rethrow_exception(failure);
        }
    } catch (const PipeStopped&) {
        // The other side has reported why.
    } catch (...) {
        return reportCurrentError();
    }
    return sender.failures().empty() ? 0 : static_cast<int>(ErrorKind::Input);
}

void writeStats(const CopyOptions& options, const CopySender& sender, const std::vector<Hop>& hops,
                int exitCode) {
    nlohmann::ordered_json json{{"schema", "verbcast-copy/1"},
                                {"host", options.access.stages.front().host},
                                {"files", sender.files()},
                                {"file_bytes", sender.bytes()}};
    json.update(carriedJson(hops.empty() ? Hop{} : hops.front()));
    json["not_copied"] = sender.failures();
    json["exit_code"] = exitCode;
    writeReport(options.access.statsJson, json);
}

}  // namespace

int runCopy(const CopyOptions& options) {
    CopySender sender(options.sources, options.recursive);
    PipelineOptions pipeline = options.access;
    checkWritable(options.access.statsJson);
    pipeline.stages.front().text = remoteCommand(options);
    pipeline.statsJson.clear();  // written here, including the files
    Pipe there = makePipe("a pipe to the pipeline");
    Pipe back = makePipe("a pipe from the pipeline");
    std::exception_ptr failure;
    std::jthread speaker([&] {
        try {
            sender.run(back.reading.get(), there.writing.get());
        } catch (...) {
            failure = std::current_exception();
        }
        there.writing.reset();
    });
    std::vector<Hop> hops;
    int code = 0;
    try {
        code = runPipeline(pipeline, {there.reading.get(), back.writing.get(), &hops});
    } catch (...) {
        code = reportCurrentError();
    }
    there.reading.reset();  // ends whatever the other thread waits for
    back.writing.reset();
    speaker.join();
    const int own = explain(sender, failure);
    if (options.access.verbosity == Verbosity::Verbose && code == 0 && own == 0) {
        printToStderr("{}, {}\n", counted(sender.files(), "file"), counted(sender.bytes(), "byte"));
    }
    const int worst = code != 0 ? code : own;
    if (!options.access.statsJson.empty()) {
        writeStats(options, sender, hops, worst);
    }
    return worst;
}

int runCopyReceive(const CopyReceiveOptions& options) {
    ignoreHere(SIGPIPE);
    try {
        CopyReceiver(options, STDIN_FILENO, STDOUT_FILENO).run();
    } catch (const PipeStopped&) {
        writeToStderr("verbcast: interrupted; continue with --resume\n");
        return static_cast<int>(ErrorKind::Network);
    }
    return 0;
}

}  // namespace verbcast
