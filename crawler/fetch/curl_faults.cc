#include "crawler/fetch/curl_faults.h"

#include "base/check.h"
#include "crawler/fetch/curl_handles.h"
#include "crawler/fetch/tls_fault.h"

namespace crawler::curl {
namespace {

/// Whether a handshake ended with its connection, which says nothing against the server's TLS.
bool IsLostConnection(std::string_view words) {
  for (const std::string_view sign : {"SSL_ERROR_SYSCALL", "Recv failure", "Send failure",
                                      "Connection reset", "unexpected eof"}) {
    if (words.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string_view TlsFault(CURL* easy, CURLcode code, std::string_view words) {
  long verified = 0;
  CHECK(curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verified) == CURLE_OK);
  if (const auto fault = CertificateFault(verified); !fault.empty()) return fault;
  // libcurl compares names itself, after OpenSSL found nothing amiss.
  if (words.find("name") != std::string_view::npos && code == CURLE_PEER_FAILED_VERIFICATION) {
    return "wrong-name";
  }
  return "handshake";
}

bool IsWantOfThread(CURLcode code, std::string_view words) {
  const bool unresolved =
      code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
  return unresolved && words.starts_with("getaddrinfo() thread failed");
}

FetchError Classify(CURL* easy, CURLcode code, std::string_view words, bool head_ended) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return FetchError::kDns;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FetchError::kProxy;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
      return FetchError::kConnect;
    case CURLE_OPERATION_TIMEDOUT:
      if (words.starts_with("Resolving")) return FetchError::kDns;
      return Number(easy, CURLINFO_PRETRANSFER_TIME_T) == 0 ? FetchError::kConnect
                                                            : FetchError::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
      return IsLostConnection(words) ? FetchError::kReset : FetchError::kTls;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_USE_SSL_FAILED:
      return FetchError::kTls;
    case CURLE_RECV_ERROR:
      // libcurl has no code of its own for these two.
      if (words.find("chunked-encoding") != std::string_view::npos) return FetchError::kProtocol;
      if (words.starts_with("Too large response headers")) return FetchError::kHeadersTooLarge;
      return FetchError::kReset;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return FetchError::kReset;
    case CURLE_OUT_OF_MEMORY:
      // So a header line of more than 100 KiB (CURL_MAX_HTTP_HEADER) is reported.
      return head_ended ? FetchError::kReset : FetchError::kHeadersTooLarge;
    case CURLE_BAD_CONTENT_ENCODING:
      return FetchError::kBadEncoding;
    default:
      return FetchError::kProtocol;
  }
}

std::optional<FetchError> ClassifyByProxy(CURL* easy, CURLcode code) {
  if (code == CURLE_COULDNT_CONNECT) return FetchError::kProxy;
  long answer = 0;
  if (code == CURLE_PROXY) {  // SOCKS
    CHECK(curl_easy_getinfo(easy, CURLINFO_PROXY_ERROR, &answer) == CURLE_OK);
    const bool target = answer == CURLPX_REPLY_HOST_UNREACHABLE ||
                        answer == CURLPX_REPLY_NETWORK_UNREACHABLE ||
                        answer == CURLPX_REPLY_CONNECTION_REFUSED ||
                        answer == CURLPX_REPLY_TTL_EXPIRED || answer == CURLPX_RESOLVE_HOST;
    return target ? FetchError::kConnect : FetchError::kProxy;
  }
  CHECK(curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &answer) == CURLE_OK);
  if (answer == 0 || (answer >= 200 && answer < 300)) return std::nullopt;
  // A gateway's error is about the target; all else is about us.
  return answer >= 502 && answer <= 504 ? FetchError::kConnect : FetchError::kProxy;
}

}  // namespace crawler::curl
