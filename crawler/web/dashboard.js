// The live dashboard: asks for the figures once a second and draws them anew.
const interval = 1000;
const roomOfCurve = 300;  // five minutes
const rates = [];
let before = null;
let failures = 0;

const part$ = (id) => document.getElementById(id);
const state = el('span', {class: 'state', role: 'status', id: 'state'}, 'connecting');
const where = el('span', {id: 'where'});
document.getElementById('top').append(el('div', {class: 'line'},
  el('div', {}, el('p', {class: 'brand'}, 'ContentSeen · live'), el('h1', {}, 'Crawl in progress'),
    el('p', {}, state, ' · ', where)), themeButton()));
document.getElementById('main').append(
  el('section', {'aria-label': 'Rate', class: 'rate'},
    el('div', {}, el('div', {class: 'now', id: 'rate'}, '–'), el('div', {class: 'soft'}, 'pages a second')),
    el('div', {id: 'curve'})),
  el('section', {'aria-label': 'Figures', id: 'figures'}),
  el('div', {class: 'two'},
    part('dispositions', 'How pages ended', null, el('div', {class: 'card', id: 'disposition-table'})),
    part('distances', 'Distances of near-duplicates', null, el('div', {class: 'card', id: 'distance-chart'}))),
  el('div', {class: 'two'},
    part('hosts', 'Busiest hosts', null, el('div', {class: 'card', id: 'busiest'})),
    part('recent', 'Recently skipped', null, el('div', {class: 'card', id: 'recent-list'}))));
document.getElementById('end').append('Also here: ', el('a', {href: 'metrics'}, 'metrics'),
  ' for Prometheus and ', el('a', {href: 'live.json'}, 'these figures'), ' as JSON.');

/** Puts `element` into `place` unless it would change nothing: focus and selection stay. */
function renew(place, element) {
  if (place.firstElementChild && place.firstElementChild.isEqualNode(element)) return;
  const open = Boolean(place.querySelector('details[open]'));
  if (open) element.querySelectorAll('details').forEach((details) => details.setAttribute('open', ''));
  place.replaceChildren(element);
}

function drawRate(live) {
  if (before && live.elapsed > before.elapsed) {
    rates.push((live.pages - before.pages) / (live.elapsed - before.elapsed));
    if (rates.length > roomOfCurve) rates.shift();
    const rate = rates[rates.length - 1];
    part$('rate').textContent = rate < 10 ? rate.toFixed(1) : number(Math.round(rate));
    renew(part$('curve'), curve(rates, roomOfCurve,
      `Pages a second over the last ${duration(rates.length * interval / 1000)}`));
  }
}

/** What waits, where, and how much of it stands still until the crawl is started again. */
function waiting(live) {
  const still = [[live.queued_given_up, 'given up'], [live.queued_out_of_scope, 'out of scope']]
    .filter(([count]) => count > 0).map(([count, why]) => `${number(count)} ${why}`);
  return [`on ${plural(live.hosts_active, 'host')}`, ...still].join(', ');
}

function drawFigures(live) {
  const count = (name) => (live.dispositions.find((d) => d.name === name) || {pages: 0}).pages;
  const exact = count('exact-bytes') + count('exact-text');
  const judged = exact + count('near') + count('stored');
  const seconds = before ? live.elapsed - before.elapsed : 0;
  const each = (key) => (seconds > 0 ? (live[key] - before[key]) / seconds : 0);
  renew(part$('figures'), figures([
    ['pages', number(live.pages), `in ${duration(live.elapsed)}`],
    ['exact duplicates', number(exact), percent(exact, judged)],
    ['near-duplicates', number(count('near')), percent(count('near'), judged)],
    ['checks a second', number(Math.round(each('checks'))), `${number(live.checks)} in all`],
    ['received', bytes(live.wire_bytes), `${bytes(each('wire_bytes'))}/s`],
    ['waiting URLs', number(live.queued), waiting(live)],
    ['in flight', number(live.in_flight), `${number(live.waiting)} to be judged`],
    ['index', number(live.documents), `documents, ${bytes(live.index_bytes)}`],
  ]));
}

function drawHosts(live) {
  const largest = Math.max(1, ...live.busiest.map((h) => h.pages));
  const rows = live.busiest.map((host) => {
    const bar = el('span', {class: 'bar stored'});
    bar.style.width = `${100 * host.pages / largest}%`;
    return el('tr', {}, el('th', {scope: 'row'}, el('span', {class: 'url'}, shown(host.host))),
      el('td', {class: 'number'}, number(host.pages)), el('td', {class: 'number'}, number(host.skipped)),
      el('td', {class: 'room', 'aria-hidden': 'true'}, bar));
  });
  renew(part$('busiest'), rows.length === 0 ? el('p', {class: 'soft'}, 'None yet.') : el('table', {},
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Host'),
      el('th', {scope: 'col', class: 'number'}, 'Pages'),
      el('th', {scope: 'col', class: 'number'}, 'Skipped'), el('td', {}))),
    el('tbody', {}, rows)));
}

function drawRecent(live) {
  const items = live.recent.map((skip) => el('li', {},
    kindLabel(skip.kind === 'near' ? 'near' : skip.kind),
    el('span', {class: 'place'}, skip.title && el('span', {class: 'title'}, shown(skip.title)),
      urlText(skip.url), el('span', {class: 'url soft'}, shown(skip.original))),
    el('a', {href: `diff?id=${skip.id}`, target: '_blank', rel: 'noopener',
      'aria-label': `Compare ${shown(skip.url)} with its original`}, 'Compare')));
  renew(part$('recent-list'), items.length === 0 ? el('p', {class: 'soft'}, 'Nothing yet.') :
    el('ol', {class: 'recent'}, items));
}

function draw(live) {
  document.title = `${number(live.pages)} pages · ContentSeen live`;
  const trouble = live.paused ? `paused: ${live.paused}` : live.memory_warning;
  state.className = trouble ? 'state over' : 'state';
  const words = trouble ? shown(trouble) : 'live';
  if (state.textContent !== words) state.textContent = words;
  where.textContent = `${shown(live.data)} · ${plural(live.hosts, 'host')} known`;
  drawRate(live);
  drawFigures(live);
  renew(part$('disposition-table'), dispositionTable(live.dispositions));
  renew(part$('distance-chart'), distanceChart(live.distances, live.k));
  drawHosts(live);
  drawRecent(live);
  before = live;
}

async function ask() {
  if (!document.hidden) {
    try {
      const answer = await fetch('live.json', {cache: 'no-store'});
      if (!answer.ok) throw new Error(answer.statusText);
      draw(await answer.json());
      failures = 0;
    } catch (error) {
      failures += 1;
      state.className = before ? 'state over' : 'state lost';
      const words = before ? 'the crawl has ended or cannot be reached' : 'cannot be reached';
      if (state.textContent !== words) state.textContent = words;
    }
  }
  setTimeout(ask, Math.min(interval * (1 + failures), 10 * interval));
}
document.addEventListener('visibilitychange', () => { failures = 0; });
ask();
