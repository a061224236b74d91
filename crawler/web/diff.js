// Two texts side by side. A delta is a list of steps: a number of words in both texts, a negative
// number of words only in the original, or the words only in the skipped page.

const contextWords = 24;  // shown around a change

/** Words as they are read: no space between Chinese or Japanese characters. */
function joined(words) {
  const own = /^[\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uffef\u{20000}-\u{3ffff}]/u;
  let text = '';
  let tight = true;
  for (const word of words) {
    const itsOwn = own.test(word);
    if (text && !(tight && itsOwn)) text += ' ';
    text += word;
    tight = itsOwn;
  }
  return shown(text);
}

/** The steps with their words: [{kind, words}]. */
function runsOf(text, delta) {
  const words = text === '' ? [] : text.split(' ');
  let at = 0;
  return delta.map((step) => {
    if (typeof step === 'string') return {kind: 'added', words: step.split(' ')};
    const run = {kind: step < 0 ? 'removed' : 'same', words: words.slice(at, at + Math.abs(step))};
    at += Math.abs(step);
    return run;
  });
}

/** Cuts long stretches that are the same: [{hunk: runs} | {same: words}]. */
function hunksOf(runs) {
  const pieces = [];
  let hunk = [];
  runs.forEach((run, i) => {
    const before = i > 0 ? contextWords : 0;
    const after = i + 1 < runs.length ? contextWords : 0;
    if (run.kind !== 'same' || run.words.length <= before + after + contextWords) {
      hunk.push(run);
      return;
    }
    const end = run.words.length - after;
    if (before > 0) hunk.push({kind: 'same', words: run.words.slice(0, before)});
    if (hunk.length > 0) pieces.push({hunk});
    pieces.push({same: run.words.slice(before, end)});
    hunk = after > 0 ? [{kind: 'same', words: run.words.slice(end)}] : [];
  });
  if (hunk.length > 0) pieces.push({hunk});
  return pieces;
}

/** One side of a hunk; `changed` is 'removed' or 'added'. */
function sideOf(hunk, changed) {
  const paragraph = el('p');
  for (const run of hunk) {
    if (run.kind !== 'same' && run.kind !== changed) continue;
    if (paragraph.childNodes.length > 0) paragraph.append(' ');
    const text = joined(run.words);
    if (run.kind === 'same') paragraph.append(text);
    else if (changed === 'removed') paragraph.append(el('del', {}, text));
    else paragraph.append(el('ins', {}, text));
  }
  return paragraph;
}

function hunkElement(hunk) {
  return el('div', {class: 'hunk'}, sideOf(hunk, 'removed'), sideOf(hunk, 'added'));
}

function sameElement(words) {
  const element = el('div', {class: 'same-run'}, el('button', {type: 'button', onclick: () => {
    const whole = hunkElement([{kind: 'same', words}]);
    whole.tabIndex = -1;
    element.replaceWith(whole);
    whole.focus();
  }}, `${plural(words.length, 'word')} the same: show`));
  return element;
}

/** What a skipped page is, beside its original, and how they differ. */
function diffElements(page) {
  const head = el('div', {class: 'sides-head'},
    el('div', {}, el('h3', {}, 'Original'), urlText(page.original)),
    el('div', {}, el('h3', {}, 'Skipped page'), urlText(page.url)));
  if (!page.delta) return [head, el('p', {class: 'note'}, page.why)];
  const runs = runsOf(page.text, page.delta);
  const count = (kind) =>
    runs.reduce((sum, run) => sum + (run.kind === kind ? run.words.length : 0), 0);
  const tally = `${plural(count('same'), 'word')} in both, ${number(count('removed'))} only in ` +
    `the original, ${number(count('added'))} only in the skipped page.`;
  if (count('removed') + count('added') === 0) {
    return [head, el('p', {class: 'tally'}, el('span', {class: 'unequal'},
      'The texts are the same, word for word. '), tally),
      hunksOf([...runs, {kind: 'same', words: []}]).map((piece) => (piece.hunk ?
        hunkElement(piece.hunk) : sameElement(piece.same)))];
  }
  return [head, el('p', {class: 'tally'}, tally),
    hunksOf(runs).map((piece) => (piece.hunk ? hunkElement(piece.hunk) : sameElement(piece.same)))];
}

function diffHeading(page) {
  const bits = page.kind === 'near' ?
    `${page.evidence ? shown(page.evidence) + '; ' : ''}${page.distance} of 64 bits differ` : 'same ' + page.kind.slice('exact-'.length);
  return [kindLabel(page.kind), ` ${bits}`];
}
