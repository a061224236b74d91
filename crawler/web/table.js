// A table that sorts by its headings.

/**
 * columns: [{name, number, value(row), cell(row), wide}], `value` making a column sortable.
 * Gives {element, show(rows)}; `changed` is called when another order was chosen.
 */
function sortableTable(caption, columns, changed) {
  let order = null;  // {column, descending}
  const headings = columns.map((column, i) => {
    const content = !column.value ? column.name : el('button', {type: 'button', onclick: () => {
      const again = order && order.column === i;
      order = {column: i, descending: again ? !order.descending : Boolean(column.number)};
      headings.forEach((heading, j) => {
        if (!columns[j].value) return;
        heading.setAttribute('aria-sort',
          j !== i ? 'none' : order.descending ? 'descending' : 'ascending');
      });
      changed();
    }}, column.name);
    const classes = [column.number && 'number', column.wide && 'wide', column.heads && 'main'].filter(Boolean).join(' ');
    return el('th', {scope: 'col', class: classes || null, 'aria-sort': column.value ? 'none' : null},
      content);
  });
  const body = el('tbody');
  const element = el('table', {}, el('caption', {class: 'hidden'}, caption),
    el('thead', {}, el('tr', {}, headings)), body);
  return {
    element,
    sorted(rows) {
      if (!order) return rows;
      const {value} = columns[order.column];
      const sign = order.descending ? -1 : 1;
      return [...rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return sign * (typeof x === 'number' ? x - y : x < y ? -1 : x > y ? 1 : 0);
      });
    },
    show(rows) {
      body.replaceChildren(...rows.map((row) => el('tr', {}, columns.map((column) => {
        const classes =
          [column.number && 'number', column.wide && 'wide', column.heads && 'main'].filter(Boolean).join(' ') || null;
        return column.heads ? el('th', {scope: 'row', class: classes}, column.cell(row))
          : el('td', {class: classes}, column.cell(row));
      }))));
    },
  };
}

/** A sortable table of few rows, shown at once. */
function plainTable(caption, columns, rows) {
  const table = sortableTable(caption, columns, () => table.show(table.sorted(rows)));
  table.show(rows);
  return scroller(caption, table.element);
}
