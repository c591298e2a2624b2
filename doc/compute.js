/* The page that computes. The book's program, built for a page, is given a
   sheet and answers in JSON; what is here puts its numbers into grids. A
   sheet's text is all that is remembered: grids, verdicts and exports come
   from it. The page stores nothing and sends nothing. */
'use strict';
(function () {
  var source = document.getElementById('program');
  if (!source) return;

  // --------------------------------------------------------- the program
  var said = { out: '', err: '' }, started = null;

  function start() {                    // a promise of the program
    if (!started)
      started = new Function(source.textContent + '\nreturn Ftx;')()({
        print: function (line) { said.out += line + '\n'; },
        printErr: function (line) { said.err += line + '\n'; }
      });
    return started;
  }

  function run(ftx, args, sheet) {      // its output, or an Error
    said = { out: '', err: '' };
    if (sheet !== undefined) ftx.FS.writeFile('sheet', sheet);
    try { said.status = ftx.callMain(args); }
    catch (exit) { said.status = exit.status === undefined ? 3 : exit.status; }
    if (said.status > 1)
      throw new Error(said.err.trim() || 'the program is wrong.');
    return said.out;
  }

  function ask(ftx, args, sheet) { return JSON.parse(run(ftx, args, sheet)); }

  // For whoever tests or scripts the page: a promise of what a command says.
  window.ftx = (args, sheet) => start().then(ftx => run(ftx, args, sheet));

  // ------------------------------------------------------------ elements
  function make(tag, attributes) {
    var e = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      var value = attributes[name];
      if (typeof value === 'function') e.addEventListener(name, value);
      else if (value === true) e.setAttribute(name, '');
      else if (value !== false && value !== undefined)
        e.setAttribute(name, value);
    });
    for (var k = 2; k < arguments.length; k++) e.append(arguments[k]);
    return e;
  }

  function button(text, title, act, id) {
    return make('button', { type: 'button', title: title, click: act,
                            'data-id': id || text }, text);
  }

  // Makes the old tree like the new one, and keeps its elements: who types
  // in a cell stays in it.
  function alike(old, now) {
    return old.nodeName === now.nodeName
      && (!now.dataset || old.dataset.id === now.dataset.id);
  }

  function become(old, now) {
    var k, next;
    if (now.nodeType === Node.TEXT_NODE) { old.data = now.data; return; }
    Array.from(old.attributes).forEach(function (a) {
      if (!now.hasAttribute(a.name)) old.removeAttribute(a.name);
    });
    Array.from(now.attributes).forEach(function (a) {
      if (old.getAttribute(a.name) !== a.value)
        old.setAttribute(a.name, a.value);
    });
    if (old.tagName === 'INPUT') old.value = now.value;
    next = Array.from(now.childNodes);
    while (old.childNodes.length > next.length) old.lastChild.remove();
    for (k = 0; k < next.length; k++)
      if (!old.childNodes[k]) old.append(next[k]);
      else if (alike(old.childNodes[k], next[k]))
        become(old.childNodes[k], next[k]);
      else old.childNodes[k].replaceWith(next[k]);
  }

  function choice(label, words, value, act) {
    var select = make('select', { change: () => act(select.value) },
      ...words.map(word => make('option', { value: word,
        selected: word === value }, word || '(found out)')));
    return make('label', { 'data-id': label + words }, label + ' ', select);
  }

  // For the other scripts of the page.
  window.ftx.page = { start: start, run: run, make: make, button: button,
                      become: become, rounded: rounded };

  // ----------------------------------------------------------- the sheet
  var WORDS = {                         // what a setting may be
    layout: ['', 'paper', 'textbook', 'torch', 'berkeley'],
    mask: ['none', 'causal'], scale: ['yes', 'no'],
    norm: ['layer', 'rms'], tied: ['yes', 'no'],
    positions: ['none', 'paper', 'vaswani']
  };

  // A claim may say which line it is about: two lines may have the same name.
  function full_name(item) {
    return (item.line ? item.line + ' ' : '') + item.name;
  }

  function written(items) {
    return items.map(function (item) {
      return (item.claim ? 'claim ' : '') + full_name(item) + ' = '
        + (item.word !== undefined ? item.word : item.entries
          .map(row => row.join(' ')).join(' ; '));
    }).join('\n') + '\n';
  }

  function is_number(item) {
    return item.word === undefined && item.entries.length === 1
      && item.entries[0].length === 1;
  }

  var MOST_ENTRIES = 10000,             // of a matrix: 100 x 100
      MOST_SHOWN = 20;                  // rows and columns of a large one

  // ----------------------------------------------------------- the bench
  // A sheet at work: what is given, what each line makes of it, and what the
  // checker says to what is claimed.
  function Bench(root, text, bare, pasted) {
    var bench = this, more;
    this.bare = bare;                   // without what is claimed at first
    this.pasted = pasted && make('p', { class: 'taken', role: 'status' });
    this.root = root;
    this.printed = text;
    this.refused = {};                  // what cells have that is no number
    this.whole = {};                    // the large matrices that are shown
    this.opened = {};                   // the boxes that were opened or closed
    this.given = make('div', { class: 'given' });
    this.steps = make('div', { class: 'steps', animationend: function (event) {
      event.target.classList.remove('changed');
    }, click: function (event) {
      var at = event.target.dataset.at;
      if (at) bench.explain.apply(bench, at.split('-').map(Number));
    } });
    this.said = make('p', { class: 'said', role: 'status',
                            'aria-live': 'polite' });
    this.area = make('textarea', { rows: pasted ? 10 : 14, spellcheck: 'false',
      'aria-label': 'the sheet as text',
      input: function () { bench.set(bench.area.value); } });
    this.aside = make('div', { class: 'aside' });
    more = make('details', { open: !!pasted }, make('summary', {},
      pasted ? 'paste or type here' : 'the sheet as text'), this.area);
    root.replaceChildren(...(pasted ? [more, this.pasted] : []), this.said,
      this.buttons(), this.aside, make('div', { class: 'halves' }, this.given,
                                       this.steps), ...(pasted ? [] : [more]));
    start().then(function (ftx) {
      bench.ftx = ftx;
      bench.set(text);
    });
  }

  // To take away: the sheet in an address, its lines, and what is said of them.
  Bench.prototype.buttons = function () {
    var formats = { picture: ['show', '--svg'], LaTeX: null,
                    Markdown: ['show', '--md'], report: ['check'] };
    return make('p', { class: 'buttons' }, 'take away: ',
      button('link', 'the address holds the sheet', () => {
        history.replaceState(null, '', '#sheet=' + encodeURIComponent(this.text));
        this.aside.replaceChildren(make('p', {}, location.href));
      }), ...Object.keys(formats).map(name => button(name, 'to save or to copy',
        () => this.take(name, formats[name]))));
  };

  Bench.prototype.take = function (name, words) {
    var text, place, picture = name === 'picture';
    try {
      text = words ? run(this.ftx, words.concat('sheet'), this.text) : this.latex();
    } catch (error) { this.tell(error); return; }
    place = URL.createObjectURL(new Blob([text], {
      type: picture ? 'image/svg+xml' : 'text/plain' }));
    this.aside.replaceChildren(make('p', {}, make('a', { href: place, download:
      'sheet.' + { picture: 'svg', LaTeX: 'tex', Markdown: 'md', report: 'txt' }[name] }, 'save')),
      picture ? make('img', { alt: 'the steps as heat maps', src: place })
        : make('pre', { class: 'screen', tabindex: 0 }, text));
  };

  // The lines for a document with amsmath; what is wrong is red and computed.
  Bench.prototype.latex = function () {
    return '\\begin{align*}\n' + this.shown.steps.map((step, n) => {
      var rows = step.values.map(row => row.map(x => rounded(x,
        this.shown.decimals).replace('−', '-').replace('inf', '\\infty')));
      this.claims_of(n).forEach(claim => claim.judged.entries.forEach(e => {
        if (e.verdict === 'wrong')
          rows[e.row - 1][e.col - 1] = '\\textcolor{red}{' + e.typed + '} \\to '
            + rows[e.row - 1][e.col - 1];
      }));
      return step.inner ? '' : step.name.replace(/^(\w+)_(tilde|hat)$/, '\\$2 $1')
        .replace(/_(\w+)/, '_{\\text{$1}}')
        + (step.index ? '^{' + step.index + '}' : '') + ' &= \\begin{pmatrix} '
        + rows.map(row => row.join(' & ')).join(' \\\\ ') + ' \\end{pmatrix}'
        + ' && \\text{(' + step.algorithm + '.' + step.line + ')}';
    }).filter(Boolean).join(' \\\\\n') + '\n\\end{align*}\n';
  };

  // A slip at work: the first number that it changes, and what is claimed.
  Bench.prototype.compare = function (explained) {
    var body = make('tbody'), line = '';
    function row() {
      body.append(make('tr', {}, ...Array.from(arguments, x => make('td', {}, x))));
    }
    run(this.ftx, ['slips', 'sheet'], this.text).split('\n').forEach(text => {
      var at = /^  (\S+) +\[(\d+,\d+)\] +(\S+) +(\S+)/.exec(text);
      if (!at) line = text.split(' ')[0];
      else if (explained.slips.includes(at[1]))
        row(line + '(' + at[2] + ')', at[3], at[4]);
    });
    this.judged.claims.forEach(claim => claim.entries.forEach(e => {
      if (/wrong|follows/.test(e.verdict))
        row(claim.claim + '(' + e.row + ',' + e.col + ')',
            rounded(e.here, this.shown.decimals), e.typed);
    }));
    this.aside.replaceChildren(make('table', { class: 'compared' },
      make('caption', {}, explained.sentence), make('thead', {}, make('tr', {},
        ...['', 'without', 'with it, as you have it'].map(x =>
          make('th', { scope: 'col' }, x)))), body));
  };

  // The items of a sheet's text. More entries than a page can show are refused.
  Bench.prototype.read = function (text) {
    var items = null, entries = 0;          // of the largest
    if (text.length < 20 * MOST_ENTRIES)
      items = ask(this.ftx, ['show', '--read', 'sheet'], text).items;
    (items || []).forEach(function (item) {
      entries = Math.max(entries,
        item.entries.length * (item.entries[0] || []).length);
    });
    if (!items || entries > MOST_ENTRIES)
      throw new Error('the page shows a matrix of at most ' + MOST_ENTRIES
        + ' entries; for more, run ftx check on your machine.');
    return items;
  };

  // A new text. Its items are read even where they do not fit together yet.
  Bench.prototype.set = function (text) {
    this.text = text;
    this.refused = {};
    if (this.area.value !== text) this.area.value = text;
    try { this.items = this.read(text); } catch (error) {
      this.tell(error, null, 'line $1, column $2: ');
      this.area.closest('details').open = true;
      this.mark_stale(true, true);
      return;
    }
    if (this.bare && text === this.printed)
      this.items = this.items.filter(i => !i.claim);
    if (this.pasted) this.claim_results();
    this.compute();
  };

  // A sheet that claims nothing claims what its other matrices lead to: of
  // Q, K, V and A, the A is what somebody computed.
  var TOKENS = { paper: 'column', berkeley: 'column', textbook: 'row', torch: 'row' };

  Bench.prototype.claim_results = function () {
    var items = this.items, claimed = [], k, judged = null;
    this.pasted.textContent = '';
    if (items.some(i => i.claim)) return;
    for (k = items.length - 1; k > 0; k--) {
      if (items[k].word !== undefined) continue;
      items[k].claim = true;
      try {
        judged = ask(this.ftx, ['check', '--json', 'sheet'], written(items));
        claimed.unshift(items[k].name);
      } catch (error) { items[k].claim = false; }
    }
    if (judged)
      this.pasted.textContent = 'Read as Algorithm ' + judged.algorithm + ', a '
        + TOKENS[judged.layout] + ' for each token. Judged as what you computed: '
        + claimed.join(', ') + '.';
  };

  // While the sheet is invalid, the steps are those of the last valid one;
  // where its text cannot be read, what is given is, too.
  Bench.prototype.mark_stale = function (steps, given) {
    [[this.steps, 'Line by line', steps], [this.given, 'Given', given]]
      .forEach(function (half) {
        var stale = !!half[2] && half[0].childNodes.length > 1;
        half[0].classList.toggle('stale', stale);
        if (half[0].firstChild)
          half[0].firstChild.textContent = half[1]
            + (stale ? ', of the last valid sheet' : '');
      });
    this.given.inert = this.steps.inert = !!given;
  };

  Bench.prototype.compute = function () {
    var text = this.text = written(this.items), claims, judged = null,
        invalid = Object.values(this.refused)[0];
    this.before = this.shown;
    if (document.activeElement !== this.area) this.area.value = text;
    this.wrong = null;
    claims = this.items.some(function (i) {     // with an entry that counts
      return i.claim && /[^?, ]/.test(i.entries.join());
    });
    try {
      if (invalid) throw invalid.error;
      this.shown = ask(this.ftx, ['show', '--json', 'sheet'], text);
      if (claims) {
        judged = ask(this.ftx, ['check', '--json', 'sheet'], text);
        this.report = run(this.ftx, ['check', 'sheet'], text);
      }
      this.tell(null, judged);
    } catch (error) {
      invalid = error;
      this.tell(error);
    }
    this.judged = judged;
    this.draw();
    this.root.dispatchEvent(new CustomEvent('computed', { bubbles: true,
                                                          detail: this.shown }));
    this.mark_stale(invalid);
  };

  // What is wrong with the sheet, in the command's own sentence: the cell is
  // marked, or the place is told. A text has places, a sheet of items cells.
  Bench.prototype.tell = function (error, judged, place) {
    var at = error && /^sheet:(\d+):(\d+): /.exec(error.message),
        slip = judged && first_wrong(judged).explanations[0];
    this.aside.replaceChildren();
    this.said.className = error ? 'said fault' : 'said';
    if (error) {
      this.wrong = at && !place && { item: at[1] - 1, column: +at[2] };
      this.said.textContent = error.message
        .replace(/^sheet:(\d+):(\d+): /, place || '').replace(/^sheet: /, '');
    } else {
      this.said.textContent = !judged ? this.shown.entered || ''
        : judged.status === 'right' ? 'All that is claimed is right.'
        : this.report.trim().split('\n').pop() + (slip ? ', as if '
            + slip.sentence : '') + (first_wrong(judged).terms || '')
              .replace(/^./, '. $&');
      if (slip)
        this.said.append(' ', button('show with and without', slip.sentence,
                                     () => this.compare(slip)));
    }
  };

  function first_wrong(judged) {        // claim, or none
    return judged.claims.find(c => c.entries.some(e => e.verdict === 'wrong'))
      || { explanations: [] };
  }

  function width_of(item, j) {          // of a column, in characters
    return item.entries.reduce((most, row) => Math.max(most, row[j].length), 3);
  }

  // Which cell of an item a column of its line is in.
  function cell_at(item, column) {
    var at = (item.claim ? 6 : 0) + full_name(item).length + 3,
        found = [0, 0];
    item.entries.forEach(function (row, i) {
      row.forEach(function (entry, j) {
        if (at < column) found = [i, j];
        at += entry.length + 1;
      });
      at += 2;
    });
    return found;
  }

  Bench.prototype.draw = function () {
    var given = make('div', { class: 'given' }), inner = [],
        steps = make('div', { class: 'steps' }),
        heading = this.root.closest('section.level2') ? 'h3' : 'h2';
    given.append(make(heading, {}, 'Given'), this.switches());
    this.items.forEach((item, n) => {
      if (!item.claim && item.word === undefined && !is_number(item))
        given.append(this.grid(n));
    });
    steps.append(make(heading, {}, 'Line by line'));
    (this.shown ? this.shown.steps : []).forEach((step, n) => {
      if (step.inner) { inner.push(n); return; }
      steps.append(this.step(step, n), this.box(step.label, inner));
      inner = [];
    });
    become(this.given, given);
    become(this.steps, steps);
  };

  // Lines of other algorithms that a line uses: a box, open if one is claimed.
  Bench.prototype.box = function (label, inner) {
    var open = this.opened[label];
    if (!inner.length) return '';
    if (open === undefined) open = inner.some(n => this.claims_of(n).length);
    return make('details', { open: open, 'data-id': label, toggle: event => {
      var was = this.opened[label];
      this.opened[label] = event.target.open;
      if (event.target.open && !was) this.draw();
    } }, make('summary', {}, inner.length + ' lines inside'),
      ...(open ? inner.map(n => this.step(this.shown.steps[n], n)) : []));
  };

  Bench.prototype.item = function (name) {
    return this.items.find(i => !i.claim && i.name === name);
  };

  Bench.prototype.put = function (name, word) {
    var item = this.item(name);
    if (item && word === '') this.items.splice(this.items.indexOf(item), 1);
    else if (item) { item.word = word; item.entries = []; }
    else if (word !== '') this.items.splice(1, 0, { name: name, word: word });
    this.compute();
  };

  Bench.prototype.switches = function () {
    var row = make('p', { class: 'buttons' }), algorithm = this.item('algorithm');
    this.items.forEach((item, n) => {
      var words = WORDS[item.name];
      if (item.claim || item.name === 'layout') return;
      if (words && item.word !== undefined)
        row.append(choice(item.name, words, item.word,
                          word => this.put(item.name, word)));
      else if (is_number(item) && item !== algorithm)
        row.append(make('label', { 'data-id': item.name + n }, item.name + ' ',
                        this.input(n, 0, 0)));
    });
    row.prepend(choice('layout', WORDS.layout, (this.item('layout')
      || { word: '' }).word, word => this.put('layout', word)));
    row.append(button(this.quiet ? 'show the numbers' : 'hide the numbers',
      'what the program computes, line by line', () => {
        this.quiet = !this.quiet;
        this.draw();
      }));
    return row;
  };

  Bench.prototype.input = function (n, i, j, verdict) {
    var bench = this, item = this.items[n], id = n + '-' + i + '-' + j,
        refused = this.refused[id],
        wrong = this.wrong && this.wrong.item === n,
        at = wrong && cell_at(item, this.wrong.column);
    return make('input', {
      value: refused ? refused.typed : item.entries[i][j],
      size: width_of(item, j),
      'data-id': id, 'data-verdict': verdict, title: verdict,
      'aria-label': item.name + ', row ' + (i + 1) + ', column ' + (j + 1)
        + (verdict ? ', ' + verdict : ''),
      'aria-invalid': refused || (wrong && at[0] === i && at[1] === j)
        ? 'true' : undefined,
      autocomplete: 'off', inputmode: 'text',
      change: function (event) { bench.type(id, event.target.value.trim()); },
      keydown: function (event) { bench.move(event, n, i, j); }
    });
  };

  // What was typed into a cell: one number, as the program reads it. Anything
  // else stays in the cell and does not come onto the sheet.
  Bench.prototype.type = function (id, typed) {
    var at = id.split('-'), items;
    delete this.refused[id];
    try {
      items = this.read('algorithm 4\nX =\n' + (typed || '?') + '\n');
      if (items.length !== 2 || items[1].entries.length !== 1
          || items[1].entries[0].length !== 1)
        throw new Error('a cell takes one number; a matrix or a whole sheet is '
          + 'pasted into the text.');
      this.items[at[0]].entries[at[1]][at[2]] = items[1].entries[0][0];
    } catch (error) {
      error.message = error.message.replace(/^sheet(:\d+:\d+)?: /, '');
      this.refused[id] = { typed: typed, error: error };
    }
    this.compute();
  };

  Bench.prototype.move = function (event, n, i, j) {
    var by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0] }[event.key],
        next = by && this.root.querySelector('[data-id="' + n + '-'
                                       + (i + by[0]) + '-' + (j + by[1]) + '"]');
    if (next) { event.preventDefault(); next.focus(); next.select(); }
  };

  // A matrix as a table, whose rows and columns have their numbers. Of a large
  // one the first are shown, until all are asked for.
  Bench.prototype.table = function (name, caption, kind, entries, cell) {
    var m = entries.length, n = (entries[0] || []).length,
        most = m * n > MOST_SHOWN * MOST_SHOWN && !this.whole[name]
          ? MOST_SHOWN : Infinity;
    function each(length, part) {
      return Array.from({ length: Math.min(length, most) }, (_, k) => part(k));
    }
    return [make('table', { class: kind + ' matrix' },
      make('caption', {}, caption),
      make('thead', {}, make('tr', {}, make('td'), ...each(n, j =>
        make('th', { scope: 'col' }, String(j + 1))))),
      make('tbody', {}, ...each(m, i => make('tr', {},
        make('th', { scope: 'row' }, String(i + 1)), ...each(n, j => cell(i, j)))))),
      m <= most && n <= most ? '' : button('show all ' + m + ' × ' + n,
        'the first rows and columns are shown', () => {
          this.whole[name] = true;
          this.draw();
        })];
  };

  Bench.prototype.grid = function (n, verdicts) {
    var bench = this, item = this.items[n], grid = make('div', { class: 'grid' });
    grid.append.apply(grid, this.table(full_name(item),
      item.claim ? item.name + ', yours' : item.name, 'typed', item.entries,
      function (i, j) {
        return make('td', {}, bench.input(n, i, j, verdicts && verdicts[i]
                                                   && verdicts[i][j]));
      }));
    return grid;
  };

  function rounded(x, decimals) {
    if (typeof x !== 'number') return String(x).replace('-', '−');
    var text = x.toFixed(Math.min(decimals, 15));
    if (decimals && Number.isInteger(x)) text = String(x);
    return text.replace(/^-(0(\.0*)?)$/, '$1').replace('-', '−');
  }

  // A line: its name, its formula, its values; what is claimed beside them.
  Bench.prototype.step = function (step, n) {
    var bench = this, was = this.before && this.before.steps[n],
        line = step.algorithm + '.' + step.line, name = claim_name(step),
        claimed = this.claimed(n), tables = make('div', { class: 'pair' }),
        shown = make('div', {});
    if (!this.quiet) {
      shown.append.apply(shown, this.table(name, step.name, 'values',
        step.values, function (i, j) {
          var x = step.values[i][j], text = rounded(x, bench.shown.decimals),
              before = was && was.values[i] ? was.values[i][j] : undefined;
          return make('td', { class: before === undefined || before === x
                                     ? undefined : 'changed' },
            make('button', { type: 'button', 'data-at': [n, i, j].join('-'),
              title: 'how this number comes about',
              'aria-label': step.name + '(' + (i + 1) + ',' + (j + 1) + ') = '
                + text }, text));
        }));
      tables.append(shown);
    }
    tables.append(claimed);
    return make('div', { class: step.given ? 'step given' : 'step' },
      make('p', {}, make('a', { class: 'n', href: '#' + line,
                                title: 'its C' }, line), ' ',
           make('a', { href: '#algorithm-' + line, title: 'its pseudocode' },
                step.text), ' ', this.claim_button(step, claimed, n)),
      tables);
  };

  // A number term by term: what the checker says to one that is far off.
  Bench.prototype.explain = function (n, i, j) {
    var step = this.shown.steps[n], terms, claim = { claim: true,
      name: claim_name(step), entries: step.values.map((row, k) => row.map(
        (x, l) => k === i && l === j ? String(x + 12345.5) : '?')) };
    try {
      terms = ask(this.ftx, ['check', '--json', 'sheet'],
        written(this.items.filter(item => !item.claim)
                .concat(claim))).claims[0].terms;
      this.said.className = 'said';
      this.said.textContent = step.name + ': '
        + (terms || 'of this line no terms are known.');
    } catch (error) { this.tell(error); }
  };

  // The claims about a line: where each is now, and how it is judged.
  Bench.prototype.claims_of = function (n) {
    return this.shown.items.filter(item => item.claim).map((item, nth) => ({
      step: item.step,
      judged: this.judged ? this.judged.claims[nth]
        : { entries: [], explanations: [], remarks: [] },
      at: this.items.findIndex(now => now.claim
                                      && full_name(now) === full_name(item))
    })).filter(claim => claim.step === n && claim.at >= 0);
  };

  // What is claimed about a line, and the verdict on each entry.
  Bench.prototype.claimed = function (n) {
    var box = make('div', { class: 'claimed' });
    this.claims_of(n).forEach(claim => {
      var verdicts = [];
      claim.judged.entries.forEach(e => {
        (verdicts[e.row - 1] = verdicts[e.row - 1] || [])[e.col - 1] = e.verdict;
      });
      box.append(this.grid(claim.at, verdicts),
        ...claim.judged.explanations.map(e => 'as if ' + e.sentence)
          .concat(claim.judged.remarks.map(r => r.sentence || r))
          .map(text => make('p', { class: 'why' }, text)));
    });
    return box;
  };

  Bench.prototype.claim_button = function (step, claimed, n) {
    if (claimed.firstChild || step.given) return '';
    return button('mine', 'type what you computed for this line', () => {
      this.items.push({ claim: true, name: claim_name(step),
        entries: step.values.map(row => row.map(() => '?')) });
      this.compute();
    }, 'mine' + n + claim_name(step));
  };

  function claim_name(step) {
    var part = step.part ? step.part + step.layer + '.' : '',
        turn = step.turn ? 'i' + step.turn + '.' : '',
        of = step.of ? step.of + '.' : '';
    return step.algorithm + '.' + step.line + ' ' + turn + of + part + step.name
      + (step.index ? '^' + step.index : '');
  }

  // -------------------------------------------------- the worked examples
  document.querySelectorAll('.worked').forEach(function (worked) {
    var head = worked.querySelector('.head'), screen = worked.querySelector('pre'),
        bench = null, place = make('div', { class: 'bench', hidden: true, tabindex: -1,
          'aria-label': 'the example, to be changed' });
    head.append(' ', button('change its numbers', 'every line is recomputed',
      function (event) {
        place.hidden = !place.hidden;
        if (/^algorithm/m.test(screen && screen.textContent))
          screen.hidden = !place.hidden;
        event.target.textContent = place.hidden ? 'change its numbers'
                                                : 'back to the page';
        if (!bench) bench = new Bench(place, worked.dataset.sheet, true);
        if (!place.hidden) place.focus();
      }));
    head.after(place);
  });

  // ------------------------------------------------------------ your own
  var START = 'algorithm 4\nlayout textbook\nmask none\nX = 1 0 2 ; 0 1 1\n'
    + 'W_q = 1 0 ; 0 1 ; 1 0\nW_k = 0 1 ; 0 1 ; 1 0\nW_v = 2 0 ; 0 4 ; 1 0\n'
    + 'claim S = ? ? ; ? ?\nclaim A = ? ? ; ? ?\nclaim V_tilde = ? ? ; ? ?\n';

  var own = document.getElementById('own'),
      place = make('div', { class: 'bench' }), bench = null;

  function open_own(text, quiet) {
    own.hidden = false;
    if (!bench) bench = new Bench(place, text, false, true);
    bench.quiet = quiet;
    bench.printed = text;
    if (bench.ftx) bench.set(text);
    own.scrollIntoView();
    own.focus({ preventScroll: true });
  }

  // ------------------------------------------------------------ on paper
  // A sheet as a page: its remarks as text, what is given as matrices, and
  // boxes for what is claimed; what is ? is left empty.
  function on_paper(text) {
    var page = make('section', { class: 'paper' }), row = null;
    text.split('\n').forEach(function (line) {
      var remark = /^# ?( *)(.*)$/.exec(line),
          item = /^(claim )?(.*?) = (.*)$/.exec(line);
      if (remark && remark[1] && page.lastChild)
        page.lastChild.append(' ' + remark[2]);
      else if (remark)
        page.append(make(page.firstChild ? 'p' : 'h2', {}, remark[2]));
      else if (line) {
        if (!row) page.append(row = item && item[1]
          ? make('div', { class: 'asked' }, page.lastChild || '')
          : make('div', { class: 'matrices' }));
        row.append(item ? matrix_on_paper(item[2], item[3], item[1])
                        : make('span', {}, line));
      }
      if (remark || !line) row = null;
    });
    return page;
  }

  function matrix_on_paper(name, entries, boxes) {
    return make('span', {}, name + ' = ', make('table', { class: boxes ? 'boxes'
      : 'values' }, make('tbody', {}, ...entries.split(' ; ').map(row =>
        make('tr', {}, ...row.split(' ').map(x =>
          make('td', {}, x === '?' ? '' : x.replace('-', '−'))))))));
  }

  function print_exercise(exercise, key) {
    var pages = [on_paper(exercise), on_paper(key)];
    document.body.append.apply(document.body, pages);
    document.body.classList.add('only-paper');
    addEventListener('afterprint', function () {
      document.body.classList.remove('only-paper');
      pages.forEach(function (page) { page.remove(); });
    }, { once: true });
    print();
  }

  function exercise_form() {
    var n = make('input', { type: 'number', min: 1, max: 15, value: 4 }),
        seed = make('input', { type: 'number', min: 1, value: 7 }),
        layout = make('select', {}, ...WORDS.layout.slice(1).map(word =>
          make('option', { selected: word === 'textbook' }, word)));
    function drawn(ftx, key) {
      return run(ftx, ['exercise', '--algorithm', n.value, '--seed',
                       seed.value, '--layout', layout.value].concat(key));
    }
    function on_click(act) {
      return function () {
        start().then(function (ftx) {
          try { act(ftx); } catch (error) {
            if (!bench) open_own(START);
            bench.tell(error);
          }
        });
      };
    }
    return make('p', { class: 'buttons' }, make('label', {}, 'algorithm ', n),
      make('label', {}, 'seed ', seed), make('label', {}, 'layout ', layout),
      button('an exercise', 'fill in each ?', on_click(function (ftx) {
        open_own(drawn(ftx, []), true);
      })),
      button('its key', 'the same with its answers', on_click(function (ftx) {
        open_own(drawn(ftx, ['--key']), false);
      })),
      button('print both', 'a page to fill in, and its key on the next',
        on_click(function (ftx) {
          print_exercise(drawn(ftx, []), drawn(ftx, ['--key']));
        })));
  }

  own.append(make('h1', { id: 'own-title' }, 'Check my numbers'),
    make('p', {}, 'Paste or type what you computed by hand: from a blog, NumPy, '
      + 'PyTorch, LaTeX or a spreadsheet. It is judged as you type. The page '
      + 'stores nothing and sends nothing.'),
    place, exercise_form());
  document.querySelector('#contents h2').before(make('p', {},
    make('a', { href: '#own', id: 'to-own' }, 'Check my numbers')));

  function from_address() {
    var text = /^#sheet=(.*)$/.exec(location.hash);
    if (location.hash === '#own') {
      open_own(bench ? bench.text : START);
      bench.area.focus({ preventScroll: true });
    }
    if (text) open_own(text[1].replace(/%[0-7][0-9a-f]|(%[89a-f][0-9a-f])+/gi,
      function (bytes) {
        try { return decodeURIComponent(bytes); }
        catch (error) { return bytes; } // as they are: the program says more
      }));
  }
  addEventListener('hashchange', from_address);
  from_address();
}());
