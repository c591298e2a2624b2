/* The third column: beside each line of an algorithm and its C, the numbers
   of the section's worked example, as they are now. In a narrow window the
   three columns are tabs. */
'use strict';
(function () {
  var page = window.ftx && window.ftx.page, make = page && page.make;
  if (!page) return;

  function table_of(step) {
    return make('table', { class: 'matrix' }, make('caption', {}, step.name),
      make('tbody', {}, ...step.values.map(row => make('tr', {},
        ...row.map(x => make('td', {}, page.rounded(x, 2)))))));
  }

  // Of a line in a loop the first turn is shown.
  function fill(row, steps) {
    var line = row.querySelector('.n [id]').id, names = [],
        place = make('div', { class: 'numbers' });
    row.querySelectorAll('.numbers').forEach(old => old.remove());
    steps.forEach(step => {
      if (step.algorithm + '.' + step.line !== line
          || names.includes(step.name)) return;
      names.push(step.name);
      place.append(table_of(step));
    });
    if (place.firstChild) row.append(place);
  }

  document.querySelectorAll('.algorithm').forEach(box => {
    var section = box.closest('.level2'), data = section.dataset,
        worked = section.querySelector('.worked'),
        rows = Array.from(section.querySelectorAll('.row:has(.n [id])')),
        tabs = { pseudocode: 'what the paper has', C: 'what carries it out',
                 numbers: 'of the worked example, beside the lines; the arrow '
                   + 'keys go from line to line' };
    if (!worked || !rows.length) return;

    function show(tab) {                // or all columns again
      data.tab = data.tab === tab ? '' : tab;
      page.start().then(ftx => {
        var on = data.tab === 'numbers', steps = !on ? [] : JSON.parse(page.run(
          ftx, ['show', '--json', 'sheet'], worked.dataset.sheet)).steps;
        rows.forEach(row => { row.tabIndex = on ? 0 : -1; fill(row, steps); });
        if (on) rows[0].focus();
      });
      buttons.forEach(b => b.setAttribute('aria-pressed',
                                          b.dataset.id === data.tab));
    }

    var buttons = Object.keys(tabs).map(tab =>
      page.button(tab, tabs[tab], () => show(tab)));
    box.after(make('p', { class: 'buttons tabs' }, ...buttons));
    section.addEventListener('computed', event => {
      if (data.tab === 'numbers')
        rows.forEach(row => fill(row, event.detail.steps));
    });
    rows.forEach((row, k) => row.addEventListener('keydown', event => {
      var next = rows[k + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] || NaN)];
      if (next) { event.preventDefault(); next.focus(); }
    }));
  });
}());
