// Tables sort by a click on a heading, again for the other way round and once more for the order
// they came in; long ones have a field that leaves the rows with a text in them.
'use strict';
(() => {
  const kFilterFrom = 12;  // rows
  const kUnits = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
  const kNumber = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(x| ?%| ?[A-Za-z]+)?(?![\w.])/;

  // A number, or null for a text; cells that say that there is none come last either way.
  const numberIn = (text) => {
    if (text === 'exact') {
      return Infinity;
    }
    const found = kNumber.exec(text);
    return found ? Number(found[1]) * (kUnits[(found[2] || '').trim()] || 1) : null;
  };
  const isNone = (text) => text === '-' || text === '';

  const sortBy = (table, column, order) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const textOf = (row) => row.cells[column].textContent.trim();
    const texts = rows.map(textOf).filter((text) => !isNone(text));
    const numeric = texts.length > 0 && texts.every((text) => numberIn(text) !== null);
    const compare = (a, b) => {
      const [x, y] = [textOf(a), textOf(b)];
      if (isNone(x) || isNone(y)) {
        return isNone(x) - isNone(y);
      }
      const difference = numeric ? numberIn(x) - numberIn(y) || 0 : x.localeCompare(y);
      return order * difference;
    };
    rows.sort(order === 0 ? (a, b) => a.dataset.place - b.dataset.place : compare);
    body.append(...rows);
  };

  const makeSortable = (table) => {
    [...table.tBodies[0].rows].forEach((row, i) => { row.dataset.place = i; });
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener('click', () => {
        const now = heading.getAttribute('aria-sort');
        const next = now === 'descending' ? 'ascending' : now === 'ascending' ? null : 'descending';
        headings.forEach((other) => other.removeAttribute('aria-sort'));
        if (next) {
          heading.setAttribute('aria-sort', next);
        }
        sortBy(table, column, next === null ? 0 : next === 'ascending' ? 1 : -1);
      });
    });
  };

  const makeFilter = (table) => {
    const rows = [...table.tBodies[0].rows];
    const line = document.createElement('p');
    const field = document.createElement('input');
    const count = document.createElement('span');
    field.type = 'search';
    field.placeholder = 'filter rows';
    field.setAttribute('aria-label', 'Show the rows with this text: ' + table.caption.textContent);
    count.className = 'soft';
    count.setAttribute('role', 'status');
    field.addEventListener('input', () => {
      const wanted = field.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = wanted !== '' && !row.textContent.toLowerCase().includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = wanted === '' ? '' : ' ' + shown + ' of ' + rows.length;
    });
    line.className = 'filter';
    line.append(field, count);
    table.closest('.table').before(line);
  };

  for (const table of document.querySelectorAll('.table table')) {
    if (table.tBodies[0] && table.tBodies[0].rows.length > 1) {
      makeSortable(table);
      if (table.tBodies[0].rows.length >= kFilterFrom) {
        makeFilter(table);
      }
    }
  }
})();
