/* The first screen: one attention head, alive. Numbers come from the program;
   what is here shows where each comes from: its line of the paper, its C, and
   its sum. The sheet is the only state. */
'use strict';
(function () {
  var section = document.getElementById('first'), page = window.ftx
        && window.ftx.page;
  if (!section || !page) return;
  var make = page.make;

  // What stands where, what makes it, and which cells of what it is made of.
  var CHAIN = [
    { name: 'X', place: 'x', typed: true, says: 'a column is a token' },
    { name: 'W_q', place: 'wq', typed: true },
    { name: 'W_k', place: 'wk', typed: true },
    { name: 'W_v', place: 'wv', typed: true },
    { name: 'Q', place: 'q', line: '4.1', product: ['W_q', 'X'] },
    { name: 'K', place: 'k', line: '4.2', product: ['W_k', 'X'] },
    { name: 'V', place: 'v', line: '4.3', product: ['W_v', 'X'] },
    { name: 'S', place: 's', line: '4.4', product: ['K', 'Q'], turned: true },
    { name: 'A', place: 'a', line: '4.6', says: 'each column sums to 1' },
    { name: 'V_tilde', shown: 'Ṽ', place: 'vt', line: '4.6', product: ['V', 'A'] }
  ];
  var SIGNS = { W_q: 'W<sub>q</sub>', W_k: 'W<sub>k</sub>', W_v: 'W<sub>v</sub>' };

  var items = {}, values = {}, cells = {}, chosen = ['S', 0, 2], ftx = null,
      waiting = false,
      chain = make('div', { class: 'chain' }),
      sum = make('div', { class: 'sum', role: 'status', 'aria-live': 'polite' });

  function read(text) {
    text.trim().split('\n').forEach(function (line) {
      var at = /^(\w+) =? ?(.*)$/.exec(line);
      items[at[1]] = at[2];
    });
  }

  function matrix(text) {
    return text.split(';').map(row => row.trim().split(/\s+/).map(Number));
  }

  function sheet() {
    return Object.keys(items).map(function (name) {
      return name + (/^[XW]/.test(name) ? ' = ' : ' ') + items[name];
    }).join('\n') + '\n';
  }

  function shown(x) { return page.rounded(x, 2); }

  // ------------------------------------------------------------ the chain
  function figure(m) {
    var entries = values[m.name], body = make('tbody'), caption;
    cells[m.name] = entries.map(function (row, i) {
      var tr = make('tr');
      body.append(tr);
      return row.map(function (x, j) {
        var cell = m.typed ? make('input', { value: String(x), size: 3,
          inputmode: 'decimal', autocomplete: 'off' })
          : make('button', { type: 'button' }, shown(x));
        cell.addEventListener('focus', function () { choose(m.name, i, j); });
        cell.addEventListener('pointerenter', () => { choose(m.name, i, j); });
        cell.setAttribute('aria-label', (m.shown || m.name) + ', row '
          + (i + 1) + ', column ' + (j + 1));
        if (m.typed) let_change(cell, m.name, i, j);
        tr.append(make('td', {}, cell));
        return cell;
      });
    });
    caption = make('caption', {});
    caption.innerHTML = '<i>' + (SIGNS[m.name] || m.shown || m.name) + '</i>';
    if (m.line)
      caption.append(' ', make('a', { class: 'n', href: '#' + m.line }, m.line));
    return make('div', { class: 'link at-' + m.place },
      make('table', {}, caption, body),
      m.says ? make('small', {}, m.says) : '');
  }

  // A number is typed, drawn sideways, or stepped by the arrow keys.
  function let_change(cell, name, i, j) {
    var from = null;
    function put(x) {
      var entries = matrix(items[name]);
      entries[i][j] = Math.round(x * 10) / 10;
      items[name] = entries.map(r => r.join(' ')).join(' ; ');
      later();
    }
    cell.addEventListener('input', function () {
      var x = Number(cell.value.replace('−', '-').replace(',', '.'));
      cell.toggleAttribute('aria-invalid', cell.value.trim() === '' || isNaN(x));
      if (!cell.hasAttribute('aria-invalid')) put(x);
    });
    cell.addEventListener('keydown', function (event) {
      var by = { ArrowUp: 0.5, ArrowDown: -0.5 }[event.key];
      if (by) { event.preventDefault(); put(values[name][i][j] + by); }
    });
    cell.addEventListener('pointerdown', function (event) {
      from = { x: event.clientX, value: values[name][i][j] };
      cell.setPointerCapture(event.pointerId);
    });
    cell.addEventListener('pointermove', function (event) {
      var by = from && event.clientX - from.x;
      if (from && Math.abs(by) > 4) put(from.value + Math.round(by / 6) / 10);
    });
    ['pointerup', 'pointercancel'].forEach(function (end) {
      cell.addEventListener(end, function () { from = null; });
    });
  }

  function later() {                    // at most once a frame
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; compute(); });
  }

  function compute() {
    var before = values, steps = JSON.parse(
      page.run(ftx, ['show', '--json', 'sheet'], sheet())).steps;
    values = {};
    CHAIN.forEach(function (m) {
      if (m.typed) values[m.name] = matrix(items[m.name]);
    });
    steps.forEach(function (step) { values[step.name] = step.values; });
    if (!chain.firstChild)
      CHAIN.forEach(function (m) { chain.append(figure(m)); });
    chain.querySelectorAll('.changed').forEach(function (cell) {
      cell.classList.remove('changed');
    });
    void chain.offsetWidth;             // so that what changes glows again
    CHAIN.forEach(function (m) { paint(m, before[m.name]); });
    explain();
  }

  // Colour is sign and size, on one scale for a matrix.
  function paint(m, before) {
    var most = Math.max.apply(null, values[m.name].map(row =>
      Math.max.apply(null, row.map(Math.abs)))) || 1;
    values[m.name].forEach(function (row, i) {
      row.forEach(function (x, j) {
        var cell = cells[m.name][i][j];
        cell.style.setProperty('--size', (Math.abs(x) / most * 60).toFixed(0) + '%');
        cell.classList.toggle('negative', x < 0);
        if (!m.typed) cell.textContent = shown(x);
        else if (document.activeElement !== cell
                 || Number(cell.value) !== x) cell.value = String(x);
        cell.classList.toggle('changed', !!before && before[i][j] !== x);
      });
    });
  }

  // ------------------------------------------------ where a number is from
  function choose(name, i, j) {
    chosen = [name, i, j];
    explain();
  }

  function mark(name, i, j) {
    cells[name].forEach(function (row, k) {
      row.forEach(function (cell, l) {
        if ((i === null || i === k) && (j === null || j === l))
          cell.classList.add('from');
      });
    });
  }

  function sum_of(m, i, j) {
    var a, b, terms, entry = (m.shown || m.name) + '(' + (i + 1) + ',' + (j + 1)
        + ') = ', x = values[m.name][i][j], S;
    if (m.product) {
      a = values[m.product[0]];
      b = values[m.product[1]];
      mark(m.product[0], m.turned ? null : i, m.turned ? i : null);
      mark(m.product[1], null, j);
      terms = (m.turned ? a.map(row => row[i]) : a[i])
        .map((y, k) => shown(y) + '·' + shown(b[k][j]));
      return entry + terms.join(' + ') + ' = ' + shown(x);
    }
    mark('S', null, j);
    S = values.S_scaled.map(row => 'e^' + shown(row[j]));
    return entry + S[i] + ' / (' + S.join(' + ') + ') = ' + shown(x)
      + ', where each exponent is S / √' + values.Q.length;
  }

  function clone(id, what) {            // of the book itself
    var place = document.getElementById(id), found;
    place = place && (what === 'code' ? place.closest('.row') : place);
    found = place && place.querySelectorAll(what);
    return found ? Array.from(found).map(e => e.cloneNode(true))
                 : [];
  }

  function explain() {
    var m = CHAIN.find(x => x.name === chosen[0]), line, code;
    chain.querySelectorAll('.from, .chosen').forEach(function (cell) {
      cell.classList.remove('from', 'chosen');
    });
    cells[m.name][chosen[1]][chosen[2]].classList.add('chosen');
    if (m.typed) {
      sum.replaceChildren(make('p', {}, 'Type another number for ' + m.name
        + ', draw it sideways, or use the arrow keys: everything behind it is '
        + 'computed again.'));
      return;
    }
    line = make('p', {}, make('a', { class: 'n', href: '#algorithm-' + m.line,
                                     title: 'the line of the paper' }, m.line), ' ');
    line.append.apply(line, clone('algorithm-' + m.line, 'math').slice(0, 1));
    code = clone(m.line, 'code').find(c =>
      new RegExp('\\b' + m.name + ' *=').test(c.textContent));
    sum.replaceChildren(line,
      make('p', {}, make('a', { href: '#' + m.line, title: 'its C' },
                         code || 'its C')),
      make('p', { class: 'terms' }, sum_of(m, chosen[1], chosen[2])));
  }

  read(section.dataset.sheet);
  page.start().then(function (program) {
    ftx = program;
    compute();
    section.querySelector('.picture').replaceChildren(chain, sum);
  });
}());
