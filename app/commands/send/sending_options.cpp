#include "app/commands/send/sending_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/cli/frame_lock_words.h"
#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

const std::vector<std::pair<std::string, Policy>> kPolicies{{"latest", Policy::Latest},
                                                            {"lossless", Policy::Lossless}};
const std::vector<std::pair<std::string, SyncMode>> kSyncModes{{"hold", SyncMode::Hold},
                                                               {"go", SyncMode::Go}};
const std::vector<std::pair<std::string, ChangesFrom>> kChanges{{"auto", ChangesFrom::Auto},
                                                                {"source", ChangesFrom::Source},
                                                                {"compare", ChangesFrom::Compare},
                                                                {"off", ChangesFrom::Off}};
const std::vector<std::pair<std::string, PictureMemory>> kMemories{{"auto", PictureMemory::Auto},
                                                                   {"host", PictureMemory::Host},
                                                                   {"copy", PictureMemory::Copy},
                                                                   {"device", PictureMemory::Device},
                                                                   {"dmabuf", PictureMemory::DmaBuf}};

/// Whether viewers can have frames in a GPU's memory. Without a transport in the address they may come over
/// several; where tcp is the best of those between hosts, they cannot.
bool viewersReachDevices(const Url& url) {
    if (const Transport* transport = findTransport(url.scheme)) {
        return transport->reachesDevices;
    }
    return std::ranges::any_of(transports(), [](const Transport& each) {
        return each.automatic && each.reachesOtherHosts && each.reachesDevices &&
               each.availability().available;
    });
}

Value<Url> previewValue() {
    return {[](const std::string& name, const std::string& text) {
                Url url = parseUrl(text);
                if (!url.isName()) {
                    throw Error(ErrorKind::Usage, fmt::format("{} {}: shm://NAME expected", name, text),
                                "a preview is for this machine; others watch at the address of --listen");
                }
                return url;
            },
            &Url::text};
}

Value<multicast::GroupAddress> groupValue() {
    return {[](const std::string&, const std::string& text) { return multicast::parseGroup(text); },
            &multicast::GroupAddress::wholeText};
}

}  // namespace

void addSending(OptionList& list, SendingOptions& options) {
    SenderOptions& sender = options.sender;
    list.add(seldomOption(section::kDelivery, "--max-viewers", "N",
                          "Maximum number of viewers at a time, 1 to 1000; others are asked to wait"),
             sender.maxReceivers, numberValue(1U, 1000U));
    list.add(seldomOption(section::kDelivery, "--sync", "hold|go", kSyncHelp), sender.sync,
             choiceValue(kSyncModes));
    list.add(
        seldomOption(
            section::kDelivery, "--multicast", "GROUP",
            "Send frames to this group, once for all viewers that view multicast://GROUP: 239.10.0.7, "
            "239.10.0.7:7423 or, on one interface, 239.10.0.7:7423%eth1. Over RDMA to viewers that also "
            "have a device for it, else over UDP (-v says which, and why). After ?, joined by &: via=udp "
            "or via=rdma allows only that one; ttl=N: routers that frames may pass, plus one (1: this "
            "network); rate=8G: most bits per second (default: what most viewers' interfaces take). "
            "Other viewers are served one by one, as usual"),
        sender.multicast, groupValue());
    list.add(
        seldomOption(
            section::kDelivery, "--changes", "auto|source|compare|off",
            "How to find which parts of a picture changed, so that only those are sent. auto: the source "
            "reports them, or else by comparing pictures as long as that pays off; source: only as the "
            "source reports; compare: compare each picture with the previous one; off: send whole frames"),
        options.changes, choiceValue(kChanges));
}

void addPreview(OptionList& list, SenderOptions& sender) {
    list.add(seldomOption(
                 section::kDelivery, "--preview", "shm://NAME",
                 "Let one viewer on this machine watch the stream there; the sender does not wait for it or "
                 "count it"),
             sender.preview, previewValue());
}

void addFps(OptionList& list, SendingOptions& options, const char* value, const char* help) {
    std::vector<std::string> words;
    const std::string all = fmt::format("|{}|", value);
    for (const char* word : {"source", "max"}) {
        if (all.find(fmt::format("|{}|", word)) != std::string::npos) {
            words.emplace_back(word);
        }
    }
    list.addValue(
        option(section::kPicture, "--fps", value, help), words,
        [&options, words](const std::string& name, const std::string& text) {
            const bool isWord = std::ranges::find(words, text) != words.end();
            options.pacing = !isWord ? Pacing::Rate : text == "max" ? Pacing::Max : Pacing::Source;
            if (!isWord) {
                options.rate = parseRate(name, text, words);
            }
        },
        [&options] {
            return options.pacing == Pacing::Max      ? std::string("max")
                   : options.pacing == Pacing::Source ? std::string("source")
                                                      : rateText(options.rate);
        });
}

void addPolicy(OptionList& list, SendingOptions& options, const char* help) {
    list.add(option(section::kDelivery, "--policy", "latest|lossless", help), options.policy,
             choiceValue(kPolicies));
}

void addAllowInput(OptionList& list, SendingOptions& options, const char* help) {
    list.add(flag(section::kDelivery, "--allow-input", help), options.sender.allowInput);
}

void addMemory(OptionList& list, SendingOptions& options, const std::vector<std::string>& choices,
               const char* help) {
    const Value<PictureMemory> all = choiceValue(kMemories);
    list.add(seldomOption(section::kMachine, "--memory", "WHERE", help), options.memory,
             Value<PictureMemory>{[all, choices](const std::string& name, const std::string& text) {
                                      if (std::ranges::find(choices, text) == choices.end()) {
                                          throwExpected(name, text, wordList(choices));
                                      }
                                      return all.parse(name, text);
                                  },
                                  all.text, choices});
}

void settleMemory(SendingOptions& options) {
    const SenderOptions& sender = options.sender;
    if (options.memory != PictureMemory::Auto) {
        return;
    }
    const bool compares = options.changes == ChangesFrom::Compare;
    for (const auto& [given, reason] : {std::pair{!options.frameMd5.empty(), "--frame-md5 reads them"},
                                        {compares, "the processor compares them"},
                                        {sender.trust.encrypt, "the processor encrypts them"},
                                        {sender.multicast.has_value(), "a group is sent them from there"},
                                        {!viewersReachDevices(sender.url), "they are sent from there"}}) {
        if (given) {
            keepInHost(options, reason);
        }
    }
}

void keepInHost(SendingOptions& options, const std::string& reason) {
    if (options.memory == PictureMemory::Auto) {
        options.memory = PictureMemory::Host;
        options.whyHost = reason;
    }
}

SenderOptions senderOptions(const SendingOptions& options, Policy policy) {
    SenderOptions sender = options.sender;
    sender.policy = policy;
    return sender;
}

}  // namespace verbcast
