#include "app/pipe/run/pipeline.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/interrupt.h"
#include "app/pipe/pipe_report.h"
#include "app/pipe/run/hop_lines.h"
#include "app/pipe/run/pipe_worker.h"
#include "app/pipe/run/remote_stage.h"
#include "app/verbosity.h"
#include "core/base/clean_text.h"
#include "core/base/clock.h"
#include "core/base/whole_file.h"
#include "core/pipe/pipe_receiver.h"
#include "core/pipe/pipe_sender.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLookInterval = 250ms;
// A failing end waits for the others' goodbyes, for so long at most, before it tells.
constexpr TimestampNs kCauseComes = 4'000'000'000;
// A stage lets its command clean up for a second and says goodbye to its neighbours.
constexpr TimestampNs kDismissal = 6'000'000'000;

/// Ends the steps of a pipeline; why is in the pipeline.
struct GivenUp {};

/// One end of the pipeline that is here.
struct LocalEnd {
    std::unique_ptr<PipeWorker> worker;  // null: there is none, or it has not begun
    bool seenEnded = false;              // what has not been seen yet must still wake the one who waits
    int descriptor() const { return worker && !seenEnded ? worker->endedDescriptor() : -1; }
    bool over() const { return !worker || seenEnded; }
};

std::string listenAddress(const std::string& scheme, std::size_t stage, const char* end) {
    const Transport* transport = findTransport(scheme);
    if (transport == nullptr) {
        return ":0";
    }
    return transport->namesPeers ? fmt::format("{}://pipe-{}-{}-{}", scheme, ::getpid(), stage, end)
                                 : fmt::format("{}://:0", scheme);
}

PipeSettings withKey(PipeSettings settings) {
    settings.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    return settings;
}

class Pipeline {
  public:
    Pipeline(const PipelineOptions& options, const PipelineEnds& ends);
    int run();

  private:
    template <typename Done>
    void waitUntil(Done&& done);
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
    void commit();
    void sendPlans();
    void sendStarts();
    void startLocalEnds();
    Url addressOf(const RemoteStage& stage, const std::vector<std::string>& listening) const;
    std::string routeTo(const RemoteStage& stage) const;
    void checkLocalEnd(LocalEnd& local);
    bool localEndsOver() const { return sending_.over() && receiving_.over(); }
    void dismissAll();
    int status() const;
    int explain();
    void writeJson(int exitCode) const;
    std::vector<Hop> hops() const;
    bool readsInput() const { return options_.stages.front().kind != StageKind::Read; }
    bool writesOutput() const { return options_.stages.back().kind != StageKind::Write; }
    bool writesFile() const { return !writesOutput(); }

    const PipelineOptions& options_;
    const PipeSettings transfer_;  // of all hops, with a key that only ssh carries: others who find the ports
                                   // are refused
    std::optional<PipeInput> input_;
    std::unique_ptr<PipeOutput> output_;
    std::vector<std::unique_ptr<RemoteStage>> stages_;
    LocalEnd sending_, receiving_;  // after what they use
    std::optional<PipelineFailure> localFailure_;
    std::string error_;
    TimestampNs consequenceAt_ = 0;  // when the first failure was heard of that has its cause elsewhere
    bool interrupted_ = false;
    bool dismissing_ = false;
    HopLines lines_;
};

/// Before anything else opens a descriptor: the standard ones may be closed.
Pipeline::Pipeline(const PipelineOptions& options, const PipelineEnds& ends)
    : options_(options), transfer_(withKey(options.transfer)) {
    if (readsInput()) {
        input_.emplace(ends.input, "standard input");
    }
    if (writesOutput()) {
        output_ = std::make_unique<PipeOutput>(ends.output, "standard output");
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
    if (options_.verbose) {
        lines_.finish(hops());
    }
    const int code = whole ? status() : explain();
    writeJson(code);
    for (const auto& stage : stages_) {
        if (!stage->left().empty()) {
            fmt::print(stderr, "verbcast: {}: {}\n", stage->stage().host, cleanLine(stage->left()));
        }
    }
    return code;
}

void Pipeline::work() {
    for (const PipelineStage& stage : options_.stages) {
        stages_.push_back(std::make_unique<RemoteStage>(stage, options_));
    }
    waitForAll([](const RemoteStage& stage) { return stage.hello().has_value(); });
    sendPlans();
    waitForAll([](const RemoteStage& stage) { return stage.ready().has_value(); });
    sendStarts();
    startLocalEnds();
    waitForAll([](const RemoteStage& stage) { return stage.done().has_value(); });
    waitUntil([this] { return localEndsOver(); });
    commit();
}

/// A file is whole when all commands say so. What commands have left in the background lives on.
void Pipeline::commit() {
    for (const auto& stage : stages_) {
        if (stage->stage().kind != StageKind::Write || status() == 0) {
            stage->order(StageCommit{});
        }
    }
    if (writesFile() && status() == 0) {
        waitUntil([this] { return stages_.back()->committed(); });
    }
}

void Pipeline::sendPlans() {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        const PipelineStage& stage = stages_[i]->stage();
        StagePlan plan;
        plan.kind = stage.kind;
        plan.text = stage.text;
        plan.flow = options_.verbose || !options_.json.empty();
        plan.transfer = transfer_;
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
            start.connect = addressOf(*stages_[i + 1], stages_[i + 1]->ready()->input).text();
        }
        stages_[i]->order(start);
    }
}

void Pipeline::startLocalEnds() {
    PipeSettings settings = transfer_;
    settings.patience = kStageConnecting;
    if (input_) {
        const PipeAddress to{addressOf(*stages_.front(), stages_.front()->ready()->input), false};
        sending_.worker = std::make_unique<PipeWorker>(
            std::make_unique<PipeSender>(settings, std::vector{to}, std::move(*input_)));
        input_.reset();
    }
    if (output_) {
        const PipeAddress from{addressOf(*stages_.back(), stages_.back()->ready()->output), false};
        receiving_.worker =
            std::make_unique<PipeWorker>(std::make_unique<PipeReceiver>(settings, from, *output_));
    }
}

/// Stages listen on all of their addresses, and name the port.
Url Pipeline::addressOf(const RemoteStage& stage, const std::vector<std::string>& listening) const {
    if (listening.empty()) {
        throw Error(ErrorKind::Peer, fmt::format("{} does not say where it listens", stage.stage().host));
    }
    Url url = parseUrl(listening.front());
    url.scheme = options_.transport;
    if (!url.isName()) {
        url.host = routeTo(stage);
    }
    return url;
}

std::string Pipeline::routeTo(const RemoteStage& stage) const {
    const std::string& host = stage.stage().host;
    if (const auto route = options_.routes.find(host); route != options_.routes.end()) {
        return route->second;
    }
    const std::string& seen = stage.hello()->address;
    return seen.empty() ? host.substr(host.find('@') + 1) : seen;
}

template <typename Done>
void Pipeline::waitUntil(Done&& done) {
    throwIfOver();
    while (!done()) {
        lookAround(options_.verbose || consequenceAt_ != 0 ? Deadline::in(kLookInterval) : Deadline::never());
        throwIfOver();
        if (options_.verbose) {
            lines_.show(hops());
        }
    }
}

void Pipeline::lookAround(Deadline limit) {
    std::vector<int> descriptors{interrupted_ ? -1 : interruptEvent().descriptor()};
    for (const auto& stage : stages_) {
        descriptors.push_back(stage->reportDescriptor());
        descriptors.push_back(stage->reportDescriptor() < 0 ? stage->endDescriptor() : -1);
        if (stage->reportDescriptor() < 0 && !stage->ended()) {
            limit = Deadline::in(kLookInterval);  // it is not waited for without end
        }
    }
    descriptors.push_back(sending_.descriptor());
    descriptors.push_back(receiving_.descriptor());
    waitReadable(descriptors, limit);
    for (const auto& stage : stages_) {
        stage->look();
    }
    interrupted_ = interrupted_ || interruptEvent().isSet();
    checkLocalEnd(sending_);
    checkLocalEnd(receiving_);
}

void Pipeline::checkLocalEnd(LocalEnd& local) {
    if (local.over() || !local.worker->ended()) {
        return;
    }
    local.seenEnded = true;
    const PipeWorker::End& end = local.worker->end();
    const bool atOtherEnd = end.text.starts_with(kOtherEnd);
    const bool ourOwnDoing = dismissing_ && end.code == kInterruptedCode;
    if (!localFailure_ && end.code != 0 && end.code != kBrokenPipeCode && !ourOwnDoing) {
        localFailure_ = PipelineFailure{end.code, "here: " + end.text, "", atOtherEnd};
        if (end.code == static_cast<int>(ErrorKind::Network) && !atOtherEnd) {
            localFailure_->remedy = kRouteRemedy;
        }
    }
}

/// What one end meets when another fails may be told first: the cause gets time to come.
void Pipeline::throwIfOver() {
    bool cause = interrupted_ || (localFailure_ && !localFailure_->atOtherEnd);
    bool consequence = localFailure_.has_value();
    for (const auto& stage : stages_) {
        if (const auto& failure = stage->failure()) {
            cause |= !failure->atOtherEnd;
            consequence = true;
        }
    }
    if (consequence && consequenceAt_ == 0) {
        consequenceAt_ = nowNs();
    }
    if (cause || (consequence && nowNs() - consequenceAt_ > kCauseComes)) {
        throw GivenUp{};
    }
}

void Pipeline::dismissAll() {
    dismissing_ = true;
    for (const LocalEnd* local : {&sending_, &receiving_}) {
        if (local->worker) {
            local->worker->run().cancel();
        }
    }
    for (const auto& stage : stages_) {
        stage->dismiss();
    }
    const TimestampNs deadline = nowNs() + kDismissal;
    const auto allEnded = [this] {
        return std::all_of(stages_.begin(), stages_.end(), [](const auto& stage) { return stage->ended(); });
    };
    while ((!allEnded() || !localEndsOver()) && nowNs() < deadline) {
        lookAround(Deadline::in(kLookInterval));
    }
    for (const auto& stage : stages_) {
        if (!stage->ended()) {
            stage->kill(SIGTERM);
        }
    }
}

int Pipeline::status() const {
    int status = 0;
    for (const auto& stage : stages_) {
        const int own = stage->done() ? stage->done()->status : 0;
        if (stage->stage().kind == StageKind::Command && !(options_.pipefail && status != 0)) {
            status = own;
        }
    }
    return status;
}

/// The cause, not what others met in consequence.
int Pipeline::explain() {
    std::vector<PipelineFailure> failures;
    for (const auto& stage : stages_) {
        if (stage->failure()) {
            failures.push_back(*stage->failure());
        }
    }
    if (localFailure_) {
        failures.push_back(*localFailure_);
    }
    std::stable_partition(failures.begin(), failures.end(),
                          [](const PipelineFailure& failure) { return !failure.atOtherEnd; });
    if (interrupted_ || failures.empty()) {
        return kInterruptedCode;
    }
    const PipelineFailure& cause = failures.front();
    error_ = cause.text;
    fmt::print(stderr, "verbcast: {}\n", cleanLine(cause.text));
    if (!cause.remedy.empty()) {
        fmt::print(stderr, "  try: {}\n", cleanLine(cause.remedy));
    }
    // A stage that gave up because its line ended says "interrupted"; nobody interrupted us.
    return cause.code == kInterruptedCode ? static_cast<int>(ErrorKind::Network) : cause.code;
}

std::vector<Hop> Pipeline::hops() const {
    std::vector<Hop> hops;
    std::string before = "here";
    for (const auto& stage : stages_) {
        if (stage->stage().kind != StageKind::Read) {
            hops.push_back({before, stage->stage().host, stage->flow().value_or(PipeStatus{})});
        }
        before = stage->stage().host;
    }
    if (writesOutput()) {
        hops.push_back(
            {before, "here", receiving_.worker ? receiving_.worker->run().status() : PipeStatus{}});
    }
    return hops;
}

void Pipeline::writeJson(int exitCode) const {
    if (options_.json.empty()) {
        return;
    }
    nlohmann::ordered_json json;
    json["schema"] = "verbcast-pipeline/1";
    json["hops"] = nlohmann::ordered_json::array();
    for (const Hop& hop : hops()) {
        nlohmann::ordered_json entry{{"from", hop.from}, {"to", hop.to}};
        entry.update(transferJson(hop.status));
        json["hops"].push_back(std::move(entry));
    }
    json["commands"] = nlohmann::ordered_json::array();
    for (const auto& stage : stages_) {
        if (stage->stage().kind == StageKind::Command) {
            nlohmann::ordered_json ended;  // null: it did not come to an end
            if (stage->done()) {
                ended = stage->done()->status;
            }
            json["commands"].push_back({{"host", stage->stage().host}, {"exit_code", ended}});
        }
    }
    json["exit_code"] = exitCode;
    json["error"] = textOrNull(error_);
    writeReport(options_.json, json);
}

}  // namespace

int runPipeline(const PipelineOptions& options, const PipelineEnds& ends) {
    setVerbosity(Verbosity::Normal);
    checkWritable(options.json);
    Pipeline pipeline(options, ends);
    installInterruptHandler();
    return pipeline.run();
}

}  // namespace verbcast
