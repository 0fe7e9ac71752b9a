# Brings the staged files of each Debian package to Debian's rules, before CPack packs them: programs are
# stripped, manuals compressed, zsh's completions have a folder of their own, and each package has its copyright and changelogs.
set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(VERSION ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CONTACT ${CPACK_PACKAGE_CONTACT})
string(TIMESTAMP DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, if that is set

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(root ${folder}/${component}/usr)
  set(doc ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  configure_file(${CPACK_COMMONPLACE_SOURCE}/packaging/changelog.in ${doc}/changelog.Debian @ONLY)
  configure_file(${CPACK_COMMONPLACE_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY)
  configure_file(${CPACK_COMMONPLACE_SOURCE}/packaging/copyright ${doc}/copyright COPYONLY)
  if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
  file(GLOB manuals ${root}/share/man/man1/*.1)
  set(modules ${root}/lib/python3/dist-packages/commonplace)
  file(GLOB binaries ${root}/bin/* ${root}/lib/*/*.a ${modules}/*.so ${modules}/encode-worker)
  execute_process(COMMAND gzip -9nf ${doc}/changelog ${doc}/changelog.Debian ${manuals} COMMAND_ERROR_IS_FATAL ANY)
  if(binaries)
    execute_process(COMMAND strip --strip-unneeded --remove-section=.comment --remove-section=.note
      --enable-deterministic-archives ${binaries} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
