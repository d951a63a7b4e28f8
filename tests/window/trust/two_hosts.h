// Two simulated hosts: network namespaces with a virtual cable between them.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace verbcast::testing {

/// Needs no privileges, only a kernel that allows user namespaces. The destructor removes them.
class TwoHosts {
  public:
    TwoHosts();
    ~TwoHosts();

    /// Why the hosts could not be created; empty on success.
    const QString& problem() const { return problem_; }

    /// The command prefix that runs a command on this host. The host's address is address().
    enum class Host { Here, There };
    QStringList on(Host host) const;
    static QString address(Host host) { return host == Host::Here ? "10.9.0.1" : "10.9.0.2"; }

  private:
    QProcess holder_;
    QString problem_;
    QString here_, there_;  // process IDs to enter the namespaces by
};

}  // namespace verbcast::testing
