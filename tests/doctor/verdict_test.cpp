#include "app/commands/doctor/verdict.h"

#include <nlohmann/json.hpp>

#include "app/commands/doctor/doctor_output.h"
#include "tests/doctor/made_up_machine.h"
#include "tests/support/documented_keys.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kGibi = 1ULL << 30;

/// A fast machine without RDMA.
Evidence fast() {
    Evidence evidence;
    evidence.copyRate = 16e9;
    evidence.loopbackRate = 2.5e9;
    evidence.availableBytes = 8 * kGibi;
    return evidence;
}

bool carries(const Verdict& verdict, const std::string& transport) {
    for (const TransportVerdict& one : verdict.transports) {
        if (one.transport == transport) {
            return one.carries;
        }
    }
    ADD_FAILURE() << transport << " is not judged";
    return false;
}

TEST(VerdictTest, NamesTheTransportsThatCarryTheStream) {
    const MadeUpMachine machine;
    const Verdict verdict = judge(machine.tree(), needOf(), fast());
    EXPECT_TRUE(verdict.fits);
    EXPECT_EQ(
        verdictText(needOf(), verdict),
        "3840x2160 rgba at 60 fps (1.99 GB/s, 15.9 Gb/s): fits over shm (one processor copies memory at "
        "16.0 GB/s), tcp (2.50 GB/s within this machine); not over verbs (no RDMA device)");
}

TEST(VerdictTest, DoesNotFitWhenNoneCarriesIt) {
    const MadeUpMachine machine;
    Evidence slow = fast();
    slow.copyRate = 1e9;
    slow.loopbackRate = 0.5e9;
    const Verdict verdict = judge(machine.tree(), needOf(), slow);
    EXPECT_FALSE(verdict.fits);
    EXPECT_NE(verdictText(needOf(), verdict).find("does not fit, because shm (one processor"),
              std::string::npos);
    EXPECT_TRUE(judge(machine.tree(), needOf(1280, 720), slow).fits);
}

TEST(VerdictTest, VerbsIsJudgedByLinkSlotAddressAndLock) {
    RoceMachine machine;
    const auto verbs = [&](const LockLimit& lock = {}) {
        Evidence evidence = fast();
        evidence.rdma = machine.findings;
        evidence.lock = lock;
        return carries(judge(machine.tree(), needOf(), evidence), "verbs");
    };
    EXPECT_TRUE(verbs());
    EXPECT_FALSE(verbs({8 << 20, false}));
    EXPECT_TRUE(verbs({8 << 20, true}));
    machine.file("/sys/class/infiniband/mlx5_0/device/current_link_width", "1");
    EXPECT_FALSE(verbs()) << "16 GT/s on one lane are less than 15.9 Gb/s";
    machine.file("/sys/class/infiniband/mlx5_0/device/current_link_width", "16");
    machine.port().linkGigabits = 10;
    EXPECT_FALSE(verbs());
    machine.port().linkGigabits = 25;
    EXPECT_TRUE(verbs());
    machine.port().state = "DOWN";
    EXPECT_FALSE(verbs());
    machine.port().state = "ACTIVE";
    machine.findings.addresses.clear();
    EXPECT_FALSE(verbs());
}

TEST(VerdictTest, ASoftwareDeviceIsJudgedByTheProcessorsNotByItsNominalRate) {
    RoceMachine machine;
    machine.remove("/sys/class/infiniband/mlx5_0");
    Evidence evidence = fast();
    evidence.rdma = machine.findings;
    EXPECT_FALSE(carries(judge(machine.tree(), needOf(), evidence), "verbs"));
    EXPECT_TRUE(carries(judge(machine.tree(), needOf(1920, 1080), evidence), "verbs"));
}

TEST(VerdictTest, TheBestOfSeveralPortsCounts) {
    RoceMachine machine;
    RdmaPort slow = machine.port();
    slow.number = 2;
    slow.linkGigabits = 10;
    machine.device().ports.push_back(slow);
    machine.findings.addresses.push_back({"mlx5_0", 2, "10.0.0.2"});
    Evidence evidence = fast();
    evidence.rdma = machine.findings;
    EXPECT_TRUE(carries(judge(machine.tree(), needOf(), evidence), "verbs"));
    std::swap(evidence.rdma.devices[0].ports[0], evidence.rdma.devices[0].ports[1]);
    EXPECT_TRUE(carries(judge(machine.tree(), needOf(), evidence), "verbs"));
}

TEST(VerdictTest, TowardsAPeerItsTransportDecides) {
    const MadeUpMachine machine;
    Evidence evidence = fast();
    evidence.loopbackRate = 1e9;
    evidence.peerAsked = true;
    EXPECT_EQ(judge(machine.tree(), needOf(), evidence).reason, "the peer was not reached");
    EXPECT_FALSE(judge(machine.tree(), needOf(), evidence).fits);
    evidence.peerTransport = "tcp";
    EXPECT_FALSE(judge(machine.tree(), needOf(), evidence).fits);
    evidence.peerTransport = "ofi";
    const Verdict overOfi = judge(machine.tree(), needOf(), evidence);
    EXPECT_EQ(overOfi.fits, carries(overOfi, "tcp")) << overOfi.reason;
    EXPECT_EQ(overOfi.reason.rfind("ofi: judged by TCP's", 0), 0U) << overOfi.reason;
    evidence.peerTransport = "shm";
    EXPECT_TRUE(judge(machine.tree(), needOf(), evidence).fits);
}

// Regression: 2 Gb/s "fit" over an interface of 1 Gb/s.
TEST(VerdictTest, TheNetworkToThePeerDecides) {
    const MadeUpMachine machine;
    machine.file("/sys/class/net/slow0/device/vendor", "");
    machine.file("/sys/class/net/slow0/speed", "1000");
    machine.file("/sys/class/net/fast0/device/vendor", "");
    machine.file("/sys/class/net/fast0/speed", "100000");
    machine.file("/sys/class/net/fast0/operstate", "up");
    Evidence evidence = fast();
    const StreamNeed need = needOf(1920, 1080);
    EXPECT_TRUE(carries(judge(machine.tree(), need, evidence), "tcp"));
    evidence.peerAsked = true;
    for (const std::string transport : {"tcp", "ofi"}) {
        evidence.peerTransport = transport;
        evidence.peerInterface = "slow0";
        const Verdict slow = judge(machine.tree(), need, evidence);
        EXPECT_FALSE(slow.fits);
        EXPECT_NE(slow.reason.find("slow0 has only 1 Gb/s"), std::string::npos) << slow.reason;
        evidence.peerInterface = "fast0";
        EXPECT_TRUE(judge(machine.tree(), need, evidence).fits);
        evidence.peerInterface = "tun0";
        const Verdict unknown = judge(machine.tree(), need, evidence);
        EXPECT_TRUE(unknown.fits);
        EXPECT_NE(unknown.reason.find("tun0 does not tell its rate"), std::string::npos) << unknown.reason;
        evidence.peerInterface = "lo";
        EXPECT_TRUE(judge(machine.tree(), need, evidence).fits);
    }
    machine.file("/sys/class/net/fast0/speed", "1000");
    EXPECT_FALSE(carries(judge(machine.tree(), need, fast()), "tcp")) << "no other machine gets it";
}

TEST(VerdictTest, ThePortToThePeerDecides) {
    RoceMachine machine;
    RdmaPort slow = machine.port();
    slow.number = 2;
    slow.linkGigabits = 10;
    machine.device().ports.push_back(slow);
    machine.findings.addresses.push_back({"mlx5_0", 2, "10.1.0.1"});
    Evidence evidence = fast();
    evidence.rdma = machine.findings;
    evidence.peerAsked = true;
    evidence.peerTransport = "verbs";
    evidence.ownAddress = "10.1.0.1";
    EXPECT_FALSE(judge(machine.tree(), needOf(), evidence).fits);
    evidence.ownAddress = machine.findings.addresses.front().address;
    EXPECT_TRUE(judge(machine.tree(), needOf(), evidence).fits);
    evidence.ownAddress = "";
    EXPECT_TRUE(judge(machine.tree(), needOf(), evidence).fits) << "unknown: the best of them";
    evidence.ownAddress = "192.168.1.2";
    const Verdict elsewhere = judge(machine.tree(), needOf(), evidence);
    EXPECT_FALSE(elsewhere.fits);
    EXPECT_NE(elsewhere.reason.find("no RDMA device leads there"), std::string::npos) << elsewhere.reason;
}

TEST(VerdictTest, WithoutMemoryForARingNothingFits) {
    const MadeUpMachine machine;
    Evidence evidence = fast();
    evidence.availableBytes = 100 << 20;
    const Verdict verdict = judge(machine.tree(), needOf(), evidence);
    EXPECT_FALSE(verdict.fits);
    EXPECT_NE(verdict.reason.find("a ring takes 253 MiB, and 100 MiB"), std::string::npos) << verdict.reason;
}

TEST(VerdictTest, ExitCodesFollowTheWorstFinding) {
    Verdict verdict;
    verdict.fits = true;
    const Check ok{"a", CheckState::Ok, "", ""}, info{"b", CheckState::Info, "", ""},
        warning{"c", CheckState::Warning, "", ""}, failed{"d", CheckState::Failed, "", ""};
    EXPECT_EQ(doctorExitCode({ok, info}, verdict, true), 0);
    EXPECT_EQ(doctorExitCode({ok, warning, info}, verdict, false), 0);
    EXPECT_EQ(doctorExitCode({ok, warning, info}, verdict, true), 10);
    EXPECT_EQ(doctorExitCode({failed, warning}, verdict, false), 11);
    verdict.fits = false;
    EXPECT_EQ(doctorExitCode({ok}, verdict, false), 11);
}

TEST(DoctorOutput, ALineAndItsRemedy) {
    const Check check{"RDMA MTU", CheckState::Warning, "1024", "sudo ip link set dev eth0 mtu 4200"};
    EXPECT_EQ(checkText(check, false),
              "warning  RDMA MTU            1024\n           sudo ip link set dev eth0 mtu 4200\n");
    EXPECT_EQ(checkText({"a", CheckState::Ok, "b", ""}, false), "ok       a                   b\n");
    EXPECT_TRUE(checkText(check, true).starts_with("\033[33mwarning\033[0m"));
}

TEST(DoctorOutput, NamesFromOutsideCannotSteerTheTerminal) {
    const std::string text = checkText({"peer", CheckState::Ok, "a\033[2Jb\nc", ""}, false);
    EXPECT_NE(text.find("a?[2Jb?c"), std::string::npos) << text;
}

TEST(DoctorOutput, JsonHoldsTheSameFindings) {
    const MadeUpMachine machine;
    const Verdict verdict = judge(machine.tree(), needOf(), fast());
    const Checks checks{{"network", CheckState::Warning, "eth0 has 1 Gb/s", "a faster link"}};
    const auto json = doctorJson({}, needOf(), checks, verdict, 1);
    EXPECT_EQ(json["schema"], "verbcast-doctor/1");
    EXPECT_EQ(json["stream"]["pixel_format"], "rgba");
    EXPECT_EQ(json["checks"][0]["state"], "warning");
    EXPECT_EQ(json["checks"][0]["remedy"], "a faster link");
    EXPECT_EQ(json["verdict"]["fits"], true);
    EXPECT_EQ(json["verdict"]["transports"].size(), 3U);
    EXPECT_EQ(json["exit_code"], 1);
    expectDocumented(json, "The doctor's report");
    expectWhole(json, "The doctor's report");
}

}  // namespace
}  // namespace verbcast::testing
