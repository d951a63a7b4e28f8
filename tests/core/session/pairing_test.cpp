// Codes, the file of paired hosts, and two hosts that agree on a key over each transport.
#include "core/session/trust/pairing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <set>

#include "core/session/greeting/session_acceptor.h"
#include "tests/core/session/core_support.h"
#include "tests/core/session/log_text.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

TEST(PairingCode, IsLongRandomAndForgiving) {
    std::set<std::string> codes;
    for (int i = 0; i < 100; ++i) {
        codes.insert(newPairingCode());
    }
    EXPECT_EQ(codes.size(), 100U);
    EXPECT_EQ(codes.begin()->size(), 24U + 5U) << "24 digits of 5 bits, in groups of four";
    const std::string key = keyOfPairingCode("ABCD-EFGH-JKMN-PQRS-TVWX-YZ01").text();
    for (const char* same :
         {"abcdefghjkmnpqrstvwxyz01", " ABCD EFGH JKMN PQRS TVWX YZOI\n", "abcd-efgh-jkmn-pqrs-tvwx-yzol"}) {
        EXPECT_EQ(keyOfPairingCode(same).text(), key) << same;
    }
    EXPECT_NE(keyOfPairingCode("BACD-EFGH-JKMN-PQRS-TVWX-YZ01").text(), key);
    for (const char* wrong : {"", "ABCD", "ABCD-EFGH-JKMN-PQRS-TVWX-YZ0", "ABCD-EFGH-JKMN-PQRS-TVWX-YZ012",
                              "UBCD-EFGH-JKMN-PQRS-TVWX-YZ01", "ABCD_EFGH_JKMN_PQRS_TVWX_YZ01"}) {
        EXPECT_THROW(keyOfPairingCode(wrong), Error) << wrong;
    }
}

class Folder : public ::testing::Test {
  protected:
    PairedHosts hosts(const std::string& name = "a") const {
        return PairedHosts(made_.file(name + "/hosts"));
    }
    static PairedHost host(const std::string& name, std::vector<std::string> addresses) {
        return {name, std::move(addresses), {"id of " + name, SessionKey::random()}, kMayView, "2026-11-22"};
    }
    const TemporaryFolder made_;
};

TEST_F(Folder, HasNoKeyForAddressesOfThisMachine) {
    const std::vector<std::string> addresses{"127.0.0.1", "127.0.1.1", "::1", "localhost", "10.0.0.1"};
    hosts().add(host("here", addresses));  // as earlier versions did
    for (const std::string& address : addresses) {
        EXPECT_EQ(hosts().atAddress(address).has_value(), address == "10.0.0.1") << address;
    }
}

TEST_F(Folder, KeepsHostsForTheirOwnerAlone) {
    EXPECT_TRUE(hosts().list().empty());
    EXPECT_EQ(hosts().forget("wall"), 0U);
    const PairedHost wall = host("wall", {"10.0.0.1", "wall.example"});
    hosts().add(wall);
    hosts().add(host("desk", {"10.0.0.2"}));
    struct stat status {};
    ASSERT_EQ(::stat(hosts().path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    ASSERT_EQ(hosts().list().size(), 2U);
    for (const char* name : {"10.0.0.1", "wall.example"}) {
        ASSERT_TRUE(hosts().atAddress(name)) << name;
        EXPECT_EQ(hosts().atAddress(name)->key.key.text(), wall.key.key.text());
        EXPECT_EQ(hosts().atAddress(name)->grants, kMayView);
    }
    const PairedHost again = host("wall", {"10.0.0.1"});
    hosts().add(again);
    ASSERT_EQ(hosts().list().size(), 2U) << "the newest key takes the place of the one before";
    EXPECT_EQ(hosts().atAddress("10.0.0.1")->key.key.text(), again.key.key.text());
    hosts().add(host("10.0.0.2", {"10.6.6.6"}));
    EXPECT_EQ(hosts().atAddress("10.0.0.2")->name, "desk")
        << "a host cannot take another's place by its name";
    EXPECT_EQ(hosts().forget("wall"), 1U);
    EXPECT_FALSE(hosts().atAddress("10.0.0.1"));
    ASSERT_EQ(::chmod(hosts().path().c_str(), 0644), 0);
    EXPECT_THROW(static_cast<void>(hosts().list()), Error) << "others could read it";
    ASSERT_EQ(::chmod(hosts().path().c_str(), 0600), 0);
    std::ofstream(hosts().path()) << "{\"hosts\": [{\"name\": 1}]}";
    EXPECT_THROW(static_cast<void>(hosts().list()), Error) << "damaged";
}

TEST_F(Folder, KnowsWhenAHostHasProvenItsKey) {
    const PairedHosts hosts = this->hosts();
    PairedHost wall = host("wall", {"10.0.0.1"});
    wall.key.name = "0123456789abcdef0123456789abcdef";
    hosts.add(wall);
    hosts.add(host("other", {"10.0.0.2"}));
    EXPECT_EQ(seenText(hosts.lastSeen(hosts.list()[0])), "not yet");
    const std::time_t before = std::time(nullptr) - 1;  // a file's time may be that of the last tick
    hosts.noteSeen(wall.key.name);
    hosts.noteSeen("shared");
    hosts.noteSeen("../escaped");
    EXPECT_FALSE(std::filesystem::exists(hosts.path() + ".seen/../escaped"));
    EXPECT_GE(hosts.lastSeen(hosts.list()[0]).value_or(0), before);
    EXPECT_FALSE(hosts.lastSeen(hosts.list()[1]));
    EXPECT_EQ(hosts.forget("wall"), 1U);
    EXPECT_TRUE(std::filesystem::is_empty(hosts.path() + ".seen")) << "what was forgotten leaves a trace";
    hosts.add(wall);
    EXPECT_FALSE(hosts.lastSeen(hosts.list().back()));
    hosts.noteSeen(wall.key.name);
    PairedHost anew = host("wall", {"10.0.0.1"});
    anew.key.name = "fedcba9876543210fedcba9876543210";
    hosts.add(anew);
    EXPECT_FALSE(hosts.lastSeen(hosts.list().back())) << "the time of the key before";
    EXPECT_TRUE(std::filesystem::is_empty(hosts.path() + ".seen"));
}

TEST_F(Folder, ACodeIsShownOnceInAWhileAndServesOnce) {
    std::vector<PairingInvitation> shown;
    PairingBook book(hosts(), kMayAll, [&](const PairingInvitation& each) { shown.push_back(each); });
    EXPECT_FALSE(book.find(kPairingKeyName)) << "nobody has asked";
    EXPECT_FALSE(book.invitation());
    for (int i = 0; i < 100; ++i) {
        book.unpairedCalled("10.0.0." + std::to_string(i));
    }
    ASSERT_EQ(shown.size(), 1U) << "a flood of strangers fills no screen";
    EXPECT_EQ(shown.front().host, "10.0.0.0");
    const auto open = book.invitation();
    ASSERT_TRUE(open);
    EXPECT_EQ(open->code, shown.front().code);
    EXPECT_EQ(open->host, "10.0.0.0");
    EXPECT_GT(open->validFor, std::chrono::minutes(9));
    const auto entry = book.find(kPairingKeyName);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->key.text(), keyOfPairingCode(shown.front().code).text());
    EXPECT_EQ(entry->grants, 0) << "the code itself opens nothing";
    const NamedKey key{"id", SessionKey::random()};
    book.pair(*entry, key, "desk", "10.0.0.7");
    EXPECT_FALSE(book.find(kPairingKeyName)) << "it has served";
    EXPECT_FALSE(book.invitation());
    ASSERT_TRUE(book.find("id"));
    const PairedHost caller{"", {}, key, kMayAll, "", true};
    EXPECT_EQ(book.find("id")->key.text(), caller.keyToCall().key.text());
    EXPECT_NE(book.find("id")->key.text(), caller.keyOfCaller().text()) << "led back to itself";
    EXPECT_THROW(book.pair(*entry, key, "mallory", "10.0.0.8"), Error) << "a code serves once";
    EXPECT_TRUE(book.find("id")->encrypts);
    book.unpairedCalled("10.0.0.8");
    ASSERT_TRUE(book.invitation());
    EXPECT_THROW(book.pair(*entry, key, "mallory", "10.0.0.8"), Error) << "the last code does for the next";
    EXPECT_TRUE(book.invitation()) << "the next has been used up";
}

/// A listener and its callers. All run on this host, so callers can connect without a key.
class PairingOver : public TransportSuite {
  protected:
    void TearDown() override {
        stop_.notify();
        listening_ = {};
    }
    std::string listenAs(Role role) {
        HandshakeOptions options;
        options.role = role;
        options.name = "listener";
        options.trust.book = book_;
        acceptor_ = std::make_unique<SessionAcceptor>(parseUrl(listenAddressFor(GetParam())),
                                                      TransportOptions{}, options);
        listening_ = std::async(std::launch::async, [this] {
            while (!stop_.isSet()) {
                while (auto peer =
                           acceptor_->next([](const Hello&, const PeerTrust&) { return std::nullopt; })) {
                    const std::lock_guard lock(mutex_);
                    peers_.push_back(std::move(*peer));  // kept until its peer has read the greeting
                }
                std::vector<int> waited = acceptor_->descriptors();
                waited.push_back(stop_.descriptor());
                waitReadable(waited, acceptor_->nextLook());
            }
        });
        return acceptor_->addresses().front();
    }
    /// Again where the listener had no processor for all of the time that a greeting may take, as
    /// SessionDialler does.
    std::variant<PeerConnection, SessionEnd> call(const std::string& address, Role role,
                                                  const std::optional<NamedKey>& key) {
        for (int again = 5;; --again) {
            auto result = callOnce(address, role, key);
            const auto* end = std::get_if<SessionEnd>(&result);
            if (!end || again == 0 || end->reason.find("does not answer") == std::string::npos) {
                return result;
            }
        }
    }
    std::variant<PeerConnection, SessionEnd> callOnce(const std::string& address, Role role,
                                                      const std::optional<NamedKey>& key) {
        HandshakeOptions options;
        options.role = role;
        options.name = "caller";
        options.trust.key = key;
        const Url url = parseUrl(address);
        return greet(transportFor(url).connect(url, {}, Deadline::in(kLimit), Event()), options, Event());
    }

    const TemporaryFolder made_;
    std::vector<PairingInvitation> shown_;
    std::shared_ptr<PairingBook> book_ =  // shared with the listener
        std::make_shared<PairingBook>(PairedHosts(made_.file("never")), kMayAll,
                                      [this](const PairingInvitation& each) { shown_.push_back(each); });
    Event stop_;
    std::unique_ptr<SessionAcceptor> acceptor_;
    std::mutex mutex_;
    std::vector<PeerConnection> peers_;
    std::future<void> listening_;
};

TEST_P(PairingOver, ACodeBecomesAKeyThatOpensAnEncryptedSession) {
    const PairedHosts kept(made_.file("hosts"));
    book_ = std::make_shared<PairingBook>(kept, kMayAll,
                                          [this](const PairingInvitation& each) { shown_.push_back(each); });
    const std::string address = listenAs(Role::Sender);
    book_->unpairedCalled("10.0.0.9");
    ASSERT_EQ(shown_.size(), 1U);
    const NamedKey code{kPairingKeyName, keyOfPairingCode(shown_.front().code)};

    const auto direct = call(address, Role::Receiver, code);
    ASSERT_TRUE(std::holds_alternative<SessionEnd>(direct)) << "the code pairs, and nothing else";
    EXPECT_TRUE(contains(std::get<SessionEnd>(direct).reason, "a pairing code is for pairing"));

    const auto wrong =
        call(address, Role::Pairing, NamedKey{kPairingKeyName, keyOfPairingCode(newPairingCode())});
    ASSERT_TRUE(std::holds_alternative<SessionEnd>(wrong));
    EXPECT_TRUE(contains(std::get<SessionEnd>(wrong).reason, "different keys"));
    EXPECT_TRUE(kept.list().empty());

    auto paired = call(address, Role::Pairing, code);
    ASSERT_TRUE(std::holds_alternative<PeerConnection>(paired)) << std::get<SessionEnd>(paired).reason;
    const NamedKey key = std::get<PeerConnection>(paired).pairingKey.value();
    ASSERT_EQ(kept.list().size(), 1U);
    EXPECT_EQ(kept.list().front().name, "caller");
    EXPECT_EQ(kept.list().front().key.key.text(), key.key.text()) << "both have the same";
    EXPECT_NE(key.key.text(), code.key.text());
    paired = SessionEnd{};

    const auto again = call(address, Role::Pairing, code);
    EXPECT_TRUE(std::holds_alternative<SessionEnd>(again)) << "a code serves once";

    const NamedKey calling = PairedHost{"", {}, key, kMayAll, "", true}.keyToCall();
    const auto viewer = call(address, Role::Receiver, calling);
    ASSERT_TRUE(std::holds_alternative<PeerConnection>(viewer)) << std::get<SessionEnd>(viewer).reason;
    EXPECT_EQ(std::get<PeerConnection>(viewer).trust.protection, Protection::Encrypted)
        << "a pairing's default";
    kept.forget("caller");
    EXPECT_TRUE(std::holds_alternative<SessionEnd>(call(address, Role::Receiver, calling))) << "forgotten";
}

TEST_P(PairingOver, WithoutACodeNobodyIsPaired) {
    const std::string address = listenAs(Role::Receiver);
    const auto plain = call(address, Role::Pairing, std::nullopt);
    ASSERT_TRUE(std::holds_alternative<SessionEnd>(plain));
    EXPECT_TRUE(contains(std::get<SessionEnd>(plain).reason, "needs the code"));
    const auto early =
        call(address, Role::Pairing, NamedKey{kPairingKeyName, keyOfPairingCode(newPairingCode())});
    EXPECT_TRUE(std::holds_alternative<SessionEnd>(early)) << "none is shown";
    const auto local = call(address, Role::Sender, std::nullopt);
    EXPECT_TRUE(std::holds_alternative<PeerConnection>(local)) << std::get<SessionEnd>(local).reason;
}

TEST_P(PairingOver, KeysThatCannotBeReadAreToldToBothSides) {
    const PairedHosts kept(made_.file("hosts"));
    const NamedKey key{"id", SessionKey::random()};
    const PairedHost host{"caller", {"10.0.0.7"}, key, kMayAll, today(), false};
    kept.add(host);
    ASSERT_EQ(::chmod(kept.path().c_str(), 0644), 0);
    book_ = std::make_shared<PairingBook>(kept, kMayAll, logInvitation);
    LogText log;
    const std::string address = listenAs(Role::Sender);
    const auto refused =
        call(address, Role::Receiver, PairedHost{"", {}, key, kMayAll, "", true}.keyToCall());
    ASSERT_TRUE(std::holds_alternative<SessionEnd>(refused));
    const std::string reason = std::get<SessionEnd>(refused).reason;
    EXPECT_TRUE(contains(reason, "cannot read its keys"));
    EXPECT_EQ(reason.find(kept.path()), std::string::npos) << "tells a stranger about files: " << reason;
    const std::string told = log.end();
    EXPECT_TRUE(contains(told, kept.path()));
    EXPECT_TRUE(contains(told, "mode 0644"));
    EXPECT_TRUE(contains(told, "chmod 600"));
}

VERBCAST_OVER_TRANSPORTS(PairingOver, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
