#include "app/commands/pipe/run/pipeline.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/numa_choice.h"
#include "app/cli/verbosity.h"
#include "app/commands/pipe/pipe_report.h"
#include "app/commands/pipe/run/hop_lines.h"
#include "app/commands/pipe/run/local_ends.h"
#include "app/commands/pipe/run/remote_stage.h"
#include "app/host/interrupt.h"
#include "core/base/os/clock.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/clean_text.h"
#include "core/stats/stats_json.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLookInterval = 250ms;
// How long to wait for the cause after a consequence was reported: a failing stage says goodbye to its
// neighbours before it reports.
constexpr TimestampNs kCauseComes = 4'000'000'000;
// A stage gives its command a second to clean up and says goodbye to its neighbours.
constexpr TimestampNs kDismissal = 6'000'000'000;

/// Thrown to end the steps of a pipeline; the pipeline knows why.
struct GivenUp {};

PipeSettings transferOf(const PipelineOptions& options) {
    PipeSettings settings = options.transfer;
    settings.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    settings.patience = options.patience.value_or(kStageConnecting);
    return settings;
}

/// What stage number `stage` listens on at one end ("in", "out"): all addresses and a free port, or a name of
/// its own. `scheme`: a transport's; "": any.
std::string listenAddress(const std::string& scheme, std::size_t stage, const char* end) {
    const Transport* transport = findTransport(scheme);
    if (transport == nullptr) {
        return ":0";
    }
    return transport->namesPeers ? fmt::format("{}://pipe-{}-{}-{}", scheme, ::getpid(), stage, end)
                                 : fmt::format("{}://:0", scheme);
}

/// What a hop carried, and the NUMA nodes of its ends.
nlohmann::ordered_json hopJson(const Hop& hop) {
    const auto place = [](const std::optional<NumaStats>& numa) {
        return numa ? fieldsJson(*numa) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json json{{"from", hop.from}, {"to", hop.to}};
    json.update(transferJson(hop.status));
    json["from_numa"] = place(hop.fromPlace);
    json["to_numa"] = place(hop.toPlace);
    return json;
}

class Pipeline {
  public:
    explicit Pipeline(const PipelineOptions& options);
    int run();

  private:
    template <typename Done>
    void waitUntil(Done&& done, Deadline limit = Deadline::never());
    template <typename Ready>
    void waitForAll(Ready&& ready) {
        waitUntil([&] {
            return std::all_of(stages_.begin(), stages_.end(),
                               [&](const auto& stage) { return ready(*stage); });
        });
    }
    void lookAround(Deadline limit);
    void throwIfOver();
    void work();
    void waitForHosts();
    void commit();
    void sendPlans();
    void sendStarts();
    void dismissAll();
    int status() const;
    std::vector<PipelineFailure> failures() const;
    int explain();
    std::vector<Hop> hops() const;
    void writeJson(int exitCode) const;
    bool readsInput() const { return options_.stages.front().kind != StageKind::Read; }
    bool writesOutput() const { return options_.stages.back().kind != StageKind::Write; }
    bool verbose() const { return options_.verbosity == Verbosity::Verbose; }

    const PipelineOptions& options_;
    const PipeSettings transfer_;  // for all hops, with a key that only ssh carries: others who find the
                                   // ports are refused
    LocalEnds here_;
    std::vector<std::unique_ptr<RemoteStage>> stages_;
    std::optional<PipelineFailure> silentHost_;
    std::string error_;
    TimestampNs consequenceAt_ = 0;  // when the first failure with a cause elsewhere was reported
    bool interrupted_ = false;
    HopLines lines_;
};

/// Construct before anything opens a descriptor: the standard ones may be closed.
Pipeline::Pipeline(const PipelineOptions& options) : options_(options), transfer_(transferOf(options)) {
    if (readsInput()) {
        here_.readFrom(STDIN_FILENO);
    }
    if (writesOutput()) {
        here_.writeTo(STDOUT_FILENO);
    }
}

int Pipeline::run() {
    bool whole = false;
    try {
        work();
        whole = true;
    } catch (const GivenUp&) {
    } catch (...) {
        dismissAll();
        throw;
    }
    dismissAll();
    if (verbose()) {
        lines_.finish(hops());
    }
    const int code = whole ? status() : explain();
    writeJson(code);
    for (const auto& stage : stages_) {
        if (!stage->left().empty()) {
            printToStderr("verbcast: {}: {}\n", stage->stage().host, cleanLine(stage->left()));
        }
    }
    return code;
}

void Pipeline::work() {
    for (const PipelineStage& stage : options_.stages) {
        stages_.push_back(std::make_unique<RemoteStage>(stage, options_));
    }
    waitForHosts();
    sendPlans();
    waitForAll([](const RemoteStage& stage) { return stage.ready().has_value(); });
    sendStarts();
    if (readsInput()) {
        here_.send(transfer_, stages_.front()->addressOf(stages_.front()->ready()->input), options_.numa);
    }
    if (writesOutput()) {
        here_.receive(transfer_, stages_.back()->addressOf(stages_.back()->ready()->output), options_.numa);
    }
    waitForAll([](const RemoteStage& stage) { return stage.done().has_value(); });
    waitUntil([this] { return here_.over(); });
    commit();
}

void Pipeline::waitForHosts() {
    const Deadline deadline = options_.patience ? Deadline::in(*options_.patience) : Deadline::never();
    const auto silent = [this] {
        return std::find_if(stages_.begin(), stages_.end(),
                            [](const auto& stage) { return !stage->hello(); });
    };
    waitUntil([&] { return silent() == stages_.end() || deadline.passed(); }, deadline);
    if (const auto stage = silent(); stage != stages_.end()) {
        const std::string& host = (*stage)->stage().host;
        silentHost_ = PipelineFailure{
            .code = static_cast<int>(ErrorKind::Network),
            .text = fmt::format("{} has not answered in {:g} s (--wait)", host,
                                std::chrono::duration<double>(*options_.patience).count()),
            .remedy = fmt::format("check that  ssh {} true  works without asking for a password", host)};
        throw GivenUp{};
    }
}

/// A file is complete only if all commands succeeded. Background processes of the commands live on.
void Pipeline::commit() {
    for (const auto& stage : stages_) {
        if (stage->stage().kind != StageKind::Write || status() == 0) {
            stage->order(StageCommit{});
        }
    }
    if (!writesOutput() && status() == 0) {
        waitUntil([this] { return stages_.back()->committed(); });
    }
}

void Pipeline::sendPlans() {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        const PipelineStage& stage = stages_[i]->stage();
        StagePlan plan;
        plan.kind = stage.kind;
        plan.text = stage.text;
        plan.flow = verbose() || !options_.statsJson.empty();
        plan.transfer = transfer_;
        plan.numa = options_.numa;
        plan.route = stages_[i]->route();
        if (stage.kind != StageKind::Read) {
            plan.input = listenAddress(options_.transport, i, "in");
        }
        if (i + 1 == stages_.size() && writesOutput()) {
            plan.output = listenAddress(options_.transport, i, "out");
        }
        stages_[i]->order(plan);
    }
}

void Pipeline::sendStarts() {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        StageStart start;
        if (i + 1 < stages_.size()) {
            start.connect = stages_[i + 1]->addressOf(stages_[i + 1]->ready()->input).text();
        }
        stages_[i]->order(start);
    }
}

template <typename Done>
void Pipeline::waitUntil(Done&& done, Deadline limit) {
    throwIfOver();
    while (!done()) {
        lookAround(verbose() || consequenceAt_ != 0 ? earlier(Deadline::in(kLookInterval), limit) : limit);
        throwIfOver();
        if (verbose()) {
            lines_.show(hops());
        }
    }
}

void Pipeline::lookAround(Deadline limit) {
    std::vector<int> descriptors{interrupted_ ? -1 : interruptEvent().descriptor()};
    for (const auto& stage : stages_) {
        descriptors.push_back(stage->reportDescriptor());
        descriptors.push_back(stage->orderDescriptor());
        descriptors.push_back(stage->reportDescriptor() < 0 ? stage->endDescriptor() : -1);
        if (stage->reportDescriptor() < 0 && !stage->ended()) {
            limit = Deadline::in(kLookInterval);  // do not wait for it forever
        }
    }
    here_.addDescriptors(descriptors);
    waitReadable(descriptors, limit);
    for (const auto& stage : stages_) {
        stage->look();
    }
    interrupted_ = interrupted_ || interruptEvent().isSet();
    here_.look();
}

/// A consequence may be reported before its cause, so the cause gets some time to arrive.
void Pipeline::throwIfOver() {
    const std::vector<PipelineFailure> failed = failures();
    const bool consequence = !failed.empty();
    const bool cause = interrupted_ || !std::ranges::all_of(failed, &PipelineFailure::atOtherEnd);
    if (consequence && consequenceAt_ == 0) {
        consequenceAt_ = nowNs();
    }
    if (cause || (consequence && nowNs() - consequenceAt_ > kCauseComes)) {
        throw GivenUp{};
    }
}

void Pipeline::dismissAll() {
    here_.dismiss();
    for (const auto& stage : stages_) {
        stage->dismiss();
        if (!stage->hello()) {
            stage->kill(SIGTERM);  // nothing runs there yet
        }
    }
    const TimestampNs deadline = nowNs() + kDismissal;
    const auto allEnded = [this] {
        return std::all_of(stages_.begin(), stages_.end(), [](const auto& stage) { return stage->ended(); });
    };
    while ((!allEnded() || !here_.over()) && nowNs() < deadline) {
        lookAround(Deadline::in(kLookInterval));
    }
    for (const auto& stage : stages_) {
        if (!stage->ended()) {
            stage->kill(SIGTERM);
        }
    }
}

/// The last command's; with --pipefail, or before a file, the first that is not 0. A command whose reader had
/// enough, as in `yes | head`, spoils no file.
int Pipeline::status() const {
    const bool intoFile = stages_.back()->stage().kind == StageKind::Write;
    const bool first = options_.pipefail || intoFile;
    int status = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        if (stages_[i]->stage().kind != StageKind::Command || (first && status != 0)) {
            continue;
        }
        const int own = stages_[i]->done() ? stages_[i]->done()->status : 0;
        const bool readByCommand = intoFile && i + 2 < stages_.size();
        const bool readerHadEnough = readByCommand && !options_.pipefail && own == 128 + SIGPIPE;
        status = readerHadEnough ? 0 : own;
    }
    return status;
}

/// The causes first.
std::vector<PipelineFailure> Pipeline::failures() const {
    std::vector<PipelineFailure> all;
    for (const auto& stage : stages_) {
        if (stage->failure()) {
            all.push_back(*stage->failure());
        }
    }
    for (const auto& failure : {here_.failure(), silentHost_}) {
        if (failure) {
            all.push_back(*failure);
        }
    }
    std::stable_partition(all.begin(), all.end(),
                          [](const PipelineFailure& failure) { return !failure.atOtherEnd; });
    return all;
}

/// Reports the cause rather than its consequences.
int Pipeline::explain() {
    const std::vector<PipelineFailure> failed = failures();
    if (interrupted_ || failed.empty()) {
        return kInterruptedCode;
    }
    const PipelineFailure& cause = failed.front();
    error_ = cause.text;
    printToStderr("verbcast: {}\n", cleanLine(cause.text));
    if (!cause.remedy.empty()) {
        printToStderr("  try: {}\n", cleanLine(cause.remedy));
    }
    // A stage that gave up because its connection ended says "interrupted", but nobody interrupted us.
    return cause.code == kInterruptedCode ? static_cast<int>(ErrorKind::Network) : cause.code;
}

std::vector<Hop> Pipeline::hops() const {
    std::vector<Hop> hops;
    std::string before = "here";
    std::optional<NumaStats> placeBefore = here_.placeOfSending();
    for (const auto& stage : stages_) {
        const StageDone done = stage->done().value_or(StageDone{});
        if (stage->stage().kind != StageKind::Read) {
            hops.push_back(
                {before, stage->stage().host, stage->flow().value_or(PipeStatus{}), placeBefore, done.input});
        }
        before = stage->stage().host;
        placeBefore = done.output;
    }
    if (writesOutput()) {
        hops.push_back({before, "here", here_.received(), placeBefore, here_.placeOfReceiving()});
    }
    return hops;
}

void Pipeline::writeJson(int exitCode) const {
    if (options_.statsJson.empty()) {
        return;
    }
    auto carried = nlohmann::ordered_json::array(), commands = nlohmann::ordered_json::array();
    for (const Hop& hop : hops()) {
        carried.push_back(hopJson(hop));
    }
    for (const auto& stage : stages_) {
        if (stage->stage().kind == StageKind::Command) {
            nlohmann::ordered_json ended;  // null: it did not end
            if (stage->done()) {
                ended = stage->done()->status;
            }
            commands.push_back({{"host", stage->stage().host}, {"exit_code", ended}});
        }
    }
    writeReport(options_.statsJson, {{"schema", "verbcast-pipeline/1"},
                                     {"hops", carried},
                                     {"commands", commands},
                                     {"exit_code", exitCode},
                                     {"error", textOrNull(error_)}});
}

}  // namespace

int runPipeline(const PipelineOptions& options) {
    setVerbosity(options.verbosity);
    checkWritable(options.statsJson);
    requireNode(options.numa);
    Pipeline pipeline(options);
    installInterruptHandler();
    return pipeline.run();
}

}  // namespace verbcast
