#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/fetch/body_decoder.h"
#include "crawler/fetch/fetcher.h"

namespace crawler {

/// Reads the head of an HTTP response line by line, as it arrives, and refuses what a careful
/// client refuses: too many bytes, endless 1xx responses, contradicting Content-Length fields
/// (a sign of request smuggling), transfer codings nobody asked for, nested content codings.
/// Takes what is merely sloppy: bare LF, folded lines, blanks before the colon, fields without a
/// colon (dropped). But not a fold in Content-Length or Transfer-Encoding, nor a blank before its
/// colon (RFC 9112 section 5.1): libcurl, which reads the body, sees no such field, or half of it.
///
///     ResponseHead head;
///     head.Start(64 * 1024);
///     if (head.AddLine("HTTP/1.1 200 OK\r\n") != FetchError::kNone) Abort(head.fault());
///
/// Thread safety: none. Cost: linear in the bytes given.
class ResponseHead {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;
  /// Interim (1xx) responses taken before the final one.
  static constexpr int kInterimMax = 8;

  /// Begins a new response. `bytes_max` bounds all lines together, trailers included.
  void Start(std::size_t bytes_max);
  /// Takes one line with its line end. kHeadersTooLarge, kProtocol and kBadEncoding end the
  /// response; fault() then says why in words.
  FetchError AddLine(std::string_view line);

  /// Status of the final response, 0 before its status line.
  int status() const { return status_; }
  /// Whether the empty line after the final response's fields was seen.
  bool ended() const { return part_ == Part::kTrailer; }
  const std::string& fault() const { return fault_; }
  /// Content coding; kUnknown is for the caller to judge.
  ContentCoding coding() const { return ParseContentCoding(content_encoding_); }
  const std::string& content_encoding() const { return content_encoding_; }
  /// The declared length of the coded body, when there is one.
  std::optional<std::size_t> content_length() const { return content_length_; }
  /// Both Content-Length and Transfer-Encoding were sent: chunked wins, and the connection is not
  /// to be used again (RFC 9112 section 6.3).
  bool ambiguous_length() const { return content_length_.has_value() && transfer_encoding_; }
  /// Names in lower case, values trimmed, in order of arrival.
  Fields TakeFields() { return std::move(fields_); }

 private:
  enum class Part : unsigned char { kStatusLine, kFields, kTrailer };

  FetchError Refuse(FetchError error, std::string why);
  FetchError AddStatusLine(std::string_view line);
  FetchError AddField(std::string_view line);
  FetchError EndFields();
  /// Fields that decide how the body is read, looked at when they are whole (unfolded).
  FetchError Interpret(std::string_view name, std::string_view value);
  FetchError InterpretLength(std::string_view value);

  Part part_ = Part::kStatusLine;
  std::size_t bytes_ = 0;
  std::size_t bytes_max_ = 0;
  int interim_ = 0;
  int status_ = 0;
  bool sloppy_framing_ = false;  // a fold or a blank where none may be
  bool transfer_encoding_ = false;
  std::optional<std::size_t> content_length_;
  std::string content_encoding_;
  std::string fault_;
  Fields fields_;
};

}  // namespace crawler
