// Finds the functions that a program would call without us.
#pragma once

#include "capture/late_function.h"

namespace verbcast {

using Dlsym = void* (*)(void* handle, const char* name);

/// The C library's own dlsym(). It answers for its direct caller: RTLD_NEXT means behind us.
Dlsym libraryDlsym();
/// The dlsym() behind ours: another preloaded library's, or the C library's.
Dlsym nextDlsym();

/// The interface that a function belongs to.
enum class Api { Glx, Egl, X11, Xext };

/// The function behind ours. Programs that load a library themselves keep it out of the global scope: then it
/// is loaded by name, and stays loaded. Null if there is no such function.
void* realFunction(Api api, const char* name);

/// Whether a function that a program found is the one that realFunction() returns. Some programs bring
/// another library with functions of the same names (ANGLE), which must get its own calls.
bool isRealFunction(Api api, const char* name, const void* function);

/// A realFunction() with its type: calls of one that does not exist return a zero value.
template <typename Signature>
using RealFunction = LateFunction<realFunction, Api, Signature>;

}  // namespace verbcast
