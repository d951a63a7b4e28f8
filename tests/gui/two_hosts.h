// Two hosts for tests: network namespaces with a cable between them.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace verbcast::testing {

/// Needs no rights, but a kernel that allows user namespaces. They go with this object.
class TwoHosts {
  public:
    TwoHosts();
    ~TwoHosts();

    /// Why there are none; empty when there are.
    const QString& problem() const { return problem_; }

    /// What runs a command on the host, before the command. Its address is address().
    enum class Host { Here, There };
    QStringList on(Host host) const;
    static QString address(Host host) { return host == Host::Here ? "10.9.0.1" : "10.9.0.2"; }

  private:
    QProcess holder_;
    QString problem_;
    QString here_, there_;  // processes of the namespaces
};

}  // namespace verbcast::testing
