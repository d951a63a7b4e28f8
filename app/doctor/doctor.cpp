#include "app/doctor/doctor.h"

#include "core/base/error.h"

namespace verbcast {

int runDoctor(const DoctorOptions&) {
    throw Error(ErrorKind::Internal, "not built yet");
}

}  // namespace verbcast
