#include "crawler/settings/options.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/ascii.h"
#include "contentseen/detectors/detectors.h"
#include "crawler/fetch/address_rules.h"
#include "crawler/fetch/request_fields.h"
#include "crawler/io/listen_address.h"

namespace crawler {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;

void DeclareCrawl(OptionTable& table, Options& o) {
  table.Section("crawl", "The crawl as a whole.");
  table.Text({.key = "data",
              .help = "Directory for logs, texts and state; made when it is missing.",
              .flag = "--data",
              .value = "DIR",
              .any_bytes = true},
             o.crawl.data, "the name of a directory", 4096,
             [](const std::string& name) { return name.empty() ? "is empty" : ""; });
  table.Integer(
      {.key = "pages_max",
       .help = "Pages requested in the whole crawl; one that is to be tried again counts when "
               "it is done with.",
       .flag = "--max-pages",
       .unit = "pages"},
      o.frontier.pages_max, 1, 1'000'000'000'000);
  table.Duration({.key = "time_max",
                  .help = "After so long a run stops as at Ctrl-C, and the next start goes on; 0: "
                          "never.",
                  .flag = "--max-time"},
                 o.crawl.time_max, seconds(0), hours(24 * 365));
  table.Integer({.key = "pages_per_host_max",
                 .help = "URLs accepted for one host in the whole crawl.",
                 .flag = "--max-pages-per-host",
                 .unit = "pages",
                 .leaves_out = true},
                o.frontier.pages_per_host_max, 1, 4'000'000'000);
  table.Integer({.key = "fetch_threads",
                 .help = "Threads that carry transfers, hundreds each. 0: one for every four "
                         "processors.",
                 .flag = "--fetch-threads",
                 .unit = "threads"},
                o.crawl.fetch_threads, 0, 64);
  table.Integer({.key = "process_threads",
                 .help = "Threads that parse and judge pages. 0: one for every processor.",
                 .flag = "--process-threads",
                 .unit = "threads"},
                o.crawl.process_threads, 0, 256);
  table.Integer({.key = "memory_mb",
                 .help = "Memory for what the crawl knows: URLs seen, hosts, digests and index of "
                         "pages, payloads archived, queues, store. When all but the last two "
                         "leave less than an eighth of it, the crawl stops, to be continued with "
                         "more.",
                 .flag = "--memory-mb",
                 .unit = "MB"},
                o.crawl.memory_mb, 64, 1'000'000);
  table.Bool({.key = "follow_copies_of_other_sites",
              .help = "Follow the links of a page that is skipped as a copy of one on another "
                      "registered domain: so a copy that is met first cannot hide the site it was "
                      "taken from. Mirrors under other names are then crawled whole.",
              .leaves_out = true},
             o.pipeline.follow_copies_of_other_sites);
  table.Integer({.key = "pages_in_flight_max",
                 .help = "Pages being fetched or waiting to be judged; bounds memory.",
                 .unit = "pages"},
                o.pipeline.pages_in_flight_max, 1, 100'000);
  table.Integer({.key = "retries_max",
                 .help = "Further attempts at a page after a failure that may pass: no "
                         "connection, TLS, time-out, reset, 429, 5xx.",
                 .unit = "attempts"},
                o.pipeline.retries_max, 0, 20);
}

/// Asks the scope itself whether it would take the pattern.
std::string PatternFault(const std::string& pattern) {
  frontier::ScopeOptions scope;
  scope.include = {pattern};
  auto made = frontier::Scope::Make(scope);
  return made ? std::string() : "is none: " + made.error().message;
}

std::string NetworkFault(const std::string& text) {
  auto network = IpNetwork::Parse(text);
  return network ? std::string() : "is none: " + network.error().message;
}

std::string PortFault(const std::string& text) {
  auto rules = AddressRules::Create({}, {text});
  return rules ? std::string() : "is none: " + rules.error().message;
}

void DeclareScope(OptionTable& table, frontier::ScopeOptions& o) {
  using frontier::ScopeReach;
  constexpr std::string_view kPattern = "a list of regular expressions";
  table.Section("scope", "Which URLs belong to the crawl.");
  table.Choice(
      {.key = "reach",
       .help = "host: the hosts of the seeds; domain: their registered domains; any: the "
               "web.",
       .flag = "--scope",
       .leaves_out = true},
      o.reach,
      {{"host", ScopeReach::kHost}, {"domain", ScopeReach::kDomain}, {"any", ScopeReach::kAny}});
  table.TextList({.key = "include",
                  .help = "A URL must match one of these, if there are any: searched anywhere in "
                          "its escaped form (caf%C3%A9, xn--...), ^ and $ anchor.",
                  .flag = "--include",
                  .value = "REGEX",
                  .leaves_out = true},
                 o.include, kPattern, 1'000, 4'096, PatternFault);
  table.TextList({.key = "exclude",
                  .help = "A URL must match none of these; searched likewise.",
                  .flag = "--exclude",
                  .value = "REGEX",
                  .leaves_out = true},
                 o.exclude, kPattern, 1'000, 4'096, PatternFault);
  table.Integer({.key = "depth_max",
                 .help = "Links followed from a seed; 0: the seeds only.",
                 .flag = "--max-depth",
                 .unit = "links",
                 .leaves_out = true},
                o.depth_max, 0, 1'000'000);
  table.Integer({.key = "path_segments_max",
                 .help = "Segments of a URL's path; endless paths have more.",
                 .unit = "segments",
                 .leaves_out = true},
                o.path_segments_max, 1, 1'000);
  table.Integer({.key = "segment_repeats_max",
                 .help = "Times one segment may stand in a path: 2 refuses /a/b/a/c/a.",
                 .unit = "times",
                 .leaves_out = true},
                o.segment_repeats_max, 1, 1'000);
  table.Integer({.key = "query_parameters_max",
                 .help = "Parameters in a URL's query; facets pile them up.",
                 .unit = "parameters",
                 .leaves_out = true},
                o.query_parameters_max, 0, 1'000);
}

void DeclareUrl(OptionTable& table, frontier::UrlRules& o) {
  table.Section("url", "The one form in which a URL is kept and compared.");
  table.Integer({.key = "url_bytes_max", .help = "Longest URL accepted.", .unit = "bytes"},
                o.url_bytes_max, 16, frontier::kUrlBytesLimit);
  table.TextList({.key = "drop_parameters",
                  .help = "Query parameters to remove, by name, or by prefix with a * at the end: "
                          "[\"PHPSESSID\", \"utm_*\"].",
                  .flag = "--drop-parameter",
                  .value = "NAME"},
                 o.drop_parameters, "a list of parameter names", 1'000, 256,
                 [](const std::string& name) { return name.empty() ? "is empty" : ""; });
  table.Bool({.key = "drop_session_ids",
              .help = "Remove the session ids that servers are known to write into URLs: "
                      "PHPSESSID, ;jsessionid= and their like."},
             o.drop_session_ids);
  table.Bool({.key = "normalize_escapes",
              .help = "Write percent escapes in one way: %7e as ~, %c3 as %C3."},
             o.normalize_escapes);
}

void DeclarePoliteness(OptionTable& table, frontier::FrontierOptions& o) {
  table.Section("politeness", "How gently each host is treated.");
  table.Duration({.key = "delay",
                  .help = "From the end of one request to a host to the start of the next.",
                  .flag = "--delay"},
                 o.delay, seconds(0), hours(1));
  table.Duration({.key = "delay_max",
                  .help = "The longest delay that a Crawl-delay of robots.txt can ask for."},
                 o.delay_max, seconds(0), hours(1));
  table.Integer({.key = "response_time_factor",
                 .help = "A host that takes long to answer is left alone for so many times as "
                         "long; 0: for the delay, however long. With delay = \"0s\" it counts for "
                         "nothing.",
                 .unit = "times"},
                o.response_time_factor, 0, 100);
  table.Duration({.key = "slow_delay_max", .help = "The longest delay that comes of that."},
                 o.slow_delay_max, seconds(0), hours(1));
  table.Integer({.key = "connections_per_host",
                 .help = "Requests to one host at the same time.",
                 .unit = "requests"},
                o.connections_per_host, 1, 64);
  table.Integer({.key = "hosts_at_once_per_domain",
                 .help = "A registered domain is asked as if so many of its hosts were crawled at "
                         "a time: so many times the connections, and so much less delay.",
                 .unit = "hosts"},
                o.hosts_at_once_per_domain, 1, 10'000);
  table.Integer({.key = "hosts_at_once_per_address",
                 .help = "The same for the hosts that one address serves.",
                 .unit = "hosts"},
                o.hosts_at_once_per_address, 1, 10'000);
  table.Integer({.key = "requests_per_second_max",
                 .help = "Requests started in a second, by the whole crawl.",
                 .unit = "requests"},
                o.requests_per_second_max, 1, 1'000'000);
  table.Duration(
      {.key = "park_max", .help = "The longest time that a Retry-After can put a host aside for."},
      o.park_max, seconds(0), hours(24 * 7));
  table.Duration({.key = "retry_delay",
                  .help = "Before the second attempt at a page; doubles with each further one."},
                 o.retry_delay, seconds(0), hours(1));
  table.Duration({.key = "retry_delay_max", .help = "Where that doubling ends."},
                 o.retry_delay_max, seconds(0), hours(24));
  table.Integer({.key = "jitter",
                 .help = "Added at random to a back-off, lest all that failed together is asked "
                         "again together.",
                 .unit = "percent"},
                o.jitter_percent, 0, 100);
  table.Duration({.key = "failing_delay_max",
                  .help = "The longest back-off of a host that fails again and again: from "
                          "retry_delay on it doubles."},
                 o.failing_delay_max, seconds(0), hours(24));
  table.Integer(
      {.key = "host_failures_max",
       .help = "Failures in a row (no answer, TLS, 429, 5xx) after which a host is given "
               "up: its URLs wait for the next start.",
       .unit = "failures"},
      o.host_failures_max, 1, 1'000'000);
}

void DeclareFrontier(OptionTable& table, frontier::FrontierOptions& o) {
  table.Section("frontier", "Bounds on what waits to be fetched.");
  table.Integer({.key = "queued_max", .help = "URLs waiting.", .unit = "URLs", .leaves_out = true},
                o.queued_max, 1, 100'000'000'000);
  table.Integer({.key = "hosts_max", .help = "Hosts known.", .unit = "hosts", .leaves_out = true},
                o.hosts_max, 1, 100'000'000);
  table.Integer({.key = "hosts_per_domain_max",
                 .help = "Hosts accepted in one registered domain; a wildcard in DNS has no end "
                         "of them.",
                 .unit = "hosts",
                 .leaves_out = true},
                o.hosts_per_domain_max, 1, 100'000'000);
  table.Integer({.key = "pages_per_domain_max",
                 .help = "URLs accepted for all hosts of one registered domain.",
                 .unit = "pages",
                 .leaves_out = true},
                o.pages_per_domain_max, 1, 1'000'000'000'000);
  table.Integer({.key = "queries_per_path_max",
                 .help = "URLs accepted that differ in their query only: facets have no end.",
                 .unit = "URLs",
                 .leaves_out = true},
                o.traps.queries_per_path_max, 1, 1'000'000'000);
  table.Integer({.key = "pattern_duplicates_max",
                 .help = "Pages of one pattern of URLs, one after another, that bring nothing "
                         "new before the pattern is closed: a calendar.",
                 .unit = "pages",
                 .leaves_out = true},
                o.traps.pattern_duplicates_max, 1, 1'000'000'000);
  table.Integer({.key = "idle_parameter_pages",
                 .help = "Times that two values of a query parameter gave the same page, and "
                         "never another one, before of URLs of that path that differ in it alone "
                         "one is asked for.",
                 .unit = "times"},
                o.traps.idle_parameter_pages, 1, 1'000'000'000);
  table.Integer({.key = "origins_per_host_max",
                 .help = "Combinations of scheme and port on one host; each costs a robots.txt.",
                 .unit = "origins",
                 .leaves_out = true},
                o.origins_per_host_max, 1, 64);
  table.Integer({.key = "redirects_max",
                 .help = "Redirects in one chain.",
                 .unit = "redirects",
                 .leaves_out = true},
                o.redirects_max, 0, 100);
}

void DeclareFetchLimits(OptionTable& table, FetcherOptions& o) {
  table.Integer({.key = "transfers_max",
                 .help = "Transfers at the same time in a thread.",
                 .unit = "transfers"},
                o.transfers_max, 1, FetcherLimits::kTransfers);
  table.Integer({.key = "connections_max",
                 .help = "Connections open in a thread, idle ones included.",
                 .unit = "connections"},
                o.connections_max, 1, FetcherLimits::kConnections);
  table.Duration(
      {.key = "connect_timeout", .help = "Name lookup, TCP connect and TLS handshake together."},
      o.connect_timeout, FetcherLimits::kTimeoutMin, FetcherLimits::kConnectTimeout);
  table.Duration({.key = "total_timeout", .help = "From the start to the last byte."},
                 o.total_timeout, FetcherLimits::kTimeoutMin, FetcherLimits::kTotalTimeout);
  table.Bytes(
      {.key = "low_speed_bytes",
       .help = "A transfer below so many bytes a second, for low_speed_time, is given up."},
      o.low_speed_bytes, 0, FetcherLimits::kLowSpeedBytes);
  table.Duration({.key = "low_speed_time", .help = "See low_speed_bytes."}, o.low_speed_time,
                 seconds(1), FetcherLimits::kLowSpeedTime);
  table.Duration({.key = "dns_cache_time", .help = "How long a resolved name is used again."},
                 o.dns_cache_time, seconds(0), FetcherLimits::kDnsCacheTime);
  table.Bytes({.key = "header_bytes_max", .help = "Status lines, headers and trailers together."},
              o.header_bytes_max, FetcherLimits::kBytesMin, FetcherLimits::kHeaderBytes);
  table.Bytes({.key = "body_bytes_max", .help = "Decoded body of a page."}, o.body_bytes_max,
              FetcherLimits::kBytesMin, FetcherLimits::kBodyBytes);
}

/// Visible ASCII, since it becomes a header's value.
std::string AgentFault(const std::string& text) {
  if (text.empty()) return "is empty";
  for (char c : text) {
    if (c < 0x20 || c > 0x7e) return "holds a character that is not visible ASCII";
  }
  return {};
}

std::string ContactFault(const std::string& text) {
  if (text.empty()) return {};
  bool known =
      text.starts_with("http://") || text.starts_with("https://") || text.starts_with("mailto:");
  if (!known) return "does not begin with https://, http:// or mailto:";
  return AgentFault(text);
}

void DeclareFetch(OptionTable& table, FetcherOptions& o) {
  table.Section("fetch", "How pages are requested, and the bounds on one transfer.");
  table.Text({.key = "user_agent",
              .help = "Name and version sent to servers; robots.product_token is part of it."},
             o.user_agent, "visible ASCII of 1 to 200 bytes", FetcherLimits::kUserAgentBytes,
             AgentFault);
  table.Text({.key = "contact_url",
              .help = "Page or mail address for site owners, sent with the user agent. Please set "
                      "it when you crawl hosts of others.",
              .flag = "--contact",
              .value = "URL"},
             o.contact_url, "a URL or empty", FetcherLimits::kContactUrlBytes, ContactFault);
  DeclareFetchLimits(table, o);
  table.TextList({.key = "allow_networks",
                  .help = "Networks that may be connected to although they are not public: "
                          "[\"127.0.0.0/8\"].",
                  .flag = "--allow-network",
                  .value = "NETWORK"},
                 o.allow_networks, "a list of networks as \"10.0.0.0/8\" or \"fd00::/8\"", 1'000,
                 64, NetworkFault);
  table.TextList({.key = "allow_ports",
                  .help = "Ports that may be asked although they belong to other protocols than "
                          "HTTP: [\"6379\"]."},
                 o.allow_ports, "a list of ports, each in quotes: [\"6379\"]", 1'000, 5,
                 PortFault);
  table.Bool({.key = "http2", .help = "Offer HTTP/2 to https servers."}, o.http2);
  table.Bool({.key = "insecure",
              .help = "Accept any certificate. Only for sites one knows.",
              .flag = "--insecure"},
             o.insecure);
  table.Text(
      {.key = "ca_file", .help = "PEM file of trusted certificates instead of the system's."},
      o.ca_file, "the name of a file or empty", 4'096);
  table.TextList({.key = "resolve", .help = "Fixed addresses: [\"host:port:address\"]."},
                 o.resolve, "a list of \"host:port:address[,address...]\"", 10'000, 1'024,
                 ResolveFault);
  table.Text({.key = "bind_address", .help = "Local address to connect from."}, o.bind_address,
             "an address or empty", 256);
  table.TextList({.key = "headers",
                  .help = "Fields sent to every host: [\"Accept-Language: de\"].",
                  .flag = "--header",
                  .value = "HEADER",
                  .secret = true},
                 o.headers, "a list of \"Name: value\"", 100, 8'192, HeaderFault);
  table.TextList({.key = "host_headers",
                  .help = "Fields sent to one host only: [\"a.example X-Key: abc\"]. HOST is its "
                          "ports 80 and 443, HOST:PORT another one, https://HOST never in clear.",
                  .secret = true},
                 o.host_headers, "a list of \"HOST Name: value\"", 10'000, 8'192, HostHeaderFault);
  table.TextList({.key = "basic_auth",
                  .help = "Credentials sent to one host only, named as in host_headers: "
                          "[\"https://a.example user:password\"]. Better in a file that only you "
                          "can read than on the command line.",
                  .secret = true},
                 o.basic_auth, "a list of \"HOST USER:PASSWORD\"", 10'000, 1'024, BasicAuthFault);
  table.Text({.key = "proxy",
              .help = "Proxy URL (http, https, socks5h, socks5). The proxy resolves and connects: "
                      "names that lead into private networks are its to refuse. With socks5 "
                      "names are resolved here, and the addresses not judged: prefer socks5h.",
              .secret = true},
             o.proxy, "a URL or empty", 1'024, ProxyFault);
  table.Text({.key = "cookies",
              .help = "off; memory: cookies are kept for the run and sent back; or a file in "
                      "Netscape's format that they are read from and written to, too.",
              .flag = "--cookies"},
             o.cookies, "\"off\", \"memory\" or the name of a file", 4'096,
             [](const std::string& name) { return name.empty() ? "is empty" : ""; });
}

void DeclareDetector(OptionTable& table, contentseen::ContentSeenOptions& o) {
  const auto names = contentseen::DetectorNames();
  table.Choice(
      {.key = "detector",
       .help = "The method that tells near-duplicates; docs/contentseen.md describes each.",
       .flag = "--detector"},
      o.detector, {names.begin(), names.end()});
  table.Text({.key = "lexicon", .help = "The lexicon that the detector i-match needs."},
             o.i_match.lexicon, "the name of a file or empty", 4'096);
  table.Integer({.key = "resemblance_min",
                 .help = "verified: of the main text of either page so much must stand in the "
                         "other one.",
                 .unit = "percent"},
                o.verified.resemblance_min_percent, 1, 100);
  table.Integer({.key = "resemblance_min_same_host",
                 .help = "The same for two pages of one host.",
                 .unit = "percent"},
                o.verified.resemblance_min_percent_same_host, 1, 100);
  table.Integer({.key = "resemblance_min_within_k",
                 .help = "The same for two pages whose fingerprints are within k.",
                 .unit = "percent"},
                o.verified.resemblance_min_percent_within_k, 1, 100);
  table.Integer({.key = "host_sketch_kib",
                 .help = "verified: memory in which the templates of hosts are learned; a power "
                         "of two. 16 MiB remember the latest 7,600 to 15,000 documents: enough "
                         "for some 1,000 hosts at a time, and a host takes about 16 KiB.",
                 .unit = "KiB"},
                o.verified.host_sketch_kib, contentseen::kHostSketchKibMin,
                contentseen::kHostSketchKibMax);
}

/// The parameters of the classical methods; defaults are those of their papers.
void DeclareMethods(OptionTable& table, contentseen::ContentSeenOptions& o) {
  struct Parameter {
    std::string_view key;
    std::string_view help;
    std::string_view unit;
    std::uint32_t& value;
    std::int64_t low;
    std::int64_t high;
  };
  const Parameter all[] = {
      {"supershingles_min", "shingling, combined: of 6 supershingles so many must agree.",
       "supershingles", o.shingling.supershingles_min, 1, contentseen::kSupershingles},
      {"projection_equal_bits_min", "random-projection: of 384 bits so many must be equal.",
       "bits", o.projection.equal_bits_min, contentseen::kProjectionEqualBitsMinMin,
       contentseen::kProjectionBits},
      {"combined_equal_bits_min", "combined: of 384 bits so many must be equal.", "bits",
       o.projection.combined_equal_bits_min, contentseen::kProjectionEqualBitsMinMin,
       contentseen::kProjectionBits},
      {"minhash_bands", "minhash: bands, one of which must agree.", "bands", o.minhash.bands, 1,
       contentseen::kMinHashBandsMax},
      {"minhash_rows", "minhash: minima in a band.", "minima", o.minhash.rows, 1,
       contentseen::kMinHashRowsMax},
      {"minhash_words", "minhash: words of a shingle.", "words", o.minhash.words, 1,
       contentseen::kMinHashWordsMax},
      {"i_match_random_lexicons", "i-match: random parts of the lexicon, besides all of it.",
       "lexicons", o.i_match.random_lexicons, 0, contentseen::kRandomLexiconsMax},
      {"i_match_dropped_percent", "i-match: what such a part leaves out.", "percent",
       o.i_match.dropped_percent, 1, 99},
      {"i_match_terms_min", "i-match: with fewer terms of the lexicon a text is not compared.",
       "terms", o.i_match.terms_min, 1, contentseen::kLexiconTermsMinMax},
      {"spotsigs_chain", "spotsigs: words of a spot.", "words", o.spotsigs.chain, 1,
       contentseen::kSpotChainMax},
      {"spotsigs_distance", "spotsigs: content words from one of them to the next.", "words",
       o.spotsigs.distance, 1, contentseen::kSpotDistanceMax},
      {"spotsigs_resemblance_min", "spotsigs: the least resemblance of the multisets of spots.",
       "percent", o.spotsigs.resemblance_min_percent, 1, 100},
      {"spotsigs_spots_min", "spotsigs: with fewer spots a text is not compared.", "spots",
       o.spotsigs.spots_min, 1, contentseen::kSpotsMinMax},
      {"text_profile_token_length_min", "text-profile: longer words than this are counted.",
       "characters", o.text_profile.token_length_min, 0, contentseen::kTextProfileOptionMax},
      {"text_profile_quant", "text-profile: counts are rounded to this part of the highest one.",
       "percent", o.text_profile.quant_percent, 0, contentseen::kTextProfileOptionMax},
  };
  for (const Parameter& p : all) {
    table.Integer({.key = p.key, .help = p.help, .unit = p.unit}, p.value, p.low, p.high);
  }
}

void DeclareContentSeen(OptionTable& table, contentseen::ContentSeenOptions& o) {
  table.Section("contentseen", "When a page counts as seen before.");
  DeclareDetector(table, o);
  table.Integer({.key = "k",
                 .help = "Largest Hamming distance of two 64-bit fingerprints at which the later "
                         "page is a near-duplicate of the earlier. The detector simhash goes by "
                         "it alone; verified asks less of the main texts of such pages.",
                 .flag = "--k",
                 .unit = "bits"},
                o.k, 0, contentseen::kDistanceMax);
  table.Integer({.key = "features_min",
                 .help = "A text with fewer different features is compared exactly only. A text "
                         "of n different words has 2n - 2.",
                 .flag = "--min-features",
                 .unit = "features"},
                o.features_min, 1, contentseen::kFeaturesMinMax);
  constexpr std::string_view kKeys[] = {"weight_1", "weight_2", "weight_3"};
  constexpr std::string_view kHelps[] = {"Weight of single words as features; 0 leaves them out.",
                                         "Weight of pairs of neighbouring words.",
                                         "Weight of runs of three words."};
  for (std::size_t i = 0; i < o.features.shingle_weights.size(); ++i) {
    table.Integer({.key = kKeys[i], .help = kHelps[i], .unit = ""}, o.features.shingle_weights[i],
                  0, contentseen::kShingleWeightMax);
  }
  DeclareMethods(table, o);
}

void DeclareParser(OptionTable& table, parser::ParseOptions& o) {
  table.Section("parser", "Bounds on reading one page. Beyond them its tags are only scanned.");
  table.Bytes({.key = "memory_bytes_max", .help = "Memory for the tree of one page."},
              o.memory_bytes_max, kMiB, 4 * kGiB);
  table.Duration({.key = "cpu_time_max",
                  .help = "CPU time for building the tree of one page. 0s: no trees at all."},
                 o.cpu_time_max, seconds(0), minutes(1));
  table.Bytes({.key = "tree_input_bytes_max",
               .help = "Markup of one page, its text left out, that a tree is built from."},
              o.tree_input_bytes_max, kKiB, kGiB);
  table.Integer({.key = "depth_max", .help = "Nested elements.", .unit = "elements"}, o.depth_max,
                1, 4'096);
  table.Integer({.key = "attributes_max",
                 .help = "Attributes of one tag that are looked at.",
                 .unit = "attributes"},
                o.attributes_max, 1, 4'096);
  table.Integer({.key = "links_max",
                 .help = "Distinct links kept of one page; the rest are counted.",
                 .unit = "links",
                 .leaves_out = true},
                o.links_max, 0, 100'000);
  table.Bytes({.key = "href_bytes_max",
               .help = "Bytes of one link as written in the page.",
               .leaves_out = true},
              o.href_bytes_max, 16, 64 * kKiB);
}

std::string TokenFault(const std::string& text) {
  if (text.empty()) return "is empty";
  for (char c : text) {
    bool letter = base::IsAlpha(c) || c == '_' || c == '-';
    if (!letter) return "holds another character than letters, '_' and '-' (RFC 9309, 2.2.1)";
  }
  return {};
}

void DeclareRobots(OptionTable& table, Options& o) {
  table.Section("robots", "What site owners ask for in robots.txt and robots directives.");
  table.Text({.key = "product_token", .help = "The name under which rules are meant for us."},
             o.parser.product_token, "a product token", 64, TokenFault);
  table.Bytes({.key = "body_bytes_max",
               .help = "Bytes read of one robots.txt. RFC 9309 asks for at least 500 KiB."},
              o.robots.body_bytes_max, 500 * kKiB, 16 * kMiB);
  table.Bytes({.key = "line_bytes_max", .help = "Bytes read of one line."},
              o.robots.line_bytes_max, 2'083, 500 * kKiB);
  table.Integer({.key = "sitemaps_max",
                 .help = "Sitemap lines kept.",
                 .unit = "sitemaps",
                 .leaves_out = true},
                o.robots.sitemaps_max, 0, 50'000);
  table.Bytes({.key = "match_bytes_max",
               .help = "Bytes of path that the wildcards of one robots.txt may look through for "
                       "one URL; rules that need more forbid it."},
              o.robots.match_bytes_max, 64 * kKiB, kGiB);
  table.Bytes({.key = "cache_bytes_max",
               .help = "Memory for the rules of all origins. Beyond it they are forgotten, and "
                       "read from the store again where they are needed."},
              o.pipeline.robots_cache_bytes_max, kMiB, 64 * kGiB);
  table.Duration({.key = "valid_max",
                  .help = "How long a robots.txt is believed before it is asked for again."},
                 o.frontier.robots_valid_max, minutes(1), hours(24));
  table.Integer(
      {.key = "attempts_max",
       .help = "Attempts at a robots.txt that cannot be reached; then its pages wait for the next "
               "start.",
       .unit = "attempts"},
      o.pipeline.robots_attempts_max, 1, 20);
  table.Duration({.key = "retry_delay", .help = "Between two of them; doubles each time."},
                 o.pipeline.robots_retry_delay, milliseconds(0), hours(1));
  table.Bool({.key = "obey_rel_nofollow",
              .help = "Leave links alone that say rel=nofollow.",
              .leaves_out = true},
             o.pipeline.obey_rel_nofollow);
}

void DeclareStore(OptionTable& table, Options& o) {
  using store::Durability;
  table.Section("store", "What outlives the process, and what a crash may cost.");
  table.Duration({.key = "commit_interval",
                  .help = "From one commit to the next: what was fetched since the last one is "
                          "fetched again after a crash. 0s: a commit after each page."},
                 o.journal.commit_interval, milliseconds(0), minutes(1));
  table.Choice({.key = "durability",
                .help = "process: a commit survives the death of the process; power: also that of "
                        "the machine."},
               o.journal.durability,
               {{"process", Durability::kProcess}, {"power", Durability::kPower}});
  table.Duration({.key = "full_disk_wait_max",
                  .help = "How long a crawl waits, paused, for a disk that cannot be written "
                          "before it stops."},
                 o.journal.full_disk_wait_max, seconds(0), hours(24 * 7));
  table.Bytes({.key = "log_part_bytes_max",
               .help = "A log file that has grown so far is followed by another: pages.2.jsonl."},
              o.crawl.log_part_bytes_max, kMiB, 1024 * kGiB);
}

void DeclareSitemaps(OptionTable& table, SitemapOptions& o) {
  table.Section("sitemaps",
                "Lists of URLs that robots.txt points to. They are asked for, and "
                "their URLs taken, within the crawl's scope and limits only.");
  table.Bool({.key = "use", .help = "Ask for the sitemaps that robots.txt names."}, o.use);
  table.Integer({.key = "depth_max",
                 .help = "Levels of sitemaps: 1 is what robots.txt names, 2 what an index there "
                         "names, and so on.",
                 .unit = "levels",
                 .leaves_out = true},
                o.depth_max, 1, 10);
  table.Bytes({.key = "body_bytes_max",
               .help = "Bytes read of one sitemap, decompressed.",
               .leaves_out = true},
              o.limits.body_bytes_max, kKiB, kGiB);
  table.Integer({.key = "urls_max",
                 .help = "URLs taken from one sitemap.",
                 .unit = "URLs",
                 .leaves_out = true},
                o.limits.urls_max, 1, 10'000'000);
}

void DeclareSoft404(OptionTable& table, Soft404Options& o) {
  table.Section("soft_404",
                "Pages that say in words, not by their status, that nothing is there.");
  table.Bool({.key = "probe",
              .help = "Ask each host once for a page that cannot be there, and take what looks "
                      "like its answer for nothing. It costs one request a host."},
             o.probe);
  table.Integer({.key = "hosts_max", .help = "Hosts asked and remembered.", .unit = "hosts"},
                o.hosts_max, 1, 100'000'000);
}

void DeclareTexts(OptionTable& table, TextStoreOptions& o) {
  table.Section("texts", "Extracted texts, kept compressed for `contentseen skipped --diff`.");
  table.Bool({.key = "keep", .help = "Keep the texts of judged pages."}, o.keep);
  table.Bytes({.key = "text_bytes_max", .help = "Bytes kept of one page's text."},
              o.text_bytes_max, kKiB, kTextBytesMax);
}

void DeclareOutput(OptionTable& table, WarcOptions& o) {
  using Near = WarcOptions::Near;
  table.Section("output", "The archive of what was received (docs/warc.md).");
  table.Bool({.key = "warc", .help = "Write WARC files and their indexes.", .flag = "--warc"},
             o.warc);
  table.Bytes({.key = "warc_size", .help = "A file that has grown so far is followed by another."},
              o.warc_size, kMiB, 64 * kGiB);
  table.Choice({.key = "warc_digest",
                .help = "sha1: as all archives write it; sha256: beyond anybody's forging."},
               o.warc_digest, {{"sha1", WarcDigest::kSha1}, {"sha256", WarcDigest::kSha256}});
  table.Choice({.key = "warc_near",
                .help = "full: near-duplicates are kept whole; drop: only a record of what they "
                        "duplicate."},
               o.warc_near, {{"full", Near::kFull}, {"drop", Near::kDrop}});
  table.Integer({.key = "warc_level",
                 .help = "How hard records are compressed: 1 is fast, 9 small. Bodies that came "
                         "compressed are kept as they are.",
                 .unit = ""},
                o.warc_level, 1, 9);
}

void DeclareLog(OptionTable& table, LogOptions& o) {
  using Level = LogOptions::Level;
  table.Section("log", "What is shown while a crawl runs.");
  table.Choice({.key = "level",
                .help = "quiet: no lines on how the crawl goes; progress: now and then one.",
                .flag = "--log-level"},
               o.level, {{"quiet", Level::kQuiet}, {"progress", Level::kProgress}});
  table.Duration({.key = "progress_interval",
                  .help = "Between two progress lines where the output is no terminal."},
                 o.progress_interval, milliseconds(100), hours(1));
}

std::string ListenFault(const std::string& text) {
  if (text.empty()) return {};
  auto address = ParseListenAddress(text);
  return address ? std::string() : address.error().message;
}

void DeclareMetrics(OptionTable& table, MetricsOptions& o) {
  table.Section("metrics", "Watching a crawl: a live page at /, Prometheus' text at /metrics.");
  table.Text({.key = "listen",
              .help = "Address and port to serve both on, as 127.0.0.1:9464; empty: on none. "
                      "Whoever reaches it can read what is crawled.",
              .flag = "--listen",
              .value = "ADDRESS:PORT"},
             o.listen, "an address and port or empty", 64, ListenFault);
  table.TextList({.key = "hosts",
                  .help = "Names that requests may be for, besides numeric addresses and "
                          "localhost: [\"crawler.example\"]."},
                 o.hosts, "a list of host names", 100, 255,
                 [](const std::string& name) { return name.empty() ? "is empty" : ""; });
}

}  // namespace

OptionTable DeclareOptions(Options& options) {
  OptionTable table;
  DeclareCrawl(table, options);
  DeclareScope(table, options.scope);
  DeclareUrl(table, options.url);
  DeclarePoliteness(table, options.frontier);
  DeclareRobots(table, options);
  DeclareSitemaps(table, options.sitemaps);
  DeclareSoft404(table, options.soft_404);
  DeclareFrontier(table, options.frontier);
  DeclareFetch(table, options.fetch);
  DeclareParser(table, options.parser);
  DeclareContentSeen(table, options.contentseen);
  DeclareStore(table, options);
  DeclareTexts(table, options.texts);
  DeclareOutput(table, options.output);
  DeclareLog(table, options.log);
  DeclareMetrics(table, options.metrics);
  return table;
}

std::vector<Contradiction> Contradictions(const Options& options) {
  std::vector<Contradiction> found;
  auto refuse = [&](std::vector<std::string> names, std::string sentence) {
    found.push_back({std::move(names), std::move(sentence)});
  };
  if (options.frontier.delay > options.frontier.delay_max) {
    refuse({"politeness.delay", "politeness.delay_max"},
           "politeness.delay is longer than politeness.delay_max: raise delay_max as well");
  }
  if (options.frontier.retry_delay > options.frontier.retry_delay_max) {
    refuse({"politeness.retry_delay", "politeness.retry_delay_max"},
           "politeness.retry_delay is longer than politeness.retry_delay_max: raise "
           "retry_delay_max as well");
  }
  if (base::ToLower(options.fetch.user_agent).find(base::ToLower(options.parser.product_token)) ==
      std::string::npos) {
    refuse({"fetch.user_agent", "robots.product_token"},
           "fetch.user_agent does not contain robots.product_token: site owners could not know "
           "which rules are for us (RFC 9309, 2.2.1)");
  }
  const auto& weights = options.contentseen.features.shingle_weights;
  if (std::all_of(weights.begin(), weights.end(), [](auto w) { return w == 0; })) {
    refuse({"contentseen.weight_1", "contentseen.weight_2", "contentseen.weight_3"},
           "contentseen.weight_1, weight_2 and weight_3 are all 0: no text would have features");
  }
  if (const std::uint32_t kib = options.contentseen.verified.host_sketch_kib;
      !std::has_single_bit(kib)) {
    refuse({"contentseen.host_sketch_kib"},
           "contentseen.host_sketch_kib must be a power of two, not " + std::to_string(kib));
  }
  return found;
}

}  // namespace crawler
