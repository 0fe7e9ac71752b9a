# The library as one file, for programs of others, and all that an installation brings with it:
# headers, CMake and pkg-config packages, the page, shell completions, the manual and a service of systemd's.
# The components program, cluster (the program for MPI) and development are packages of their own (cpack.cmake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(parts base io math comm formats library features encode eval learn rows upkeep api)
foreach(room search suggest detect relate transfer)
  list(APPEND parts ${room}_core ${room})
endforeach()
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)

# The same objects twice: as an archive and, where they are position-independent, as a shared library.
# COMMONPLACE_API marks all that the latter shows.
function(commonplace_whole target kind name)
  add_library(${target} ${kind} ${objects})
  add_library(commonplace::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME commonplace
    EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # By names that the installed package finds again.
  target_link_libraries(${target} PRIVATE ICU::i18n ICU::uc SQLite::SQLite3 LibXml2::LibXml2
    ZLIB::ZLIB JPEG::JPEG PNG::PNG PkgConfig::WEBP PkgConfig::RSVG Threads::Threads
    stemmer linear vl)
  if(COMMONPLACE_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${COMMONPLACE_SANITIZE})
  endif()
  install(TARGETS ${target} EXPORT CommonplaceTargets COMPONENT development)
endfunction()

commonplace_whole(libcommonplace STATIC static)
# A sanitizer's own names are undefined until a program is linked.
if(COMMONPLACE_PIC AND NOT COMMONPLACE_SANITIZE)
  set(COMMONPLACE_HAS_SHARED ON)
  commonplace_whole(libcommonplace_shared SHARED shared)
  target_link_options(libcommonplace_shared PRIVATE -Wl,--no-undefined)
else()
  set(COMMONPLACE_HAS_SHARED OFF)
endif()

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Commonplace)
install(EXPORT CommonplaceTargets NAMESPACE commonplace:: DESTINATION ${config_folder}
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CommonplaceConfig.cmake.in
  ${PROJECT_BINARY_DIR}/CommonplaceConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CommonplaceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CommonplaceConfig.cmake
  ${PROJECT_BINARY_DIR}/CommonplaceConfigVersion.cmake DESTINATION ${config_folder}
  COMPONENT development)

# The public headers, and those of the inside that they show: values of std types.
install(DIRECTORY include/commonplace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(FILES src/commonplace/base/error.h src/commonplace/base/progress.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/commonplace/base COMPONENT development)
install(FILES src/commonplace/formats/item.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/commonplace/formats COMPONENT development)

# An archive needs the others at each link, the shared library brings them along.
set(NEEDED "sqlite3 libxml-2.0 zlib icu-i18n icu-uc libjpeg libpng libwebp librsvg-2.0")
set(NEEDED_LIBRARIES "-lstemmer -llinear -lvl -pthread")
if(COMMONPLACE_HAS_SHARED)
  set(NEEDS "Requires.private: ${NEEDED}\nLibs: -L\${libdir} -lcommonplace\nLibs.private: ${NEEDED_LIBRARIES}")
else()
  set(NEEDS "Requires: ${NEEDED}\nLibs: -L\${libdir} -lcommonplace ${NEEDED_LIBRARIES}")
endif()
# Relative to itself, so that the whole may be moved.
file(RELATIVE_PATH UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/commonplace.pc @ONLY CONTENT
[[prefix=${pcfiledir}/@UP@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: Commonplace
Description: Learns from the tags people gave, to search, suggest, detect, relate and transfer
Version: @PROJECT_VERSION@
@NEEDS@
Cflags: -I${includedir}
]])
install(FILES ${PROJECT_BINARY_DIR}/commonplace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

# What the program says of itself: the manual, and completions for shells.
set(companions ${PROJECT_BINARY_DIR}/companions)
set(files commonplace.1 commonplace.bash commonplace.zsh commonplace.fish)
list(TRANSFORM files PREPEND ${companions}/)
add_custom_command(OUTPUT ${files} VERBATIM
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/companions.py
    $<TARGET_FILE:commonplace_cli> ${companions}
  DEPENDS commonplace_cli cmake/companions.py)
add_custom_target(companions ALL DEPENDS ${files})
install(FILES ${companions}/commonplace.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${companions}/commonplace.bash RENAME commonplace
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${companions}/commonplace.zsh RENAME _commonplace
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${companions}/commonplace.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
if(MPI_CXX_FOUND)
  file(WRITE ${companions}/commonplace-mpi.1 ".so man1/commonplace.1\n")
  install(FILES ${companions}/commonplace-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cluster)
endif()

# Where systemd looks below /usr and /usr/local, whatever LIBDIR is.
install(FILES packaging/commonplace.service DESTINATION lib/systemd/user COMPONENT program)

# The page, if `./dev build` has made it.
install(DIRECTORY ${PROJECT_BINARY_DIR}/page DESTINATION ${CMAKE_INSTALL_DATADIR}/commonplace
  COMPONENT program OPTIONAL)
