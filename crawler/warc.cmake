# WARC files, those of a crawl and anybody's, and the duplicates in them; included by
# CMakeLists.txt.
pkg_check_modules(LIBDEFLATE REQUIRED IMPORTED_TARGET libdeflate)
set(WARC_SOURCES
  cdxj.cc
  crawl_archive.cc
  dedup.cc
  dedup_command.cc
  dedup_corpus.cc
  dedup_document.cc
  dedup_names.cc
  dedup_output.cc
  gzip_file.cc
  page_archive.cc
  surt.cc
  warc_http.cc
  warc_reader.cc
  warc_record.cc
  warc_writer.cc)
set(WARC_LIBS PkgConfig::LIBDEFLATE)
