// The report.
const report = pageData();
const rows = report.skipped.rows;
for (const row of rows) row.original = report.skipped.originals[row.original];

const pagesOf = (test) => report.dispositions.reduce((n, d) => n + (test(d) ? d.pages : 0), 0);
const totals = {
  pages: pagesOf(() => true),
  stored: pagesOf((d) => d.name === 'stored'),
  exact: pagesOf((d) => d.name.startsWith('exact-')),
  near: pagesOf((d) => d.name === 'near'),
};
totals.skipped = totals.exact + totals.near;
totals.judged = totals.stored + totals.skipped;

function summary() {
  return el('section', {id: 'summary', 'aria-label': 'Summary'}, figures([
    ['pages', number(totals.pages), `on ${plural(report.hosts_count, 'host')}`],
    ['stored', number(totals.stored), bytes(report.stored_bytes)],
    ['exact duplicates', number(totals.exact), `${percent(totals.exact, totals.judged)} of judged`],
    ['near-duplicates', number(totals.near), `${percent(totals.near, totals.judged)} of judged`],
    ['links not followed', number(report.links_not_followed), 'on skipped pages'],
    ['bytes skipped', bytes(report.skipped_bytes), 'bodies not kept'],
  ]));
}

function notices() {
  const list = [];
  if (report.rows_left_out > 0) {
    list.push(`The list of skipped pages ends after the first ${number(rows.length)}; ` +
      `${number(report.rows_left_out)} more are in skipped.jsonl (--rows sets the limit).`);
  }
  if (report.texts_left_out > 0) {
    list.push(`The texts of ${plural(report.texts_left_out, 'skipped page')} did not fit in; ` +
      'contentseen skipped --diff N compares them (--texts sets the limit).');
  }
  if (report.texts_missing > 0) {
    list.push(`Of ${plural(report.texts_missing, 'skipped page')} no text was kept (texts.keep).`);
  }
  if (report.urls_left_out > 0) {
    list.push(`${number(report.urls_left_out)} URLs were not looked through for mirrors and ` +
      'parameters.');
  }
  if (report.hosts_left_out > 0) {
    list.push(`${plural(report.hosts_left_out, 'page')} of further hosts ` +
      'were not counted by host.');
  }
  if (report.groups_left_out > 0) {
    list.push(`${plural(report.groups_left_out, 'skipped page')} of further originals ` +
      'were not counted by group.');
  }
  for (const fault of report.faults) {
    const lines = fault.more ? `${number(fault.lines)} or more lines` : plural(fault.lines, 'line');
    list.push(`${fault.log}: ${lines} could not be read, the first at line ` +
      `${number(fault.first)} (${shown(fault.reason)}).`);
  }
  return list.map((text) => el('p', {class: 'note'}, text));
}

function dispositions() {
  return el('div', {class: 'two'},
    part('dispositions', 'How pages ended', 'Every page in exactly one way.',
      el('div', {class: 'card'}, dispositionTable(report.dispositions))),
    part('distances', 'How near the near-duplicates are',
      `Bits in which the 64-bit fingerprints of page and original differ.`,
      el('div', {class: 'card'}, totals.near > 0 ? distanceChart(report.distances, report.k) :
        el('p', {class: 'soft'}, 'No near-duplicate was skipped.'))));
}

function limits() {
  if (report.limits.length === 0) return null;
  const columns = [
    {name: 'Left out or cut', number: true, value: (l) => l.count, cell: (l) => number(l.count)},
    {name: 'By', heads: true, value: (l) => l.name, cell: (l) => l.name},
    {name: 'Set by the option', value: (l) => l.option, cell: (l) => l.option},
  ];
  return part('limits', 'Scope and limits', 'URLs left out, and pages and files cut.',
    el('div', {class: 'card'}, plainTable('Scope and limits', columns, report.limits)));
}

function groups() {
  const rest = report.groups_count - report.groups.length;
  const columns = [
    {name: 'Pages', number: true, value: (g) => g.pages, cell: (g) => number(g.pages)},
    {name: 'Exact', number: true, wide: true, value: (g) => g.pages - g.near, cell: (g) => number(g.pages - g.near)},
    {name: 'Near', number: true, value: (g) => g.near, cell: (g) => number(g.near)},
    {name: 'Hosts', number: true, wide: true, value: (g) => g.hosts, cell: (g) => number(g.hosts)},
    {name: 'Most bits', number: true, wide: true, value: (g) => g.distance, cell: (g) => g.distance},
    {name: 'Stands for them', heads: true, value: (g) => g.shown, cell: (g) => el('span', {class: 'place'},
      g.title && el('span', {}, shown(g.title)), urlText(g.shown),
      g.shown !== g.url && el('span', {class: 'soft'}, 'met first and stored: ', urlText(g.url)))},
  ];
  return part('groups', 'Largest groups of duplicates',
    `Originals with the pages skipped because of them${rest > 0 ?
      `; the ${number(report.groups.length)} largest of ${number(report.groups_count)}` : ''}.`,
    el('div', {class: 'card'}, report.groups.length > 0 ?
      plainTable('Groups of duplicates', columns, report.groups) :
      el('p', {class: 'soft'}, 'Nothing was skipped.')));
}

function hosts() {
  const all = (h) => h.stored + h.skipped + h.other;
  const columns = [
    {name: 'Host', heads: true, value: (h) => h.host, cell: (h) => el('span', {class: 'url'}, shown(h.host))},
    {name: 'Pages', number: true, value: all, cell: (h) => number(all(h))},
    {name: 'Stored', number: true, wide: true, value: (h) => h.stored, cell: (h) => number(h.stored)},
    {name: 'Duplicates', number: true, value: (h) => h.skipped, cell: (h) => number(h.skipped)},
    {name: 'Share', number: true, value: (h) => h.skipped / all(h), cell: (h) => percent(h.skipped, all(h))},
  ];
  const cut = report.hosts_count - report.hosts.length;
  return part('hosts', 'Hosts', `Most duplicates first${cut > 0 ?
    `; ${number(cut)} hosts with fewer are left out` : ''}.`,
    report.alarms.map((text) => el('p', {class: 'note'}, shown(text))),
    el('div', {class: 'card'}, plainTable('Hosts', columns, report.hosts)));
}

function mirrors() {
  const {pairs, groups: certain} = report.mirrors;
  const columns = [
    {name: 'Side', heads: true, value: (m) => m.a, cell: (m) => el('span', {class: 'url'}, shown(m.a))},
    {name: 'Other side', value: (m) => m.b, cell: (m) => el('span', {class: 'url'}, shown(m.b))},
    {name: 'Matching', number: true, value: (m) => m.matching, cell: (m) => `${number(m.matching)} of ${number(m.tested)}`},
    {name: 'At least', number: true, value: (m) => m.bound, cell: (m) => percent(m.bound, 1)},
    {name: 'Verdict', value: (m) => (m.certain ? 0 : 1), cell: (m) => (m.certain ? 'mirror' : 'suspected')},
    {name: 'Such as', wide: true, cell: (m) => el('span', {class: 'url soft'}, shown(m.examples[0] || ''))},
  ];
  return part('mirrors', 'Hosts that mirror each other',
    'Of the paths that the crawl asked for on both sides, so many have the same content on both. ' +
    '“At least” is the lower bound of the share among all paths (Wilson, 95 %); from 80 % on it is ' +
    'called a mirror.',
    el('div', {class: 'card'},
      certain.length > 0 && el('ul', {class: 'group-list'}, certain.map((sides) => el('li', {},
        el('span', {class: 'sides'}, sides.map((side, i) => [i > 0 && el('span', {class: 'soft'}, '~'),
          el('span', {class: 'url'}, shown(side))]))))),
      pairs.length > 0 ? plainTable('Mirrors', columns, pairs) :
        el('p', {class: 'soft'}, 'No two hosts look like mirrors.')));
}

function parameters() {
  const {idle, droppable} = report.parameters;
  const columns = [
    {name: 'Parameter', heads: true, value: (p) => p.name, cell: (p) => el('code', {}, shown(p.name))},
    {name: 'Site', value: (p) => p.site, cell: (p) => el('span', {class: 'url'}, shown(p.site))},
    {name: 'Compared', number: true, value: (p) => p.compared, cell: (p) => number(p.compared)},
    {name: 'Same text', number: true, value: (p) => p.same_text, cell: (p) => number(p.same_text)},
    {name: 'Verdict', wide: true, value: (p) => (p.certain ? 0 : 1), cell: (p) =>
      (p.certain ? 'never changed the text' :
        p.same_text === p.compared ? 'seldom seen' : 'nearly the same text')},
    {name: 'Such as', wide: true, cell: (p) => urlText(p.url)},
  ];
  const drop = `[url]\ndrop_parameters = [${droppable.map((n) => JSON.stringify(n)).join(', ')}]`;
  return part('parameters', 'URL parameters that never change content',
    'Pages whose URLs differ in this parameter only were compared; the content never changed.',
    el('div', {class: 'card'}, idle.length > 0 ? plainTable('Parameters', columns, idle) :
      el('p', {class: 'soft'}, 'None was found.'),
    droppable.length > 0 && [el('p', {class: 'soft'}, 'Left out of URLs, they cost no more requests:'),
      el('pre', {class: 'suggest', tabindex: 0, 'aria-label': 'Configuration'}, shown(drop).replaceAll('\\u{000a}', '\n'))]));
}

function showDiff(row) {
  const page = {...row, text: row.delta ? report.texts[row.text] : null,
    why: `Its text is not in this report: contentseen skipped --diff ${row.n} compares it, if it was kept.`};
  const close = el('button', {type: 'button', onclick: () => dialog.close()}, 'Close');
  const dialog = el('dialog', {class: 'diff', 'aria-labelledby': 'diff-heading', onclose: () => {
    dialog.remove();
    history.replaceState(null, '', location.pathname + location.search);
  }},
    el('header', {}, el('h2', {id: 'diff-heading'}, `Page ${number(row.n)} `, diffHeading(page)), close),
    el('div', {}, diffElements(page)));
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
  history.replaceState(null, '', `#page-${row.n}`);
}

function compareButton(row, room) {
  return el('button', {type: 'button', class: `compare ${room}`,
    'aria-label': `Compare page ${row.n} with its original`, onclick: () => showDiff(row)}, 'Compare');
}

function skippedPages() {
  const perPage = 50;
  let page = 0;
  const search = el('input', {type: 'search', id: 'search', autocomplete: 'off', oninput: again});
  const kind = el('select', {id: 'kind', onchange: again},
    ['all kinds', 'near', 'exact-text', 'exact-bytes'].map((name) =>
      el('option', {value: name === 'all kinds' ? '' : name}, name)));
  const found = el('p', {class: 'soft', role: 'status', id: 'found'});
  const back = el('button', {type: 'button', onclick: () => turn(-1)}, 'Back');
  const next = el('button', {type: 'button', onclick: () => turn(1)}, 'Next');
  const table = sortableTable('Skipped pages', [
    {name: 'N', number: true, wide: true, value: (r) => r.n, cell: (r) => number(r.n)},
    {name: 'Kind', value: (r) => r.kind, cell: (r) => kindLabel(r.kind)},
    {name: 'Bits', number: true, value: (r) => r.distance, cell: (r) => r.distance},
    {name: 'Why', wide: true, cell: (r) => shown(r.evidence.split(',')[0])},
    {name: 'Page and original', heads: true, value: (r) => r.url, cell: (r) =>
      el('span', {class: `place ${r.kind === 'near' ? 'near' : ''}`},
        r.title && el('span', {class: 'title'}, shown(r.title)), urlText(r.url),
        el('span', {class: 'from url'}, shown(r.original)), compareButton(r, 'narrow'))},
    {name: 'Size', number: true, wide: true, value: (r) => r.bytes, cell: (r) => bytes(r.bytes)},
    {name: 'Texts', wide: true, cell: (r) => compareButton(r, '')},
  ], again);

  function matching() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((r) => (!kind.value || r.kind === kind.value) && words.every((word) =>
      r.url.toLowerCase().includes(word) || r.original.toLowerCase().includes(word) ||
      r.title.toLowerCase().includes(word)));
  }
  function again() {
    page = 0;
    show();
  }
  function turn(by) {
    page += by;
    show();
    table.element.parentElement.focus();
  }
  function show() {
    const list = table.sorted(matching());
    const begin = page * perPage;
    table.show(list.slice(begin, begin + perPage));
    found.textContent = list.length === 0 ? 'No skipped page matches.' :
      `${number(begin + 1)} to ${number(Math.min(begin + perPage, list.length))} of ` +
      plural(list.length, 'skipped page');
    back.disabled = page === 0;
    next.disabled = begin + perPage >= list.length;
  }
  show();
  return part('skipped', 'Skipped pages', null, notices(),
    el('div', {class: 'card'},
      el('div', {class: 'tools', role: 'search'},
        el('label', {class: 'grow', for: 'search'}, 'Search URLs and titles', search),
        el('label', {for: 'kind'}, 'Kind', kind)),
      scroller('Skipped pages', table.element),
      el('div', {class: 'pages'}, found, el('div', {}, back, next))));
}

document.title = `${shown(report.data)} · ContentSeen report`;
document.getElementById('top').append(el('div', {class: 'line'},
  el('div', {}, el('p', {class: 'brand'}, 'ContentSeen · crawl report'),
    el('h1', {}, shown(report.data)),
    el('p', {}, report.end > 0 ? `${time(report.begin)} to ${time(report.end)}, ` +
      duration((report.end - report.begin) / 1000) : 'No page was crawled.')),
  themeButton()));
const sections = [dispositions(), groups(), skippedPages(), mirrors(), parameters(), hosts(), limits()]
  .filter((section) => section !== null);
document.getElementById('parts').append(el('nav', {class: 'parts', 'aria-label': 'Parts of the report'},
  el('ul', {class: 'wrap'}, [['summary', 'Summary'], ['dispositions', 'Dispositions'],
    ['distances', 'Distances'], ['groups', 'Groups'], ['skipped', 'Skipped pages'],
    ['mirrors', 'Mirrors'], ['parameters', 'Parameters'], ['hosts', 'Hosts']]
    .map(([id, name]) => el('li', {}, el('a', {href: `#${id}`}, name))))));
document.getElementById('main').append(summary(), ...sections);
document.getElementById('end').append(`Written by ${report.program}. This file needs no network.`);

const wanted = /^#page-(\d+)$/.exec(location.hash);
const wantedRow = wanted && rows.find((row) => row.n === Number(wanted[1]));
if (wantedRow) showDiff(wantedRow);
