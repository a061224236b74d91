#include "crawler/command/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "crawler/demo/demo_web.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::HasSubstr;
using tests::ProgramRun;
using tests::RunProgram;
using tests::TempFolder;

/// Enough different words for fingerprints to be compared.
std::string Prose(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "word" + std::to_string(i * i) + " ";
  return text;
}

class CompareCommandTest : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& bytes) {
    tests::WriteFile(folder_ / name, bytes);
    return (folder_ / name).string();
  }
  nlohmann::json Compared(const std::string& a, const std::string& b, int k = 3,
                          const std::string& detector = "verified") {
    ProgramRun run =
        RunProgram({"compare", a, b, "--json", "--k", std::to_string(k), "--detector", detector});
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out, nullptr, false);
  }

  TempFolder folder_;
};

TEST_F(CompareCommandTest, SameBytes) {
  std::string page = "<title>A</title><p>" + Prose(0, 100);
  auto json = Compared(File("a.html", page), File("b.html", page));
  EXPECT_EQ(json["verdict"], "exact-bytes");
  EXPECT_EQ(json["distance"], 0);
  EXPECT_EQ(json["a"]["body_digest"], json["b"]["body_digest"]);
  EXPECT_EQ(json["a"]["title"], "A");
  EXPECT_EQ(json["resemblance"], 1.0);
}

TEST_F(CompareCommandTest, SameTextInOtherMarkup) {
  auto json = Compared(File("a.html", "<p>" + Prose(0, 100)),
                       File("b.html", "<div class=x><script>1</script>" + Prose(0, 100)));
  EXPECT_EQ(json["verdict"], "exact-text");
  EXPECT_NE(json["a"]["body_digest"], json["b"]["body_digest"]);
  EXPECT_EQ(json["a"]["text_digest"], json["b"]["text_digest"]);
}

TEST_F(CompareCommandTest, NearAndNew) {
  std::string a = File("a.txt", Prose(0, 400));
  auto json = Compared(a, File("near.txt", Prose(0, 401)), 10);
  EXPECT_EQ(json["verdict"], "near") << json;
  EXPECT_GT(json["resemblance"], 0.9);
  json = Compared(a, File("new.txt", Prose(1'000, 1'400)), 10);
  EXPECT_EQ(json["verdict"], "new") << json;
  EXPECT_GT(json["distance"], 10);
}

TEST_F(CompareCommandTest, ObeysTheConfiguredThreshold) {
  std::string a = File("a.txt", Prose(0, 400));
  std::string b = File("b.txt", Prose(0, 401));
  int distance = Compared(a, b)["distance"].get<int>();
  ASSERT_GT(distance, 0) << "choose other texts";
  EXPECT_EQ(Compared(a, b, distance - 1, "simhash")["verdict"], "new");
  EXPECT_EQ(Compared(a, b, distance, "simhash")["verdict"], "near");
}

// What is asked of these two pages, not of any; and nothing that does not matter to them.
TEST_F(CompareCommandTest, SaysWhatIsAskedOfThesePages) {
  const auto page = [](const std::string& list) {
    return "<p>" + Prose(0, 60) + "</p><ul><li><a href=x>" + list + "</a></ul>";
  };
  const std::string list = File("list.html", page(Prose(100, 160)));
  auto json = Compared(list, File("other.html", page(Prose(200, 260))));
  EXPECT_EQ(json["verdict"], "new") << "two files are of one site, whose lists tell pages apart";
  EXPECT_EQ(json["asked"], "65 of 100 shingles");
  EXPECT_EQ(json["a"]["basis"], "main-text");
  const std::string only_list = "<p>Hi</p><ul><li><a href=x>" + Prose(0, 60) + "</a></ul>";
  json = Compared(File("links.html", only_list), File("more.html", only_list + Prose(1, 5)));
  EXPECT_EQ(json["asked"], "95 of 100 shingles") << json;
  EXPECT_EQ(json["a"]["basis"], "whole-text");

  const std::string menu = "<nav>" + Prose(0, 400) + "</nav>";
  const ProgramRun run = RunProgram({"compare", File("few.html", menu + Prose(500, 506)),
                                     File("twin.html", menu + Prose(600, 606)), "--k", "8"});
  EXPECT_THAT(run.out, HasSubstr("compared by  main-text"));
  EXPECT_THAT(run.out, HasSubstr("new: 0 of 100 shingles"));
  EXPECT_THAT(run.out, HasSubstr("verified asks for 55 of 100 shingles, 56 of 64 bits"));
}

TEST_F(CompareCommandTest, TellsPeople) {
  ProgramRun run = RunProgram({"compare", File("a.html", "<title>T\x1b</title>one two three"),
                               File("b.html", "<title>U</title>one two four"), "--diff"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("A  " + (folder_ / "a.html").string()));
  EXPECT_THAT(run.out,
              HasSubstr("fewer features than contentseen.features_min: compared exactly"));
  EXPECT_THAT(run.out, HasSubstr("verdict   new: compared exactly only, and not the same"));
  EXPECT_THAT(run.out, HasSubstr("one two [-three-] {+four+}"));
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

// No words that spots begin with.
TEST_F(CompareCommandTest, SaysThatTheDetectorFindsTooLittle) {
  const ProgramRun run = RunProgram({"compare", File("a.txt", Prose(0, 400)),
                                     File("b.txt", Prose(0, 401)), "--detector", "spotsigs"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("too little in it that spotsigs goes by: compared exactly only"));
  EXPECT_THAT(run.out, testing::Not(HasSubstr("features_min")));
  EXPECT_THAT(run.out, HasSubstr("verdict   new: compared exactly only, and not the same"));
}

TEST_F(CompareCommandTest, NamesWhatItCannotRead) {
  std::string page = File("a.html", "x");
  ProgramRun run = RunProgram({"compare", page, (folder_ / "none").string()});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("none: cannot be opened: No such file or directory"));
  run = RunProgram({"compare", page, folder_.path().string()});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("is a directory"));
  run = RunProgram({"compare", page, File("image", std::string("\x89PNG\r\n\x1a\n\0\0", 10))});
  EXPECT_THAT(run.err, HasSubstr("is neither HTML nor text but image/png"));
  EXPECT_EQ(RunProgram({"compare", page}).code, 2);
}

TEST_F(CompareCommandTest, DoesNotFetchFromPrivateNetworksUnasked) {
  ProgramRun run = RunProgram({"compare", "http://127.0.0.1:1/", File("a.html", "x")});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("address-denied"));
}

TEST_F(CompareCommandTest, FetchesUrls) {
  DemoWeb web;
  ASSERT_TRUE(web.Start("127.0.0.1", 0));
  const std::string& page = web.seeds()[0];
  std::vector<std::string> allow{"--allow-network", "127.0.0.0/8", "--json"};
  std::vector<std::string> arguments{"compare", page, page};
  arguments.insert(arguments.end(), allow.begin(), allow.end());
  ProgramRun run = RunProgram(arguments);
  EXPECT_EQ(run.code, 0) << run.err;
  auto json = nlohmann::json::parse(run.out, nullptr, false);
  EXPECT_EQ(json["verdict"], "exact-bytes");
  EXPECT_EQ(json["a"]["name"], page);
  EXPECT_NE(json["a"]["title"], "");
  EXPECT_EQ(web.RequestsTo(page), 2u);

  arguments[2] = page + "no-such-page";
  run = RunProgram(arguments);
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("no-such-page: HTTP status 404"));
}

// As a crawl does: by the rules the target is the URL that was asked for.
TEST_F(CompareCommandTest, FollowsARedirectToTheSameUrlWithASessionId) {
  httplib::Server server;
  server.Get("/", [](const httplib::Request& request, httplib::Response& response) {
    if (request.has_param("sid")) return response.set_content(Prose(0, 200), "text/plain");
    response.set_redirect("/?sid=7");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&server] { server.listen_after_bind(); });
  const std::string page = "http://127.0.0.1:" + std::to_string(port) + "/";
  const ProgramRun run = RunProgram(
      {"compare", page, page, "--allow-network", "127.0.0.0/8", "--drop-parameter", "sid"});
  server.stop();
  serving.join();
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST(DemoWebCommand, ServesItsSeedsAndEnds) {
  ProgramRun run = RunProgram({"demo-web", "--seconds", "0", "--seeds-only"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, testing::StartsWith("http://"));
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(RunProgram({"demo-web", "--port", "65536"}).code, 2);
}

TEST(IndexCommand, ShowsAPlan) {
  ProgramRun run = RunProgram({"index", "plan", "--k", "3", "--n", "1000000", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  auto plan = nlohmann::json::parse(run.out);
  EXPECT_EQ(plan["k"], 3);
  int thresholds = 0;
  for (const auto& part : plan["parts"]) thresholds += part["threshold"].get<int>();
  int parts = static_cast<int>(plan["parts"].size());
  EXPECT_EQ(thresholds, 3 - parts + 1) << "the general pigeonhole principle";
  EXPECT_EQ(RunProgram({"index", "plan", "--k", "11"}).code, 2);
  EXPECT_EQ(RunProgram({"index", "plan", "--n", "1500000000"}).code, 0);
  run = RunProgram({"index", "plan", "--n", "1500000001"});
  EXPECT_EQ(run.code, 2) << "as no index is made for so many";
  EXPECT_THAT(run.err, HasSubstr("not in range 1 to 1500000000"));
  EXPECT_EQ(RunProgram({"index"}).code, 2);
}

TEST(IndexCommand, JoinsTwoFilesOfFingerprints) {
  TempFolder folder;
  tests::WriteFile(folder / "f.hex", "00000000000000ff\nffffffffffffffff\n");
  tests::WriteFile(folder / "q.txt", "00000000000000f8\n0f0f0f0f0f0f0f0f\n");
  std::string f = (folder / "f.hex").string();
  std::string q = (folder / "q.txt").string();
  ProgramRun run = RunProgram({"index", "join", f, q, "--k", "3"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "00000000000000ff 00000000000000f8\n");
  EXPECT_EQ(run.err, "2 fingerprints, 2 different queries, 1 pairs at most 3 bits apart\n");
  EXPECT_EQ(RunProgram({"index", "join", f, q, "--k", "2"}).out, "");
  EXPECT_EQ(RunProgram({"index", "join", f, (folder / "none").string()}).code, 2);
  run = RunProgram({"index", "join", folder.path().string(), q});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("it is a directory"));
}

TEST(IndexCommand, AJoinThatFailsLeavesTheLastOutput) {
  TempFolder folder;
  tests::WriteFile(folder / "f.hex", "00000000000000ff\n");
  tests::WriteFile(folder / "bad.hex", "00000000000000ff\nnonsense\n");
  const std::string f = (folder / "f.hex").string();
  const std::string bad = (folder / "bad.hex").string();
  const auto join = [&](const std::string& existing, const std::string& output) {
    return RunProgram({"index", "join", existing, f, "--output", output});
  };
  const auto output = folder / "out.txt";
  EXPECT_EQ(join(f, output.string()).code, 0);
  EXPECT_EQ(tests::ReadFile(output), "00000000000000ff 00000000000000ff\n");
  EXPECT_EQ(join(bad, output.string()).code, 1);
  EXPECT_EQ(tests::ReadFile(output), "00000000000000ff 00000000000000ff\n");
  EXPECT_EQ(join(f, (folder / "out").string()).code, 0);
  EXPECT_EQ(std::filesystem::file_size(folder / "out"), 16U);  // by its name bytes
  EXPECT_EQ(join(bad, (folder / "new").string()).code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_EQ(join(f, (folder / "none" / "out.txt").string()).code, 2);
  const ProgramRun full = join(f, "/dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: cannot be written: No space left"));
}

}  // namespace
}  // namespace crawler
