// What libfabric's shm provider calls its files in /dev/shm, which a process that is killed leaves there.
#pragma once

#include <string>
#include <string_view>

namespace verbcast {

/// A name for an endpoint of this process: "fi_shm://vbst-PID-NAMESPACE-RANDOM". The provider's own begins
/// with the process's number alone, and what a process with the same number has left would block it.
std::string newShmEndpointName();
/// Whether an endpoint's name is one of this process.
bool isOurShmEndpoint(std::string_view name);
/// Removes files of that name whose process, of this user and this namespace of processes, is gone. `folder`:
/// of shared memory.
void removeShmFilesOfTheDead(const std::string& folder = "/dev/shm");

}  // namespace verbcast
