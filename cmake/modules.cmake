# One static library for each floor of src/commonplace, and three for each room: its learner (core),
# what learns and answers with a library, and what evaluates. The LINK list is the permission to know
# others; tests/check_layers.py holds includes to the same rule.

set(COMMONPLACE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
    -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlaps in std::string's operator+ that are not there (its bug 105651).
  # In batches it takes names of unnamed namespaces for those of headers.
  list(APPEND COMMONPLACE_WARNINGS -Wno-restrict -Wno-subobject-linkage)
  if(COMMONPLACE_PCH)  # What it says of the system's headers is no longer left out.
    list(REMOVE_ITEM COMMONPLACE_WARNINGS -Werror)
    list(APPEND COMMONPLACE_WARNINGS
      -Wno-array-bounds -Wno-attributes -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()

add_library(commonplace_flags INTERFACE)
target_include_directories(commonplace_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(commonplace_flags INTERFACE
  EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY COMMONPLACE_VERSION="${PROJECT_VERSION}")
if(COMMONPLACE_NATIVE)
  target_compile_options(commonplace_flags INTERFACE -march=native)
endif()
if(COMMONPLACE_SANITIZE)
  target_compile_options(commonplace_flags INTERFACE
    -fsanitize=${COMMONPLACE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  target_link_options(commonplace_flags INTERFACE -fsanitize=${COMMONPLACE_SANITIZE})
  # Sanitizers and the ifuncs behind target_clones do not go together.
  target_compile_definitions(commonplace_flags INTERFACE COMMONPLACE_NO_CLONES)
endif()
if(COMMONPLACE_LIBFUZZER)
  target_compile_options(commonplace_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What only carries values to and fro decides no speed and is compiled in half the time so. At this
# level GCC takes some of Eigen for uninitialised.
set(COMMONPLACE_LIGHT $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND COMMONPLACE_LIGHT -Wno-maybe-uninitialized)
endif()

# Headers of others that most files include are compiled once for each set of flags: with those of
# `base` and with those of `io`, which is light.
set(COMMONPLACE_SHARED_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring>
  <filesystem> <functional> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <unordered_map> <utility> <vector> <Eigen/Core> <nlohmann/json.hpp>)
function(commonplace_precompile target)
  if(NOT COMMONPLACE_PCH)
    return()
  endif()
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(GET COMMONPLACE_LIGHT 0 light)
  if(light IN_LIST options)
    set(owner io)
  else()
    set(owner base)
  endif()
  # What lies elsewhere in memory, as programs do beside libraries that may be shared, cannot use them.
  get_target_property(own ${target} POSITION_INDEPENDENT_CODE)
  get_target_property(precompiled ${owner} POSITION_INDEPENDENT_CODE)
  if((own AND NOT precompiled) OR (precompiled AND NOT own))
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${COMMONPLACE_SHARED_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Files are compiled in batches, because most of the time goes into headers that they share. Names in
# unnamed namespaces therefore differ within a library. Batches of a library are of one size, so that
# none repeats the headers for two or three files.
function(commonplace_batches target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  set(most ${ARGN} 16)
  list(GET most 0 most)
  math(EXPR batches "(${count} + ${most} - 1) / ${most}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${COMMONPLACE_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
  commonplace_precompile(${target})
endfunction()

function(commonplace_library name)
  cmake_parse_arguments(LIBRARY "LIGHT" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${LIBRARY_SOURCES})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME commonplace_${name})
  if(COMMONPLACE_PIC)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  target_link_libraries(${name} PUBLIC commonplace_flags ${LIBRARY_LINK})
  target_compile_options(${name} PRIVATE ${COMMONPLACE_WARNINGS})
  if(LIBRARY_LIGHT)
    target_compile_options(${name} PRIVATE ${COMMONPLACE_LIGHT})
  endif()
  commonplace_batches(${name})
endfunction()

function(commonplace_module name)
  cmake_parse_arguments(MODULE "LIGHT" "" "LINK" ${ARGN})
  if(MODULE_LIGHT)
    set(light LIGHT)
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/src/commonplace/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h)
  list(FILTER sources EXCLUDE REGEX "/comm/mpi/")  # a library of its own
  commonplace_library(${name} ${light} SOURCES ${sources} LINK ${MODULE_LINK})
endfunction()

function(commonplace_room name)
  set(folder ${PROJECT_SOURCE_DIR}/src/commonplace/${name})
  file(GLOB core CONFIGURE_DEPENDS ${folder}/core/*.cpp ${folder}/core/*.h)
  file(GLOB evaluation CONFIGURE_DEPENDS ${folder}/evaluate*.cpp ${folder}/rivals/*.cpp)
  file(GLOB room CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER room EXCLUDE REGEX "/evaluate[^/]*$")
  commonplace_library(${name}_core SOURCES ${core} LINK formats features learn eval)
  commonplace_library(${name} SOURCES ${room} LINK ${name}_core rows)
  commonplace_library(${name}_evaluate SOURCES ${evaluation} LINK ${name})
endfunction()
