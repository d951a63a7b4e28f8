// A real sshd on this host's loopback with its own keys: none of the user's files are read or written.
#pragma once

#include <memory>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {

/// Listens on 127.0.0.1, 127.0.0.2 and 127.0.0.3, so one machine can act as several hosts.
class SshServer {
  public:
    /// Throws std::runtime_error if there is no sshd.
    SshServer();

    /// A command for --ssh that logs in there, without the host.
    const std::string& command() const { return command_; }
    /// The same with this port.
    std::string commandWithPort(std::uint16_t port) const;

  private:
    void writeConfiguration();
    /// Lets sshd find the privilege-separation user that it needs when root starts it, if its installation
    /// has not created one.
    Arguments withUserOfSshd() const;
    void start();

    TemporaryFolder folder_;
    ReservedAddress address_{"tcp"};
    std::string port_;
    std::string command_;
    std::unique_ptr<ChildProcess> server_;
};

/// A test of programs that reach other hosts. Each of its processes, local and remote, has a mark in its
/// environment: none may be left at the end.
class OverSsh : public ProgramTest {
  protected:
    static void SetUpTestSuite();
    static void TearDownTestSuite();
    void SetUp() override;
    void TearDown() override;

    static const SshServer& server() { return *server_; }
    /// --ssh and --program options that reach verbcast there.
    Arguments access() const { return {"--ssh", server().command(), "--program", remoteProgram()}; }
    std::string remoteProgram() const { return "env " + assignment() + " " + verbcastPath(); }

    /// Waits for the first process whose arguments begin with the text.
    pid_t waitForProcess(const std::string& text) const;
    void expectNothingRuns() const;

  private:
    std::string assignment() const;
    static std::string newMark();

    static std::unique_ptr<SshServer> server_;
    static std::string missing_;
    const std::string mark_ = newMark();
};

}  // namespace verbcast::testing
