# cmake -DSOURCE=<checkout> -DWORK=<folder> -DSHARED=ON|OFF -P run.cmake
# Builds contentseen/ alone, installs it where only the installing says, in a folder with a space in
# its name, and builds and runs two outside programs against that: this folder's and examples/embed.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
set(prefix "${WORK}/a prefix")
file(REMOVE_RECURSE ${prefix} ${WORK}/consumer ${WORK}/embed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/contentseen -B ${WORK}/alone -DCMAKE_BUILD_TYPE=Debug
  -DBUILD_SHARED_LIBS=${SHARED} -DCMAKE_INSTALL_PREFIX=${WORK}/elsewhere)
run(${CMAKE_COMMAND} --build ${WORK}/alone --parallel ${jobs})
run(${CMAKE_COMMAND} --install ${WORK}/alone --prefix ${prefix})
if(EXISTS ${WORK}/elsewhere)
  message(FATAL_ERROR "something was not installed where --prefix says")
endif()

# Both kinds of library are there, whichever is the one that contentseen::contentseen names, and
# programs look for the shared one by the versions that the package says go together.
foreach(kind libcontentseen.a libcontentseen.so libcontentseen.so.0.1)
  file(GLOB_RECURSE found ${prefix}/*/${kind})
  if(NOT found)
    message(FATAL_ERROR "${kind} was not installed")
  endif()
endforeach()

foreach(program consumer embed)
  if(program STREQUAL consumer)
    set(source ${SOURCE}/tests/install)
  else()
    set(source ${SOURCE}/examples/embed)
  endif()
  run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${WORK}/${program} -DCMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${WORK}/${program})
endforeach()
run(${WORK}/consumer/consumer)
run(${WORK}/consumer/consumer_other)

# The example, on a file and its copy.
file(WRITE ${WORK}/one.txt "the same text")
file(WRITE ${WORK}/two.txt "The  same  text")
execute_process(COMMAND ${WORK}/embed/embed ${WORK}/one.txt ${WORK}/two.txt
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "one.txt: new\n.*two.txt: exact-text to .*one.txt, 0 bits apart")
  message(FATAL_ERROR "examples/embed said: ${said}")
endif()

# Of what is not there, or is no file, it does not say "new".
foreach(none none.txt embed)
  execute_process(COMMAND ${WORK}/embed/embed ${WORK}/${none} RESULT_VARIABLE result
    OUTPUT_VARIABLE said ERROR_VARIABLE complained)
  if(NOT result EQUAL 1 OR said OR NOT complained MATCHES "${none}: cannot be read")
    message(FATAL_ERROR "examples/embed said of ${none}: ${said}${complained}")
  endif()
endforeach()

# In an outside project's own build. (That it can be built is known.)
file(REMOVE_RECURSE ${WORK}/within)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/install/within -B ${WORK}/within)

# And without CMake.
find_program(PKG_CONFIG pkg-config)
find_program(CXX_COMPILER NAMES c++ g++ clang++)
file(GLOB_RECURSE pc ${prefix}/*/contentseen.pc)
if(PKG_CONFIG AND CXX_COMPILER)
  get_filename_component(pc_folder "${pc}" DIRECTORY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder}
      ${PKG_CONFIG} --cflags --libs contentseen
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  get_filename_component(lib_folder ${pc_folder} DIRECTORY)
  run(${CXX_COMPILER} ${SOURCE}/tests/install/consumer.cc -o ${WORK}/consumer/by-pkg-config
    ${flags} -Wl,-rpath,${lib_folder})
  run(${WORK}/consumer/by-pkg-config)

  # Each header that was installed stands by itself: it includes only what was installed, too, and
  # takes no macro's name from others. (They are the same for both kinds.)
  if(NOT SHARED)
    set(include ${prefix}/include)
    file(GLOB_RECURSE headers RELATIVE ${include} ${include}/contentseen/*.h)
    foreach(header ${headers})
      file(WRITE ${WORK}/header.cc "#include <${header}>\n#include <${header}>\n")
      run(${CXX_COMPILER} -fsyntax-only ${WORK}/header.cc ${flags})
      file(STRINGS ${include}/${header} macros REGEX "^ *# *define")
      if(macros)
        message(FATAL_ERROR "${header} defines: ${macros}")
      endif()
    endforeach()
  endif()
endif()
