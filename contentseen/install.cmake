# What `cmake --install` puts in place: headers, library, CMake package, pkg-config file. What
# headers include of the base room goes along, in a folder that holds nothing else:
# include/contentseen itself must never be searched for headers, or our features.h would be taken
# for that of the C library. None of these headers defines a macro.

foreach(header
    compare content_seen digest document_id document_record evidence fingerprint image options
    reserved_memory verdict
    detectors/detector detectors/detectors detectors/lexicon
    hamming/batch_join hamming/compressed_tables hamming/hamming_index
    hamming/hamming_plan hamming/manku_tables hamming/rotate_join hamming/visitor
    text/analyzed_text text/features text/passage text/seed_tokenizers text/simhash text/tally
    text/text text/tokens)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/contentseen/${folder})
endforeach()
install(FILES ../base/result.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/contentseen/house/base)

set_target_properties(base PROPERTIES OUTPUT_NAME contentseen_base)
set(installed contentseen base)
# The other kind of library beside what BUILD_SHARED_LIBS asks for, from the same objects: who
# embeds links contentseen::contentseen, or one kind by its name. Not inside another project, which
# links the one.
if(PROJECT_IS_TOP_LEVEL)
  set_target_properties(contentseen base PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(BUILD_SHARED_LIBS)
    set(other contentseen_static)
    add_library(${other} STATIC $<TARGET_OBJECTS:contentseen>)
  else()
    set(other contentseen_shared)
    add_library(${other} SHARED $<TARGET_OBJECTS:contentseen>)
  endif()
  set_target_properties(${other} PROPERTIES OUTPUT_NAME contentseen LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${contentseen_soversion})
  target_compile_features(${other} PUBLIC cxx_std_20)
  target_include_directories(${other} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${other} PUBLIC base PRIVATE OpenSSL::Crypto ICU::uc)
  list(APPEND installed ${other})
endif()
install(TARGETS ${installed} EXPORT contentseen-targets COMPONENT contentseen)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/contentseen)
install(EXPORT contentseen-targets NAMESPACE contentseen:: DESTINATION ${package_dir})
configure_package_config_file(contentseen-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/contentseen-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/contentseen-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/contentseen-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/contentseen-config-version.cmake
        DESTINATION ${package_dir})

# Who links the static library links what it needs as well.
if(BUILD_SHARED_LIBS)
  set(pc_requires Requires.private)
else()
  set(pc_requires Requires)
endif()
# Where all is, as seen from the .pc file, so that it can be installed anywhere (--prefix). What was
# asked for by an absolute path stays there. Spaces are escaped, as pkg-config does in pcfiledir.
string(REPLACE " " "\\ " pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(kind LIBDIR INCLUDEDIR)
  string(REPLACE " " "\\ " pc_${kind} "${CMAKE_INSTALL_${kind}}")
  if(NOT IS_ABSOLUTE "${pc_${kind}}")
    set(pc_${kind} "\${prefix}/${pc_${kind}}")
  endif()
endforeach()
configure_file(contentseen.pc.in ${CMAKE_CURRENT_BINARY_DIR}/contentseen.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/contentseen.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
