// An owner for each kind of libfabric object, and libfabric's errors as ours.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace verbcast {

template <typename T>
struct FidDeleter {
    void operator()(T* object) const { fi_close(&object->fid); }
};
template <typename T>
using FidHandle = std::unique_ptr<T, FidDeleter<T>>;

struct InfoDeleter {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoHandle = std::unique_ptr<fi_info, InfoDeleter>;

/// Why libfabric cannot be used, or "". Loads it: its providers are plug-ins of many kinds, and merely
/// linking some of them (PSM) sets signal handlers in every program. Safe from any thread.
std::string ofiLibraryProblem();

/// For calls of libfabric that return 0 or a negative code. A shortage (memory, descriptors) becomes
/// Error{Resource} whatever `kind` says.
void checkOfi(ssize_t result, ErrorKind kind, std::string_view call, std::string_view object);
std::string ofiErrorText(int code);

}  // namespace verbcast
