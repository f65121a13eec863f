# What the libraries need; read by this project and by the installed halftoneConfig.cmake.
# Everything comes from Debian 12 packages; docs/dependencies.md says why each is here.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED)
find_package(Eigen3 REQUIRED)
# Its shared library copies the tables of test problems when a program starts: 25 ms that the archive,
# of which few members are linked, does not take.
find_package(pagmo REQUIRED)
find_library(HALFTONE_PAGMO libpagmo.a REQUIRED)
if(NOT TARGET Pagmo::archive)
  add_library(Pagmo::archive STATIC IMPORTED)
  set_target_properties(Pagmo::archive PROPERTIES
    IMPORTED_LOCATION ${HALFTONE_PAGMO}
    INTERFACE_LINK_LIBRARIES "TBB::tbb;Threads::Threads;Boost::boost;Boost::serialization;Eigen3::Eigen")
endif()
find_package(TBB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(hwy REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(pugixml REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(zip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(turbojpeg REQUIRED IMPORTED_TARGET libturbojpeg)
# oneDNN's own dnnl-config.cmake asks for OpenCL's development files. Its calls run under our threads,
# so libgomp, which it is built on, is told so (kernels/onednn/library.h).
find_library(HALFTONE_DNNL dnnl REQUIRED)
if(NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl SHARED IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${HALFTONE_DNNL} INTERFACE_LINK_LIBRARIES gomp)
endif()
