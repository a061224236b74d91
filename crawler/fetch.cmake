# The HTTP fetcher and the demo web; included by crawler/CMakeLists.txt.
# FETCH_SOURCES are relative to this folder, FETCH_LIBS are what they link with.
find_package(CURL 7.88 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(BROTLIDEC REQUIRED IMPORTED_TARGET libbrotlidec)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)

set(FETCH_SOURCES
  address_rules.cc
  body_decoder.cc
  cookie_date.cc
  cookie_jar.cc
  curl_fetcher.cc
  demo_abroad.cc
  demo_prose.cc
  demo_site.cc
  demo_web.cc
  event_poll.cc
  fetcher.cc
  fetcher_options.cc
  http_date.cc
  request_fields.cc
  response_head.cc
  robots_command.cc
  tls_fault.cc
  tls_session.cc
  url_command.cc)
set(FETCH_LIBS CURL::libcurl ZLIB::ZLIB PkgConfig::BROTLIDEC PkgConfig::HTTPLIB OpenSSL::SSL)
