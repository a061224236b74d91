'use strict';
// Everything is drawn by these: text becomes text nodes, never markup.

/** An element; properties that begin with "on" are listeners, others attributes. */
function el(name, properties, ...children) {
  return filled(document.createElement(name), properties, children);
}

/** The same in an SVG. */
function svg(name, properties, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), properties, children);
}

function filled(element, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** The data that the program wrote into the page. */
function pageData() {
  return JSON.parse(document.getElementById('data').textContent);
}

const wholeNumbers = new Intl.NumberFormat('en');
const number = (value) => wholeNumbers.format(value);
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many || one + 's'}`;

function percent(part, whole) {
  if (!whole) return '0 %';
  const share = 100 * part / whole;
  return `${share > 0 && share < 0.1 ? '< 0.1' : share.toFixed(share < 10 ? 1 : 0)} %`;
}

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1000 && unit + 1 < units.length) value /= 1000, ++unit;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`;
}

function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds since 1970 as UTC, which every reader reads alike. */
function time(milliseconds) {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

/** Controls and marks that reorder a line are shown, not obeyed. */
function shown(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u{${c.charCodeAt(0).toString(16).padStart(4, '0')}}`);
}

/** A URL as a link where following it can do nothing but load a page, else as text. */
function urlText(url, properties) {
  const text = shown(url);
  if (!/^https?:\/\//i.test(url)) return el('span', {class: 'url', ...properties}, text);
  return el('a', {class: 'url', href: url, rel: 'noreferrer noopener', ...properties}, text);
}

/** How kinds and dispositions are coloured. */
function tone(name) {
  if (name === 'near' || name === 'stored' || name === 'failed') return name;
  return name.startsWith('exact') ? 'exact' : 'other';
}
const kindLabel = (kind) => el('span', {class: `kind ${tone(kind)}`}, kind);

/** A section with its heading and what introduces it. */
function part(id, heading, about, ...children) {
  return el('section', {class: 'part', id, 'aria-labelledby': `${id}-heading`},
    el('header', {}, el('h2', {id: `${id}-heading`}, heading), about && el('p', {}, about)),
    children);
}

/** A wide table scrolls inside its own box, also by the keyboard. */
function scroller(label, table) {
  return el('div', {class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0}, table);
}

function figures(list) {
  return el('dl', {class: 'figures'}, list.map(([term, value, small]) =>
    el('div', {}, el('dt', {}, term), el('dd', {}, value, small && el('small', {}, small)))));
}

/** Light and dark by hand, beside the system's choice. */
function themeButton() {
  const dark = () => (document.documentElement.dataset.theme ||
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const label = () => (dark() ? 'Light' : 'Dark');
  const button = el('button', {type: 'button', id: 'theme', onclick: () => {
    document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
    button.textContent = label();
  }}, label());
  return button;
}
