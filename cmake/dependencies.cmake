# Everything comes from Debian's packages; `./dev deps` installs them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n)
find_package(Eigen3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(LibXml2 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# Snowball ships neither a CMake package nor a .pc file.
find_library(STEMMER_LIBRARY stemmer REQUIRED)
add_library(stemmer_interface INTERFACE)
target_link_libraries(stemmer_interface INTERFACE ${STEMMER_LIBRARY})
add_library(PkgConfig::STEMMER ALIAS stemmer_interface)

# Nor does liblinear.
find_path(LINEAR_INCLUDE_DIR linear.h REQUIRED)
find_library(LINEAR_LIBRARY linear REQUIRED)
add_library(linear_interface INTERFACE)
target_link_libraries(linear_interface INTERFACE ${LINEAR_LIBRARY})

# Spectra and dlib's SURF descriptor are headers alone, on the compiler's own path.
find_path(SPECTRA_INCLUDE_DIR Spectra/SymEigsSolver.h REQUIRED)
find_path(DLIB_INCLUDE_DIR dlib/image_keypoint/surf.h REQUIRED)

# Boost's Asio and Beast are headers alone; the server's sockets are theirs.
find_package(Boost 1.74 REQUIRED)
add_library(boost_interface INTERFACE)
target_include_directories(boost_interface SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_link_libraries(boost_interface INTERFACE Threads::Threads)

# Pixels.
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp)
pkg_check_modules(RSVG REQUIRED IMPORTED_TARGET librsvg-2.0)
find_path(VLFEAT_INCLUDE_DIR vl/dsift.h REQUIRED)
find_library(VLFEAT_LIBRARY vl REQUIRED)
add_library(vlfeat_interface INTERFACE)
target_link_libraries(vlfeat_interface INTERFACE ${VLFEAT_LIBRARY})

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI COMPONENTS CXX)

find_package(GTest)  # for the tests only
find_package(Python3 REQUIRED COMPONENTS Interpreter)
