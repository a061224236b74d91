// `contentseen url` and `contentseen robots`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <thread>

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

TEST(RobotsCommand, JudgesOnlyUrlsOfTheSiteWhoseFileItFetched) {
  httplib::Server server;
  server.Get("/robots.txt", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("User-agent: *\nDisallow: /private?a=1&b=2\n", "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&server] { server.listen_after_bind(); });
  const std::string site = "http://127.0.0.1:" + std::to_string(port) + "/";
  const ProgramRun run = RunProgram({"robots", site, "--set", "fetch.allow_networks=127.0.0.0/8",
                                     "--drop-parameter", "sid", site + "private?a=1&sid=7&b=2",
                                     "http://other.test/private?a=1&b=2", "/open"});
  server.stop();
  serving.join();
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, testing::StartsWith("deny\t" + site + "private?a=1&sid=7&b=2\t2\t"));
  EXPECT_THAT(run.out, HasSubstr("\nrefused\thttp://other.test/private?a=1&b=2\t0\tis not of " +
                                 site.substr(0, site.size() - 1) + ","));
  EXPECT_THAT(run.out, HasSubstr("\nallow\t/open\t"));
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
