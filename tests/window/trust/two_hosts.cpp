#include "tests/window/trust/two_hosts.h"

namespace verbcast::testing {
namespace {

constexpr int kStartMilliseconds = 30'000;

/// Keeps both namespaces alive until its input ends. Prints the IDs of the processes to enter them by, or an
/// error.
constexpr const char* kHolder = R"(
set -e
exec 4<&0 3< <(exec unshare -n sh -c 'echo ready; exec cat' <&0)
there=$!
read -r _ <&3
ip link set lo up
ip link add va type veth peer name vb netns $there
ip addr add 10.9.0.1/24 dev va
ip link set va up
nsenter -t $there -n ip addr add 10.9.0.2/24 dev vb
nsenter -t $there -n ip link set vb up
nsenter -t $there -n ip link set lo up
echo "$$ $there"
exec cat
)";

}  // namespace

TwoHosts::TwoHosts() {
    holder_.start("unshare", {"-Urn", "bash", "-c", kHolder});
    QByteArray line;
    while (!line.contains('\n') && holder_.waitForReadyRead(kStartMilliseconds)) {
        line += holder_.readAllStandardOutput();
    }
    const QStringList processes = QString::fromUtf8(line).trimmed().split(' ');
    if (processes.size() != 2) {
        problem_ =
            "no network namespaces here: " + QString::fromUtf8(holder_.readAllStandardError()).trimmed();
        return;
    }
    here_ = processes[0];
    there_ = processes[1];
}

TwoHosts::~TwoHosts() {
    holder_.closeWriteChannel();
    holder_.waitForFinished(kStartMilliseconds);
}

QStringList TwoHosts::on(Host host) const {
    return {"nsenter", "--preserve-credentials", "-U", "-n", "-t", host == Host::Here ? here_ : there_};
}

}  // namespace verbcast::testing
