# cpack makes Debian packages, one for each component: the programs for machines without a display, the windows, the
# libraries, and what is needed to build with these. Configure with the preset "package" for them.
set(VERBCAST_MAINTAINER "The Verbcast developers <verbcast@example.org>" CACHE STRING "Who made the packages")
# Lower than the revision 1 of a distribution's own packages.
set(VERBCAST_PACKAGE_REVISION 0upstream1 CACHE STRING "Revision of the packages of this version")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${VERBCAST_MAINTAINER})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_SET_DESTDIR ON)  # files name the prefix of the installation, not that of a folder of CPack's
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs library development)
if(VERBCAST_QT)
    list(APPEND CPACK_COMPONENTS_ALL windows)
endif()
if(TARGET verbcast_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${VERBCAST_PACKAGE_REVISION})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/core/api)  # for what is in another package of ours
set(CPACK_DEBIAN_PACKAGE_SOURCE verbcast)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package's description begins with its own
set(same_version "(= ${PROJECT_VERSION}-${VERBCAST_PACKAGE_REVISION})")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME verbcast)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION video)
# Loaded when first needed, so nothing links them.
foreach(library avcodec avformat)
    string(REGEX MATCH "^[0-9]+" major "${FFMPEG_lib${library}_VERSION}")
    list(APPEND loaded "lib${library}${major} | lib${library}-extra${major}")
endforeach()
foreach(library avutil swresample swscale)
    string(REGEX MATCH "^[0-9]+" major "${FFMPEG_lib${library}_VERSION}")
    list(APPEND loaded "lib${library}${major}")
endforeach()
list(JOIN loaded ", " CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "ibverbs-providers, libegl1, libgl1, libgl1-mesa-dri")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "verbcast-gui, libfabric1, openssh-client")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "uncompressed 4K video between machines
Verbcast streams uncompressed video, up to 4K60 and beyond, from one process
to another: by RDMA over InfiniBand and RoCE, through shared memory on one
machine, or over TCP.
.
This package contains what needs no window: senders, receivers, relays,
remote rendering, pipes, and the benchmark.")

set(CPACK_DEBIAN_WINDOWS_PACKAGE_NAME verbcast-gui)
set(CPACK_DEBIAN_WINDOWS_PACKAGE_SECTION video)
set(CPACK_DEBIAN_WINDOWS_PACKAGE_DEPENDS "verbcast ${same_version}")
set(CPACK_DEBIAN_WINDOWS_PACKAGE_RECOMMENDS "libgl1-mesa-dri, qt6-translations-l10n, qt6-wayland")
set(CPACK_DEBIAN_WINDOWS_DESCRIPTION "uncompressed 4K video between machines - windows
Verbcast streams uncompressed video, up to 4K60 and beyond, from one process
to another: by RDMA over InfiniBand and RoCE, through shared memory on one
machine, or over TCP.
.
This package contains the windows that send and show, and the service for a
display that waits for its sender.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libverbcast${VERBCAST_ABI_VERSION})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "ibverbs-providers")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_SOURCE_DIR}/share/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "uncompressed 4K video between machines - libraries
Verbcast streams uncompressed video, up to 4K60 and beyond, from one process
to another: by RDMA over InfiniBand and RoCE, through shared memory on one
machine, or over TCP.
.
This package contains the libraries for programs that send frames of their own
and receive their viewers' input.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libverbcast-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libverbcast${VERBCAST_ABI_VERSION} ${same_version}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS verbcast)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "uncompressed 4K video between machines - development
Verbcast streams uncompressed video, up to 4K60 and beyond, from one process
to another: by RDMA over InfiniBand and RoCE, through shared memory on one
machine, or over TCP.
.
This package contains headers, a CMake package and pkg-config files. The
package verbcast has the documents and examples.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-verbcast)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
# Compiled for one version of Python.
get_property(python_version GLOBAL PROPERTY VERBCAST_PYTHON_VERSION)
if(python_version MATCHES "^([0-9]+)\\.([0-9]+)$")
    math(EXPR next_minor "${CMAKE_MATCH_2} + 1")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${python_version}~), python3 (<< ${CMAKE_MATCH_1}.${next_minor}~), libverbcast${VERBCAST_ABI_VERSION} ${same_version}, python3-numpy")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS verbcast)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "uncompressed 4K video between machines - Python
Verbcast streams uncompressed video, up to 4K60 and beyond, from one process
to another: by RDMA over InfiniBand and RoCE, through shared memory on one
machine, or over TCP.
.
This package contains the Python module, which sends and receives pictures and
sound as numpy arrays without a copy.")

# What CPack has no variable for: compressed pages, changelog, copyright.
configure_file(${PROJECT_SOURCE_DIR}/share/debian/shlibs.in ${PROJECT_BINARY_DIR}/debian/shlibs @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/share/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
set(CPACK_PACKAGE_SOURCE ${PROJECT_SOURCE_DIR}/share/debian)
set(CPACK_PACKAGE_FOLDER ${PROJECT_BINARY_DIR}/debian)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/share/debian/finish.cmake)
include(CPack)
