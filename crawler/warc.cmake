# WARC files: writing those of a crawl, and reading anybody's; included by CMakeLists.txt.
set(WARC_SOURCES
  cdxj.cc
  crawl_archive.cc
  gzip_file.cc
  page_archive.cc
  surt.cc
  warc_http.cc
  warc_reader.cc
  warc_record.cc
  warc_writer.cc)
