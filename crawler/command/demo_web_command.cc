#include "crawler/command/commands.h"

#include <memory>

#include "crawler/command/stop_signals.h"
#include "crawler/demo/demo_web.h"
#include "crawler/io/jsonl.h"

namespace crawler {
namespace {

struct DemoWebCommand {
  std::string address = "127.0.0.1";
  int port = 0;
  std::optional<double> seconds;
  bool seeds_only = false;
  bool json = false;
};

void Announce(const DemoWebCommand& command, const DemoWeb& web, Terminal& terminal) {
  std::string text;
  for (const std::string& seed : web.seeds()) {
    if (command.json) {
      JsonLine line;
      line.Text("seed", seed);
      text += line.Finish();
    } else {
      text += seed + "\n";
    }
  }
  terminal.out.Write(text);
  if (command.seeds_only || command.json) return;
  terminal.err.Write(
      "The demo web is served until Ctrl-C. These are its seeds; crawl them with\n"
      "  contentseen crawl SEEDS --allow-network 127.0.0.0/8\n");
}

ExitCode Run(const DemoWebCommand& command, Terminal& terminal) {
  StopSignals signals;  // before the server's threads, so that they inherit the mask
  DemoWeb web;
  base::Result<int> port = web.Start(command.address, command.port);
  if (!port) return Complain(terminal, port.error().message);
  Announce(command, web, terminal);
  signals.Wait(command.seconds);
  web.Stop();
  return kExitOk;
}

}  // namespace

void AddDemoWebCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "demo-web", "Serve a small web on loopback that shows each kind of duplicate");
  auto arguments = std::make_shared<DemoWebCommand>();
  command->add_option("--address", arguments->address, "Numeric address to listen on")
      ->capture_default_str();
  command->add_option("--port", arguments->port, "Port to listen on; 0: any free one")
      ->check(CLI::Range(0, 65'535))
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "End after so long, else at Ctrl-C")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 2e6).description(""))
      ->check(NoNan());
  command->add_flag("--seeds-only", arguments->seeds_only, "Print nothing but the seeds");
  command->add_flag("--json", arguments->json, "Print each seed as a JSON object on a line");
  AddExamples(*command, {{"contentseen demo-web --port 8090",
                          "Serve it where the demo configuration looks for it"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
