# What the libraries need; read by this project and by the installed halftoneConfig.cmake.
# Everything comes from Debian 12 packages; docs/internals/dependencies.md says why each is here. The package at the end of a line
# has what the line finds: libhalftone-dev depends on these (cmake/halftone_packages.cmake).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)  # libfmt-dev
find_package(nlohmann_json REQUIRED)  # nlohmann-json3-dev
find_package(Protobuf REQUIRED)  # libprotobuf-dev
find_package(ONNX REQUIRED)  # libonnx-dev
find_package(Eigen3 REQUIRED)  # libeigen3-dev
# Its shared library copies the tables of test problems when a program starts: 25 ms that the archive,
# of which few members are linked, does not take. The archive is not position independent, so shared libraries of ours
# take the shared one.
find_package(pagmo REQUIRED)  # libpagmo-dev
find_library(HALFTONE_PAGMO libpagmo.a REQUIRED)
if(NOT TARGET Pagmo::archive)
  add_library(Pagmo::archive INTERFACE IMPORTED)
  set_target_properties(Pagmo::archive PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "$<TARGET_PROPERTY:Pagmo::pagmo,INTERFACE_INCLUDE_DIRECTORIES>"
    INTERFACE_LINK_LIBRARIES
    "$<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,${HALFTONE_PAGMO},Pagmo::pagmo>;TBB::tbb;Threads::Threads;Boost::boost;Boost::serialization;Eigen3::Eigen")
endif()
find_package(TBB REQUIRED)  # libtbb-dev
find_package(SQLite3 REQUIRED)  # libsqlite3-dev
find_package(SQLiteCpp REQUIRED)  # libsqlitecpp-dev
find_package(hwy REQUIRED)  # libhwy-dev
find_package(yaml-cpp REQUIRED)  # libyaml-cpp-dev
find_package(pugixml REQUIRED)  # libpugixml-dev
find_package(PkgConfig REQUIRED)  # pkg-config
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)  # libxxhash-dev
pkg_check_modules(zip REQUIRED IMPORTED_TARGET libzip)  # libzip-dev
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)  # libpng-dev
pkg_check_modules(turbojpeg REQUIRED IMPORTED_TARGET libturbojpeg)  # libturbojpeg0-dev
# oneDNN's own dnnl-config.cmake asks for OpenCL's development files. Its calls run under our threads,
# so libgomp, which it is built on, is told so (kernels/onednn/library.h).
find_library(HALFTONE_DNNL dnnl REQUIRED)  # libdnnl-dev
if(NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl SHARED IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${HALFTONE_DNNL} INTERFACE_LINK_LIBRARIES gomp)
endif()
