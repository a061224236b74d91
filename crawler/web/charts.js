// Charts: each has its figures beside it as text.

/** Dispositions, a bar each, in a table that says the same in numbers. */
function dispositionTable(dispositions) {
  const all = dispositions.reduce((sum, d) => sum + d.pages, 0);
  const largest = Math.max(1, ...dispositions.map((d) => d.pages));
  const rows = dispositions.map((d) => {
    const kind = d.group === 'failed' ? 'failed' : d.name;
    const bar = el('span', {class: `bar ${tone(kind)}`});
    bar.style.width = `${100 * d.pages / largest}%`;
    return el('tr', {'data-disposition': d.name},
      el('th', {scope: 'row'}, el('span', {class: `kind ${tone(kind)}`}, d.name),
        el('span', {class: 'soft wide about'}, d.about)),
      el('td', {class: 'number'}, number(d.pages)),
      el('td', {class: 'number'}, percent(d.pages, all)),
      el('td', {class: 'room', 'aria-hidden': 'true'}, bar));
  });
  return el('table', {},
    el('caption', {}, `${plural(all, 'page')}, each counted once`),
    el('thead', {}, el('tr', {},
      el('th', {scope: 'col'}, 'Disposition'),
      el('th', {scope: 'col', class: 'number'}, 'Pages'),
      el('th', {scope: 'col', class: 'number'}, 'Share'),
      el('td', {}))),
    el('tbody', {}, rows));
}

/**
 * Near-duplicates by Hamming distance, with the limit k marked; `counts` from 0 on. What lies beyond
 * k was found by its main text.
 */
function distanceChart(counts, k) {
  const last = Math.max(k + 2, counts.reduce((far, count, d) => (count > 0 ? d : far), 0));
  const shownCounts = Array.from({length: last + 1}, (_, d) => counts[d] || 0);
  const largest = Math.max(1, ...shownCounts);
  const [width, height, top, bottom] = [520, 220, 26, 34];
  const step = width / shownCounts.length;
  const y = (count) => top + (height - top - bottom) * (1 - count / largest);
  const limit = step * (k + 1);
  const tick = shownCounts.length > 16 ? 4 : 1;
  const bars = shownCounts.map((count, d) => [
    count > 0 && svg('rect', {class: 'near', x: d * step + step * 0.14, y: y(count),
      width: step * 0.72, height: height - bottom - y(count), rx: 2}),
    (count > 0 || d <= k) && svg('text', {class: 'count', x: (d + 0.5) * step,
      y: y(count) - 6, 'text-anchor': 'middle'}, number(count)),
    d % tick === 0 &&
      svg('text', {x: (d + 0.5) * step, y: height - bottom + 16, 'text-anchor': 'middle'}, d),
  ]);
  const figures = shownCounts.map((count, d) => [d, count]).filter(([d, count]) => d <= k || count);
  const label = `Near-duplicates by distance: ${figures
    .map(([d, count]) => `${count} at ${d}`).join(', ')}. k = ${k}.`;
  return el('figure', {},
    svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label},
      svg('rect', {class: 'beyond', x: limit, y: 0, width: width - limit, height: height - bottom}),
      bars,
      svg('line', {class: 'axis', x1: 0, x2: width, y1: height - bottom, y2: height - bottom}),
      svg('line', {class: 'limit', x1: limit, x2: limit, y1: 0, y2: height - bottom}),
      svg('text', {class: 'limit', x: limit + 6, y: 14}, `k = ${k}`),
      svg('text', {x: width / 2, y: height - 2, 'text-anchor': 'middle'},
        'bits of 64 that differ')),
    el('details', {}, el('summary', {}, 'The figures as a table'),
      el('table', {id: 'distance-figures'},
        el('thead', {}, el('tr', {}, el('th', {scope: 'col', class: 'number'}, 'Bits'),
          el('th', {scope: 'col', class: 'number'}, 'Pages'))),
        el('tbody', {}, figures.map(([d, count]) => el('tr', {},
          el('th', {scope: 'row', class: 'number'}, d),
          el('td', {class: 'number'}, number(count))))))));
}

/** A curve of `values`, the newest at the right edge, `room` of them fitting. */
function curve(values, room, label, kind) {
  const [width, height] = [600, 120];
  const largest = Math.max(1e-9, ...values);
  const x = (i) => width - (values.length - 1 - i) * width / (room - 1);
  const y = (value) => height - 4 - (height - 12) * value / largest;
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`);
  const line = points.length > 0 ? `M${points.join('L')}` : '';
  const area = line && `${line}L${width},${height}L${x(0).toFixed(1)},${height}Z`;
  return svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': label, preserveAspectRatio: 'none'},
    area && svg('path', {class: 'area', d: area}),
    line && svg('path', {class: `line ${kind || ''}`, d: line}),
    svg('line', {class: 'axis', x1: 0, x2: width, y1: height, y2: height}));
}
