#pragma once

#include <curl/curl.h>

#include <optional>
#include <string_view>

#include "crawler/fetch/fetcher.h"

namespace crawler::curl {

/// What a transfer's end means that libcurl gave up: its code, and its words where the code says
/// too little.

/// The class of it. `head_ended`: the response's head had come.
FetchError Classify(CURL* easy, CURLcode code, std::string_view words, bool head_ended);

/// Likewise behind a proxy, where what fails may be the proxy or what it says of the target.
/// Nothing where the proxy has no part in it.
std::optional<FetchError> ClassifyByProxy(CURL* easy, CURLcode code);

/// Whether `code` and `words` say that a name was not looked up because the system started no
/// thread for that: libcurl begins one for each, and calls what it cannot begin a host that is not
/// known.
bool IsWantOfThread(CURLcode code, std::string_view words);

/// What is wrong with a server's TLS, in one word, before libcurl's own words.
std::string_view TlsFault(CURL* easy, CURLcode code, std::string_view words);

}  // namespace crawler::curl
