# The report and the dashboard, whose pages stand in the folder web/ and are built into the program;
# included by CMakeLists.txt. By itself (cmake -DFOLDER=... -DOUT=... -P web.cmake) it writes the
# source that holds them.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files ${FOLDER}/*.html ${FOLDER}/*.css ${FOLDER}/*.js)
  list(SORT files)
  set(arrays "")
  set(table "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} identifier)
    file(READ ${file} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR length "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
    string(APPEND arrays "constexpr char k_${identifier}[] = {${bytes}};\n")
    string(APPEND table "    {\"${name}\", {k_${identifier}, ${length}}},\n")
  endforeach()
  file(WRITE ${OUT} "#include \"crawler/web_files.h\"\n\nnamespace crawler::web {\nnamespace {\n\n"
    "${arrays}\nconstexpr File kFiles[] = {\n${table}};\n\n}  // namespace\n\n"
    "std::span<const File> Files() { return kFiles; }\n\n}  // namespace crawler::web\n")
  return()
endif()

find_package(prometheus-cpp CONFIG REQUIRED COMPONENTS core)
file(GLOB web_pages CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/web/*.html
  ${CMAKE_CURRENT_SOURCE_DIR}/web/*.css
  ${CMAKE_CURRENT_SOURCE_DIR}/web/*.js)
set(web_source ${PROJECT_BINARY_DIR}/generated/crawler/web_files.cc)
add_custom_command(OUTPUT ${web_source}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/web -DOUT=${web_source}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/web.cmake
  DEPENDS ${web_pages} ${CMAKE_CURRENT_SOURCE_DIR}/web.cmake
  COMMENT "Building web pages in" VERBATIM)

set(WEB_SOURCES
  busiest_hosts.cc
  dashboard.cc
  listen_address.cc
  log_tail.cc
  metrics.cc
  mirrors.cc
  pager.cc
  report.cc
  report_command.cc
  report_page.cc
  report_parameters.cc
  report_texts.cc
  site_page.cc
  web_page.cc
  ${web_source})
set(WEB_LIBS prometheus-cpp::core)
