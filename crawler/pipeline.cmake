# The pipeline and the crawl command; included by CMakeLists.txt.
find_package(fmt REQUIRED)
set(PIPELINE_SOURCES
  crawl.cc
  crawl_command.cc
  crawl_log.cc
  crawl_watch.cc
  data_lock.cc
  disposition.cc
  pipeline.cc
  progress.cc
  robots_cache.cc
  seeds.cc
  statistics.cc
  stop_signals.cc
  submission.cc)
set(PIPELINE_LIBS fmt::fmt)
