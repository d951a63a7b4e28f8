// A real sshd on this host's loopback, with keys of its own: nothing of the user's is read or written.
#pragma once

#include <memory>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {

/// Answers at 127.0.0.1, 127.0.0.2 and 127.0.0.3, so that one machine may be several hosts.
class SshServer {
  public:
    /// Throws std::runtime_error when there is no sshd.
    SshServer();

    /// A command for --ssh that gets in there, without the host.
    const std::string& command() const { return command_; }
    /// The same with this port.
    std::string commandWithPort(std::uint16_t port) const;

  private:
    void writeConfiguration();
    /// What lets sshd find the user that it must have when root starts it, where installing it has not made
    /// one.
    Arguments withUserOfSshd() const;
    void start();

    TemporaryFolder folder_;
    ReservedAddress address_{"tcp"};
    std::string port_;
    std::string command_;
    std::unique_ptr<ChildProcess> server_;
};

/// A test of programs that reach other hosts. Every process of one, here and there, has a mark in its
/// environment: none may be left at the end.
class OverSsh : public ProgramTest {
  protected:
    static void SetUpTestSuite();
    static void TearDownTestSuite();
    void SetUp() override;
    void TearDown() override;

    static const SshServer& server() { return *server_; }
    /// --ssh and --program that get to verbcast there.
    Arguments access() const { return {"--ssh", server().command(), "--program", remoteProgram()}; }
    std::string remoteProgram() const { return "env " + assignment() + " " + verbcastPath(); }

    /// The first process whose arguments begin with the text; waits for it.
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
