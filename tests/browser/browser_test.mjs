// The report and the live page in a real browser:
//   node browser_test.mjs --program contentseen --artefacts FOLDER
// Exits with 77 (skipped) and says why where chromium or playwright-core is absent; 1 on failures.
// playwright-core is looked for in node_modules beside this file, or in $CONTENTSEEN_NODE_MODULES.
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
}
const program = path.resolve(option('program', 'contentseen'));
const artefacts = path.resolve(option('artefacts', 'browser-artefacts'));

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}
const chromium = [process.env.CONTENTSEEN_CHROMIUM, '/usr/bin/chromium'].find(
  (file) => file && fs.existsSync(file));
if (!chromium) skip('there is no chromium (apt-get install chromium)');
const modules = process.env.CONTENTSEEN_NODE_MODULES || path.join(import.meta.dirname ??
  path.dirname(new URL(import.meta.url).pathname), 'node_modules');
let playwright;
try {
  playwright = createRequire(path.join(modules, 'x.js'))(path.join(modules, 'playwright-core'));
} catch {
  skip(`there is no playwright-core (npm install --prefix ${path.dirname(modules)})`);
}

let failures = 0;
function check(holds, what) {
  if (!holds) failures += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
}
function equal(found, expected, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  check(a === b, a === b ? what : `${what}: found ${a}, expected ${b}`);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'contentseen-browser-'));
fs.mkdirSync(artefacts, {recursive: true});
const hostile = '</script><script>window.broken=1</script><img src=x onerror=window.broken=1>\u202ex';

function run(...words) {
  const result = spawnSync(program, words, {encoding: 'utf8', maxBuffer: 1 << 28});
  if (result.status !== 0) throw new Error(`${words.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** Starts a program and gives it once a line of its output matches. */
function started(words, stream, pattern) {
  const child = spawn(program, words);
  return new Promise((resolve, reject) => {
    let text = '';
    child[stream].on('data', (bytes) => {
      text += bytes;
      const match = pattern.exec(text);
      if (match) resolve({child, match, seeds: text});
    });
    child.on('exit', (code) => reject(new Error(`${words[0]} ended with ${code}: ${text}`)));
  });
}

/** A page whose console is clean, or the test fails. */
async function opened(browser, url, settings) {
  const page = await browser.newPage(settings);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) check(false, `console: ${message.text()}`);
  });
  page.on('pageerror', (error) => check(false, `script: ${error.message}`));
  page.on('request', (request) => {
    const fine = request.url().startsWith('data:') || request.url().startsWith(new URL(url).origin) ||
      request.url().startsWith('file:');
    if (!fine) check(false, `it loads ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

const shownNumber = (text) => Number(text.replaceAll(',', ''));
const column = (page, n) => page.$$eval(`#skipped tbody tr`,
  (rows, i) => rows.map((row) => row.children[i].textContent), n);

async function figuresTest(browser, report, skipped) {
  const page = await opened(browser, report, {viewport: {width: 1280, height: 900}});
  const table = await page.$$eval('#dispositions tbody tr', (rows) => Object.fromEntries(
    rows.map((row) => [row.dataset.disposition, row.children[1].textContent])));
  for (const kind of ['near', 'exact-bytes', 'exact-text']) {
    equal(shownNumber(table[kind] || '0'), skipped.filter((s) => s.kind === kind).length,
      `${kind} as 'skipped --json' counts them`);
  }
  const distances = await page.$$eval('#distance-figures tbody tr', (rows) => rows.map(
    (row) => Number(row.children[1].textContent)));
  const near = skipped.filter((s) => s.kind === 'near');
  equal(distances, distances.map((_, d) => near.filter((s) => s.distance === d).length),
    'distances');
  const groups = await page.$$eval('#groups tbody tr', (rows) => rows.map(
    (row) => Number(row.children[0].textContent)));
  const byOriginal = new Map();
  for (const s of skipped) byOriginal.set(s.original_url, (byOriginal.get(s.original_url) || 0) + 1);
  equal(groups, [...byOriginal.values()].sort((a, b) => b - a), 'sizes of groups');
  await page.screenshot({path: path.join(artefacts, 'report.png'), fullPage: true});
  await page.close();
}

async function tableTest(browser, report, skipped) {
  const page = await opened(browser, report, {viewport: {width: 1280, height: 900}});
  const heading = page.locator('#skipped th', {hasText: 'Bits'});
  equal(await heading.getAttribute('aria-sort'), 'none', 'not sorted at first');
  await heading.locator('button').click();
  equal(await heading.getAttribute('aria-sort'), 'descending', 'sorted by bits');
  const bits = (await column(page, 2)).map(Number);
  equal(bits, skipped.map((s) => s.distance).sort((a, b) => b - a).slice(0, 50), 'bits in order');
  await heading.locator('button').press('Enter');
  equal(await heading.getAttribute('aria-sort'), 'ascending', 'sorted by the keyboard');

  await page.fill('#search', 'session product/1');
  const wanted = skipped.filter((s) => /session/.test(s.url) && /product\/1/.test(s.url));
  equal((await column(page, 0)).length, wanted.length, 'found by words');
  check(wanted.length > 0, 'there was something to find');
  await page.fill('#search', 'no page has this');
  equal(await page.textContent('#found'), 'No skipped page matches.', 'found nothing, and said so');
  await page.fill('#search', '');
  await page.selectOption('#kind', 'near');
  equal((await column(page, 1)).length, skipped.filter((s) => s.kind === 'near').length, 'only near');
  await page.close();
}

async function diffTest(browser, report, data, skipped) {
  const page = await opened(browser, report, {viewport: {width: 1280, height: 900}});
  const row = skipped.find((s) => s.url.includes('budget-corrected'));
  const expected = JSON.parse(run('skipped', data, '--diff', String(row.n), '--json'));
  const button = page.locator(`[aria-label="Compare page ${row.n} with its original"]:visible`);
  await button.click();
  const dialog = page.locator('dialog.diff');
  equal(await dialog.locator('del').allTextContents(),
    expected.runs.filter((r) => 'removed' in r).map((r) => r.removed), 'removed words');
  equal(await dialog.locator('ins').allTextContents(),
    expected.runs.filter((r) => 'added' in r).map((r) => r.added), 'added words');
  check((await dialog.locator('.tally').textContent()).startsWith(
    `${expected.words_same.toLocaleString('en')} words in both`), 'words in both');
  await page.screenshot({path: path.join(artefacts, 'diff.png')});
  await page.keyboard.press('Escape');
  equal(await dialog.count(), 0, 'Escape closes it');
  check(await button.evaluate((b) => b === document.activeElement), 'and gives the focus back');
  await page.goto(`${report}#page-${row.n}`);
  await page.reload();
  equal(await dialog.count(), 1, 'a link opens a page');
  await page.close();
}

async function hostileTest(browser, report) {
  const page = await opened(browser, report, {viewport: {width: 1280, height: 900}});
  check((await page.textContent('#skipped')).includes('<img src=x onerror=window.broken=1>\\u{202e}x'),
    'a hostile title is text');
  equal(await page.$$eval('#main img, #main script, #main [onerror]', (all) => all.length), 0,
    'nothing of it is an element');
  equal(await page.$$eval('a[href^="javascript:"]', (all) => all.length), 0, 'no such link');
  equal(await page.evaluate(() => window.broken), undefined, 'nothing of it ran');
  await page.close();
}

/** Contrast of text with what is behind it, as WCAG 2.1 reckons it; gives what is too low. */
function lowContrast() {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.closest('svg, script, .hidden, :disabled')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(channels(style.color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName} "${element.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return low;
}

async function accessTest(browser, report) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await opened(browser, report, {colorScheme, viewport: {width: 390, height: 844}});
    equal(await page.evaluate(lowContrast), [], `contrast, ${colorScheme}`);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      `fits a phone, ${colorScheme}`);
    check(await page.locator('.compare:visible').count() > 0, 'a phone shows what compares');
    await page.screenshot({path: path.join(artefacts, `phone-${colorScheme}.png`)});
    await page.close();
  }
  const page = await opened(browser, report, {viewport: {width: 1280, height: 900}});
  equal(await page.$$eval('main, header, nav, footer', (all) => new Set(all.map((e) => e.tagName)).size),
    4, 'landmarks');
  equal(await page.$$eval('h1', (all) => all.length), 1, 'one first heading');
  equal(await page.$$eval('button, input, select, a[href]', (all) => all.filter((e) =>
    !(e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length))).length),
  0, 'all controls have names');
  equal(await page.$$eval('svg[role=img]', (all) => all.filter((e) => !e.getAttribute('aria-label')).length),
    0, 'charts have text');
  equal(await page.$$eval('table', (all) => all.filter((t) => !t.querySelector('th[scope=col]')).length),
    0, 'tables have headings');
  await page.keyboard.press('Tab');
  equal(await page.evaluate(() => document.activeElement.textContent), 'To the content',
    'the first stop leads past the rest');
  equal(await page.$$eval('[tabindex]', (all) => all.filter((e) => e.tabIndex > 0).length), 0,
    'focus goes in the order of the page');
  await page.close();
}

async function liveTest(browser, address, data) {
  const page = await opened(browser, `http://${address}/`, {viewport: {width: 1280, height: 900}});
  await page.waitForFunction(() => document.querySelectorAll('#recent-list li').length > 0);
  equal(await page.textContent('#state'), 'live', 'live');
  const [compare] = await Promise.all([page.context().waitForEvent('page'),
    page.locator('#recent-list a', {hasText: 'Compare'}).first().click()]);
  await compare.waitForLoadState();
  check((await compare.textContent('#main')).includes('words in both'), 'a recent skip is compared');
  await compare.screenshot({path: path.join(artefacts, 'live-diff.png')});
  await compare.close();
  await page.waitForFunction(() => document.querySelector('#curve path.line'));
  await page.screenshot({path: path.join(artefacts, 'live.png')});
  const live = await (await fetch(`http://${address}/live.json`)).json();
  const skippedPages = live.dispositions.filter((d) => d.group === 'skipped duplicates')
    .reduce((n, d) => n + d.pages, 0);
  check(skippedPages > 0 && live.pages > 0, 'figures move');
  check(run('skipped', data, '--json').includes(live.recent[0].url), 'recent skips are those logged');
  return page;
}

function makeHostile(data) {
  const log = path.join(data, 'skipped.jsonl');
  const copy = path.join(folder, 'hostile');
  fs.cpSync(data, copy, {recursive: true});
  const lines = fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  for (const line of lines) {
    line.title = hostile;
    line.url += `?${hostile}`;
    line.original_url = `javascript:window.broken=1//${hostile}`;
  }
  fs.writeFileSync(path.join(copy, 'skipped.jsonl'), lines.map((l) => JSON.stringify(l) + '\n').join(''));
  return copy;
}

async function main() {
  const web = await started(['demo-web', '--port', '0'], 'stdout', /:(\d+)\/\n(?:.*\n)+/);
  const seeds = path.join(folder, 'seeds.txt');
  fs.writeFileSync(seeds, web.seeds);
  const data = path.join(folder, 'data');
  // Slow enough to be watched, and stopped when that is done.
  const crawl = await started(['crawl', seeds, '--data', data, '--scope', 'any', '--delay', '150ms',
    '--allow-network', '127.0.0.0/8', '--listen', '127.0.0.1:0'], 'stderr', /Watch: http:\/\/(\S+)\//);
  const ended = new Promise((resolve) => crawl.child.on('exit', resolve));
  crawl.child.stdout.resume();
  const browser = await playwright.chromium.launch({executablePath: chromium, args: ['--no-sandbox']});
  try {
    const page = await liveTest(browser, crawl.match[1], data);
    equal(await ended, 0, 'the crawl ends although it is watched');
    page.removeAllListeners('console');  // the server has gone, and the browser says so
    await page.waitForFunction(() => document.getElementById('state').textContent.includes('ended'));
    check(true, 'the page says that the crawl has ended');
    await page.close();

    const report = path.join(folder, 'report.html');
    run('report', data, '-o', report);
    const skipped = run('skipped', data, '--json').trim().split('\n').map((l) => JSON.parse(l));
    const url = pathToFileURL(report).href;
    await figuresTest(browser, url, skipped);
    await tableTest(browser, url, skipped);
    await diffTest(browser, url, data, skipped);
    await accessTest(browser, url);
    const broken = path.join(folder, 'hostile.html');
    run('report', makeHostile(data), '-o', broken);
    await hostileTest(browser, pathToFileURL(broken).href);
  } finally {
    await browser.close();
    web.child.removeAllListeners('exit');
    web.child.kill();
    crawl.child.kill();
    fs.rmSync(folder, {recursive: true, force: true});
  }
  console.log(`${failures} failures; screenshots in ${artefacts}`);
  process.exit(failures > 0 ? 1 : 0);
}
await main();
