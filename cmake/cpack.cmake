# Debian packages of what is installed, one a component; `./dev package` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME commonplace)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Commonplace maintainers <maintainers@commonplace.example>")
if(DEFINED ENV{DEBEMAIL})  # as Debian's own tools have it
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/build/package)
set(CPACK_COMPONENTS_ALL program development)
if(MPI_CXX_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL cluster)
endif()
if(COMMONPLACE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
# What only Debian wants of the files: packaging/stage_deb.cmake.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/stage_deb.cmake)
set(CPACK_COMMONPLACE_SOURCE ${PROJECT_SOURCE_DIR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0.1)  # gives way to a package of Debian's own
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(same "commonplace (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME commonplace)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"learn from the tags that people already gave
Keeps collections of tagged things (photographs, bookmarks, documents, places)
in one library on your own machine, and learns from their tags: to suggest
tags with a confidence, to find what was tagged otherwise, to detect concepts
from a few examples, to relate pictures, words and places, and to carry labels
from one collection to another. It needs neither a GPU nor a network.

It is a command line, and a page for the browser that 'commonplace serve' or
the systemd user service commonplace.service shows.")

set(CPACK_DEBIAN_CLUSTER_PACKAGE_NAME commonplace-mpi)
set(CPACK_DEBIAN_CLUSTER_PACKAGE_SECTION science)
set(CPACK_DEBIAN_CLUSTER_PACKAGE_DEPENDS "${same}")
set(CPACK_DEBIAN_CLUSTER_PACKAGE_RECOMMENDS "openmpi-bin, openssh-client")
set(CPACK_DEBIAN_CLUSTER_DESCRIPTION
"learn from the tags that people already gave, on many machines
Commonplace keeps collections of tagged things and learns from their tags.

This is its program for clusters: under mpirun it learns and evaluates with
the processors of several machines, and gives the same answers as one.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcommonplace-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libicu-dev, libjpeg-dev, liblinear-dev, libpng-dev, librsvg2-dev, \
libsqlite3-dev, libstemmer-dev, libvlfeat-dev, libwebp-dev, libxml2-dev, pkg-config, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"learn from the tags that people already gave, in other programs
Commonplace keeps collections of tagged things and learns from their tags.

This is its C++20 library, static, with its headers, a package for CMake
(find_package(Commonplace)) and one for pkg-config.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-commonplace)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12), python3-numpy, python3-scipy, python3-sklearn")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
"learn from the tags that people already gave, from Python
Commonplace keeps collections of tagged things and learns from their tags.

These are its libraries from Python, and its learners as estimators that keep
the contract of scikit-learn.")
include(CPack)
