// `contentseen url` and `contentseen robots`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::HasSubstr;
using tests::ProgramRun;
using tests::RunProgram;
using tests::TempFolder;

/// What the program says to `arguments` when `input` is its standard input.
std::string Answers(const TempFolder& folder, const std::string& arguments,
                    const std::string& input) {
  const std::string file = (folder / "input").string();
  tests::WriteFile(folder / "input", input);
  const std::string command =
      std::string("'") + CONTENTSEEN_PROGRAM + "' " + arguments + " < '" + file + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer;
  while (std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.append(buffer.data(), got);
  }
  return text;
}

TEST(UrlCommand, ShowsTheCanonicalFormOrTheReason) {
  ProgramRun run = RunProgram({"url", "HTTP://A.test:80/x/../b#f", "mailto:a@b.test"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, testing::StartsWith("ok\thttp://a.test/b\nrefused\tmailto:a@b.test\t"));
  EXPECT_EQ(RunProgram({"url", "--base", "http://a.test/x/y", "../z?a=1"}).out,
            "ok\thttp://a.test/z?a=1\n");
  EXPECT_EQ(RunProgram({"url", "http://a.test/"}).code, 0);
  EXPECT_EQ(RunProgram({"url", "--bogus"}).code, 2);
}

TEST(UrlCommand, AnswersALineWithALine) {
  TempFolder folder;
  EXPECT_EQ(Answers(folder, "url", "http://a.test\r\nhttp://a.test/b/\tc\nnonsense"),
            "ok\thttp://a.test/\nok\thttp://a.test/b/c\n" + RunProgram({"url", "nonsense"}).out);
  const auto json =
      nlohmann::json::parse(RunProgram({"url", "--json", "https://a.test:8443/p?q"}).out);
  EXPECT_EQ(json["url"], "https://a.test:8443/p?q");
  EXPECT_EQ(json["port"], 8443);
  EXPECT_EQ(json["query"], "q");
}

TEST(RobotsCommand, NamesTheLineThatDecides) {
  TempFolder folder;
  tests::WriteFile(folder / "robots.txt",
                   "User-agent: *\nDisallow: /private\nAllow: /private/open # but this\n"
                   "User-agent: friend\nDisallow:\n");
  const std::string file = (folder / "robots.txt").string();
  ProgramRun run = RunProgram({"robots", "--file", file, "--agent", "bot", "/", "/private/x",
                               "http://any.test/private/open?y"});
  EXPECT_EQ(run.out,
            "allow\t/\t0\tno rule matches\ndeny\t/private/x\t2\tDisallow: /private\n"
            "allow\thttp://any.test/private/open?y\t3\tAllow: /private/open # but this\n");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(Answers(folder, "robots --file '" + file + "'", "/private\nfriend\t/private\n"),
            "deny\t/private\t2\tDisallow: /private\nallow\t/private\t0\tno rule matches\n");
  const auto json = nlohmann::json::parse(
      RunProgram({"robots", "--file", file, "--json", "--agent", "bot", "/private"}).out);
  EXPECT_EQ(json["allowed"], false);
  EXPECT_EQ(json["line"], 2);
  EXPECT_EQ(json["rule"], "Disallow: /private");
  EXPECT_EQ(RunProgram({"robots", "--file", file, "/robots.txt"}).code, 0);
}

using Answer = std::function<void(const httplib::Request&, httplib::Response&)>;

/// What `contentseen robots SITE ARGUMENTS...` says where SITE answers so to every request.
ProgramRun AskSite(const Answer& answer, std::vector<std::string> arguments) {
  httplib::Server server;
  server.Get(".*", answer);
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&server] { server.listen_after_bind(); });
  const std::string site = "http://127.0.0.1:" + std::to_string(port) + "/";
  for (std::string& argument : arguments) {
    if (argument.starts_with("SITE")) argument.replace(0, 4, site);
  }
  arguments.insert(arguments.begin(), {"robots", site});
  arguments.insert(arguments.end(), {"--set", "fetch.allow_networks=127.0.0.0/8"});
  ProgramRun run = RunProgram(arguments);
  server.stop();
  serving.join();
  return run;
}

TEST(RobotsCommand, JudgesOnlyUrlsOfTheSiteWhoseFileItFetched) {
  const ProgramRun run = AskSite(
      [](const httplib::Request&, httplib::Response& response) {
        response.set_content("User-agent: *\nDisallow: /private?a=1&b=2\n", "text/plain");
      },
      {"--drop-parameter", "sid", "SITEprivate?a=1&sid=7&b=2", "http://other.test/private?a=1&b=2",
       "/open"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out,
              testing::MatchesRegex("deny\thttp://127.0.0.1:[0-9]+/private.a=1&sid=7&b=2\t2\t.*"));
  EXPECT_THAT(run.out, testing::ContainsRegex("\nrefused\thttp://other.test/private.a=1&b=2\t0\t"
                                              "is not of http://127.0.0.1:[0-9]+,"));
  EXPECT_THAT(run.out, HasSubstr("\nallow\t/open\t"));
}

// Answers to robots.txt are read as a crawl reads them.
TEST(RobotsCommand, DropsALineThatTheLimitCuts) {
  constexpr std::size_t kLimit = std::size_t{500} << 10;
  const std::string cut = "\nDisallow: /p";  // what of the last line is within the limit
  std::string file = "User-agent: *\nDisallow: /q\n#";
  file.append(kLimit - cut.size() - file.size(), '#');
  file += cut + "rivate/only-this\n";
  const ProgramRun run =
      AskSite([&file](const httplib::Request&,
                      httplib::Response& response) { response.set_content(file, "text/plain"); },
              {"/path", "/q"});
  EXPECT_THAT(run.out, testing::StartsWith("allow\t/path\t"));
  EXPECT_THAT(run.out, HasSubstr("\ndeny\t/q\t2\t"));
}

TEST(RobotsCommand, FollowsTheOneLocationOfARedirectOnly) {
  for (const bool one : {true, false}) {
    const Answer answer = [one](const httplib::Request& request, httplib::Response& response) {
      if (request.path != "/robots.txt") {
        return response.set_content("User-agent: *\nDisallow: /\n", "text/plain");
      }
      response.status = 302;
      response.headers.emplace("Location", "/a.txt");
      response.headers.emplace("Location", one ? "/a.txt" : "/b.txt");
    };
    EXPECT_THAT(AskSite(answer, {"/x"}).out, testing::StartsWith(one ? "deny\t" : "allow\t"));
  }
  // "Multiple choices" choose nothing.
  const Answer choices = [](const httplib::Request& request, httplib::Response& response) {
    response.set_content("User-agent: *\nDisallow: /\n", "text/plain");
    if (request.path != "/robots.txt") return;
    response.status = 300;
    response.headers.emplace("Location", "/a.txt");
  };
  EXPECT_THAT(AskSite(choices, {"/x"}).out, testing::StartsWith("allow\t"));
}

// As a crawl does: by the rules the target is the URL that was asked for.
TEST(RobotsCommand, FollowsARedirectToTheSameUrlWithASessionId) {
  const Answer insists = [](const httplib::Request& request, httplib::Response& response) {
    if (request.has_param("sid")) {
      return response.set_content("User-agent: *\nDisallow: /x\n", "text/plain");
    }
    response.set_redirect("/robots.txt?sid=7");
  };
  EXPECT_THAT(AskSite(insists, {"--drop-parameter", "sid", "/x"}).out,
              testing::StartsWith("deny\t/x\t2\t"));
}

TEST(RobotsCommand, SaysWhenThereIsNothingToJudgeBy) {
  ProgramRun run = RunProgram({"robots", "--file", "/nonexistent/robots.txt", "/"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("/nonexistent/robots.txt"));
  EXPECT_EQ(RunProgram({"robots"}).code, 2);
}

TEST(Secrets, AreNotShown) {
  TempFolder folder;
  tests::WriteFile(folder / "c.toml",
                   "[fetch]\nbasic_auth = [\"a.test me:hunter2\"]\n"
                   "host_headers = [\"a.test X-Key: hunter2\"]\nproxy = \"http://u:hunter2@p\"\n");
  const std::string file = (folder / "c.toml").string();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"config", "--config", file},
        {"config", "--json", "--config", file},
        {"config", "--set", "fetch.basic_auth=hunter2"},
        {"config", "--set", "fetch.host_headers=a.test hunter2"}}) {
    ProgramRun run = RunProgram(arguments);
    EXPECT_THAT(run.out, testing::Not(HasSubstr("hunter2")));
    EXPECT_THAT(run.err, testing::Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(RunProgram({"config", "--config", file}).out, HasSubstr("***"));
}

}  // namespace
}  // namespace crawler
