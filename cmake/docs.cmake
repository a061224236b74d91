# The API reference: cmake --build BUILD --target docs, then BUILD/docs/html/index.html. A warning
# of Doxygen's fails it. By itself (cmake -DDOXYGEN=... -DSOURCE=... -DOUT=... -P docs.cmake) it
# runs Doxygen.
if(CMAKE_SCRIPT_MODE_FILE)
  file(MAKE_DIRECTORY ${OUT})
  file(READ ${SOURCE}/docs/Doxyfile settings)
  file(WRITE ${OUT}/Doxyfile "${settings}\nOUTPUT_DIRECTORY = \"${OUT}\"\n")
  execute_process(COMMAND ${DOXYGEN} ${OUT}/Doxyfile WORKING_DIRECTORY ${SOURCE}
    COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

find_program(DOXYGEN doxygen)
if(DOXYGEN)
  set(DOCS_COMMAND ${CMAKE_COMMAND} -DDOXYGEN=${DOXYGEN} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DOUT=${PROJECT_BINARY_DIR}/docs -P ${CMAKE_CURRENT_LIST_FILE})
  add_custom_target(docs COMMAND ${DOCS_COMMAND} VERBATIM
    COMMENT "Writing docs/html/index.html in the build folder")
endif()
