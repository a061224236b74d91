# Writes the source that holds the pages of a folder:
#   cmake -DFOLDER=... -DOUT=... -P web_files.cmake
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
file(WRITE ${OUT} "#include \"crawler/web/web_files.h\"\n\n"
  "namespace crawler::web {\nnamespace {\n\n${arrays}\nconstexpr File kFiles[] = {\n${table}};\n\n"
  "}  // namespace\n\nstd::span<const File> Files() { return kFiles; }\n\n"
  "}  // namespace crawler::web\n")
