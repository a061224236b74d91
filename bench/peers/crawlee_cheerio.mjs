// Crawlee's CheerioCrawler on the generated site: node crawlee_cheerio.mjs SEEDS RESOLVE; prints the
// pages fetched.
import dns from 'node:dns';
import fs from 'node:fs';

const lines = (path) => fs.readFileSync(path, 'utf8').split(/\s+/).filter(Boolean);
const addresses = new Map(lines(process.argv[3]).map((line) => line.split(':')).map(([host, , at]) => [host, at]));
const lookup = dns.lookup;
dns.lookup = (name, options, callback) => {
  const done = typeof options === 'function' ? options : callback;
  const at = addresses.get(name);
  if (!at) return lookup(name, options, callback);
  return options?.all ? done(null, [{address: at, family: 4}]) : done(null, at, 4);
};

const {CheerioCrawler, Configuration, log} = await import('@crawlee/cheerio');
log.setLevel(log.LEVELS.OFF);
let pages = 0;
const crawler = new CheerioCrawler({
  maxConcurrency: 64,
  requestHandler: async ({enqueueLinks}) => {
    pages += 1;
    await enqueueLinks({strategy: 'all'});
  },
}, new Configuration({persistStorage: false}));
await crawler.run(lines(process.argv[2]));
console.log(pages);
