'use strict';

// Tables whose columns can be sorted by a click on their names.

const collator = new Intl.Collator(undefined, { numeric: true });

function cellValue(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value ?? cell.textContent;
}

function compareValues(a, b) {
  const [x, y] = [Number(a), Number(b)];
  const numbers = a !== '' && b !== '' && !isNaN(x) && !isNaN(y);
  return numbers ? x - y : collator.compare(a, b);
}

// Sorts again as the marks in the head say, after new rows have come.
function sortTable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const column = heads.findIndex((head) => head.hasAttribute('aria-sort'));
  if (column < 0) return;
  const up = heads[column].getAttribute('aria-sort') === 'ascending';
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => {
    const order = compareValues(cellValue(a, column), cellValue(b, column));
    return up ? order : -order;
  });
  body.append(...rows);
}

function makeSortable(table) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of table.tHead.rows[0].cells) {
        other.removeAttribute('aria-sort');
      }
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      sortTable(table);
    });
  }
}

document.querySelectorAll('table.sortable').forEach(makeSortable);
