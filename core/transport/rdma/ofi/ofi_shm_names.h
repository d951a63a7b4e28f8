// The names of the files of libfabric's shm provider in /dev/shm, which a killed process leaves behind.
#pragma once

#include <string>
#include <string_view>

namespace verbcast {

/// A name for an endpoint of this process: "fi_shm://vbst-PID-NAMESPACE-RANDOM". The provider's own names
/// contain only the process id, so the remains of a process with the same id would block them.
std::string newShmEndpointName();
/// Whether an endpoint's name belongs to this process.
bool isOurShmEndpoint(std::string_view name);
/// Removes files with such names whose process, of this user and this pid namespace, is gone.
void removeShmFilesOfTheDead();

}  // namespace verbcast
