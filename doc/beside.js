/* The third column: beside each line of an algorithm and its C, the numbers
   of the section's worked example, as they are now. */
'use strict';
(function () {
  var page = window.ftx && window.ftx.page, make = page && page.make;
  if (!page) return;

  function table_of(step) {
    var body = make('tbody');
    step.values.forEach(function (row) {
      var tr = make('tr');
      row.forEach(function (x) { tr.append(make('td', {}, page.rounded(x, 2))); });
      body.append(tr);
    });
    return make('table', { class: 'matrix' }, make('caption', {}, step.name), body);
  }

  // Of a line in a loop the first turn is shown.
  function fill(rows, steps) {
    rows.forEach(function (row) {
      var line = row.querySelector('.n [id]').id, seen = {},
          place = make('div', { class: 'numbers' });
      row.querySelectorAll('.numbers').forEach(function (old) { old.remove(); });
      steps.forEach(function (step) {
        if (step.algorithm + '.' + step.line !== line || seen[step.name]) return;
        seen[step.name] = true;
        place.append(table_of(step));
      });
      if (place.firstChild) row.append(place);
    });
  }

  document.querySelectorAll('.algorithm').forEach(function (box) {
    var section = box.closest('.level2'),
        worked = section.querySelector('.worked'),
        rows = Array.from(section.querySelectorAll('.row:has(.n [id])'));
    if (!worked || !rows.length) return;
    section.addEventListener('computed', function (event) {
      if (rows[0].tabIndex === 0) fill(rows, event.detail.steps);
    });
    rows.forEach(function (row, k) {
      row.addEventListener('keydown', function (event) {
        var next = rows[k + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] || NaN)];
        if (next) { event.preventDefault(); next.focus(); }
      });
    });
    box.after(make('p', { class: 'buttons' }, page.button('numbers beside the lines',
      'of the worked example; the arrow keys go from line to line', function () {
        page.start().then(function (ftx) {
          var on = rows[0].tabIndex !== 0;
          rows.forEach(function (row) { row.tabIndex = on ? 0 : -1; });
          fill(rows, !on ? [] : JSON.parse(page.run(ftx,
            ['show', '--json', 'sheet'], worked.dataset.sheet)).steps);
          if (on) rows[0].focus();
        });
      })));
  });
}());
