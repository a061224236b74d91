#pragma once

#include <curl/curl.h>

#include <memory>

#include "base/check.h"

namespace crawler::curl {

/// libcurl's handles and lists, owned; and its calls that cannot fail, checked. libcurl's names
/// stay within the files curl_*.

struct CloseEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct CloseMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using StringList = std::unique_ptr<curl_slist, FreeList>;

/// Sets an option that this libcurl is known to take.
template <class Value>
void Set(CURL* easy, CURLoption option, Value value) {
  CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK);
}
template <class Value>
void SetMulti(CURLM* multi, CURLMoption option, Value value) {
  CHECK(curl_multi_setopt(multi, option, value) == CURLM_OK);
}

/// A time or size that libcurl measured.
inline curl_off_t Number(CURL* easy, CURLINFO what) {
  curl_off_t value = 0;
  CHECK(curl_easy_getinfo(easy, what, &value) == CURLE_OK);
  return value;
}

/// The version of the last response, as a CURL_HTTP_VERSION_...; 0 where none came.
inline long HttpVersionOf(CURL* easy) {
  long version = 0;
  CHECK(curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version) == CURLE_OK);
  return version;
}

}  // namespace crawler::curl
