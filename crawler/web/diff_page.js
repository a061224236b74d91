// The dashboard's page of one skipped page and its original.
const page = pageData();
document.title = `${page.title ? shown(page.title) : shown(page.url)} · ContentSeen`;
document.getElementById('top').append(
  el('div', {class: 'line'},
    el('div', {}, el('p', {class: 'brand'}, 'ContentSeen · skipped page'),
      el('h1', {}, page.title ? shown(page.title) : 'Untitled page'),
      el('p', {}, diffHeading(page), ` · ${time(page.time)}`)),
    themeButton()));
document.getElementById('main').append(...diffElements(page).flat(Infinity));
