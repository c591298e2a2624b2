/* See a model think: a trained model in the page writes the name of a number.
   The program runs one turn of Algorithm 15 and says all its steps in JSON;
   what is here shows them: the tokens, the newest of them up the layers and
   what would be predicted there, the attention of each head, and each line's
   values at a click. Heads and MLPs can be switched off; a run with all of
   them, or of a second number, then stands beside. */
'use strict';
(function () {
  var source = document.getElementById('numbers'), page = window.ftx
        && window.ftx.page;
  if (!source || !page) return;
  var make = page.make, button = page.button, MODEL = 'numbers.ftx';

  var number = make('input', { value: '4217', size: 8, inputmode: 'numeric',
        autocomplete: 'off', 'aria-label': 'a number from 1 to 9999' }),
      second = make('input', { size: 8, inputmode: 'numeric', autocomplete:
        'off', 'aria-label': 'another number, to compare', change: function () {
          if (seen) look(seen.turn);
        } }),
      said = make('p', { class: 'said', role: 'status', 'aria-live': 'polite' }),
      written = make('p', { class: 'written' }),
      layers = make('div'), heads = make('div'), lines = make('div'),
      seen = null,                      // what the program said of a turn,
      drawn = [],                       // and of the run beside it
      off = [],                         // the heads and MLPs that give 0
      open = {},                        // the lines whose values are shown
      chosen = {},                      // the head whose lines are, by part
      playing = null;

  // --------------------------------------------------------------- a turn
  function load(ftx) {                  // puts the model where it reads files
    if (ftx.FS.analyzePath(MODEL).exists) return;
    ftx.FS.writeFile(MODEL, Uint8Array.from(atob(
      source.textContent.replace(/\s/g, '')), c => c.charCodeAt(0)));
  }

  // What the program says of a turn, or of the last one if it has fewer.
  function ask(ftx, input, turn, changes) {
    var text = input.value.trim(), words = ['show', '--model', MODEL, '--json'];
    input.toggleAttribute('aria-invalid', !/^[1-9]\d{0,3}$/.test(text));
    if (input.hasAttribute('aria-invalid'))
      throw new Error('this model names whole numbers from 1 to 9999, '
                      + 'written in digits without a 0 in front.');
    changes.forEach(function (place) { words.push('--set', place + ' = 0'); });
    function of(k) {
      return JSON.parse(page.run(ftx, words.concat('--turn', k, '--', text)));
    }
    try { return of(String(turn)); } catch (error) { return of('0'); }
  }

  function look(turn) {                 // a promise: has it been shown?
    return page.start().then(function (ftx) {
      var beside = second.value.trim() !== '', runs;
      load(ftx);
      said.parentNode.classList.remove('stale');
      said.className = 'said';
      try {
        second.toggleAttribute('aria-invalid', false);
        runs = [ask(ftx, number, turn, off)];
        if (off.length || beside)
          runs.push(ask(ftx, beside ? second : number, runs[0].turn, []));
        seen = runs[0];
      } catch (error) {
        said.parentNode.classList.add('stale');
        said.className = 'said fault';
        said.textContent = error.message
          .replace(/^(ftx show|the text(:\d+:\d+)?): /, '');
        stop();
        return false;
      }
      draw(runs);
      return true;
    });
  }

  function stop() {
    clearTimeout(playing);
    playing = null;
  }

  function play() {
    stop();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      look(0);                          // the last turn, without the others
      return;
    }
    (function on(turn) {
      playing = setTimeout(function () {
        look(turn).then(function (shown) {
          if (shown && playing && turn < seen.turns) on(turn + 1);
          else stop();
        });
      }, turn === 1 ? 0 : 350);
    }(1));
  }

  // --------------------------------------------------------------- tokens
  var SIGNS = { '<bos>': '⊢', '<eos>': '⊣', '<mask>': '▒' };

  function sign(token) { return SIGNS[token] || token; }

  function draw_written() {
    var row = make('p', { class: 'written' }, 'x̂ = ');
    seen.x.concat(seen.y).forEach(function (token, k) {
      row.append(k === 0 ? sign(token)
        : make('button', { type: 'button', 'data-id': 'x' + k,
            class: k === seen.turn ? 'new' : undefined,
            'aria-label': 'turn ' + k + ': ' + token,
            click: function () { stop(); look(k); } }, sign(token)));
    });
    page.become(written, row);
    said.textContent = 'turn ' + seen.turn + ' of ' + seen.turns + ': '
      + seen.x.slice(1).concat(seen.y === '<eos>' ? [] : seen.y).join('')
        .replace(/␣/g, ' ')
      + (seen.y !== '<eos>' ? '' : seen.ended ? ', and eos_token ends it' : '');
  }

  // ---------------------------------------------- one token up the layers
  // A column of numbers: colour is sign and size, on one scale for all rows.
  function strip(column, name, unit) {
    var n = column.length;
    return make('span', { class: 'strip', role: 'img', 'aria-label': name,
      title: name || false, style: 'width: ' + n * (unit ? 1.6 : 0.32) + (unit
        || 'rem') + '; background: linear-gradient(to right, '
      + column.map(function (x, k) {
        return 'color-mix(in srgb, var(--' + (x < 0 ? 'minus' : 'plus') + ') '
          + Math.min(90, Math.round(45 * Math.abs(x))) + '%, var(--paper)) '
          + 100 * k / n + '% ' + 100 * (k + 1) / n + '%';
      }).join(', ') + ')' });
  }

  // What would be predicted from a state: the most probable tokens.
  function predicted(p, vocabulary) {
    var cell = make('td', { class: 'next' });
    p.map((x, v) => [x, vocabulary[v]])
      .sort((a, b) => b[0] - a[0]).slice(0, 3)
      .forEach(function (best) {
        cell.append(make('span', {}, make('b', {}, sign(best[1])), ' '
          + best[0].toFixed(3), make('i', { class: 'probability',
            style: 'width: ' + (2.4 * best[0]).toFixed(2) + 'rem' })));
      });
    return cell;
  }

  var STATES = { 12: 'embedding', 14: '+ what it has written', 16:
                 '+ the digits', 18: '+ MLP', 19: 'after layer ' };

  // The states of the newest token, from the embedding to the last layer, and
  // what each part adds: of attention, also what its heads give.
  function climb(run, name) {
    var body = make('tbody'), before = null, brought = [];
    function column(step) {
      return step.values.map(row => row[run.token - 1]);
    }
    run.steps.forEach(function (step) {
      var now, row;
      if (step.name === 'Y' && step.index && step.part !== 'enc')
        brought.push(strip(column(step), 'head ' + step.index));
      if (step.algorithm !== 8 || step.name !== 'X') return;
      now = column(step);
      row = make('td', {}, strip(step.line === 12 || step.line === 19 ? now
        : now.map((x, i) => x - before[i]), step.text));
      row.append.apply(row, brought);
      if (STATES[step.line]) body.append(make('tr', {},
        make('th', { scope: 'row' }, make('a', { class: 'n', href: '#algorithm-8.'
          + step.line }, '8.' + step.line), ' ' + STATES[step.line]
          + (step.line === 19 ? step.layer : '')),
        step.line === 12 || step.line === 19
          ? predicted(run.lens[step.layer || 0], run.vocabulary) : make('td'),
        row));
      before = now;
      brought = [];
    });
    return make('div', { class: 'scroll', tabindex: 0, role: 'group',
                         'aria-label': name }, make('table', {},
      make('caption', {}, name + ': ' + run.x.map(sign).join('') + ' ▸ ',
           make('b', {}, sign(run.y))), body));
  }

  function draw_layers(runs) {
    var all = make('div', { class: 'layers' },
      make('h2', {}, 'the newest token up the layers: what would be predicted, '
        + 'and what each part and head adds'));
    runs.forEach(function (run, k) {
      all.append(climb(run, run.z.slice(1, -1).join('')
        + (!off.length ? '' : k ? ', with all its parts'
           : ', without ' + off.join(', '))));
    });
    page.become(layers, all);
  }

  // A part of the model that can give 0 in the turn that is shown.
  function part_switch(place) {
    var is_off = off.indexOf(place) >= 0;
    return make('button', { type: 'button', class: 'switch', 'data-id': place,
      'aria-pressed': String(is_off), 'aria-label': 'without ' + place,
      title: 'without ' + place, click: function () {
        stop();
        if (off.indexOf(place) < 0) off.push(place);
        else off.splice(off.indexOf(place), 1);
        look(seen.turn);
      } }, is_off ? 'is off' : 'off');
  }

  // ---------------------------------------------------------------- heads
  var PARTS = [['enc', 'the encoder looks at the digits', 'encoder'],
    ['dec', 'the decoder looks back at what it has written', 'decoder'],
    ['ed', 'and across, at the digits', 'cross']];

  function keys(step, run) { return step.part === 'dec' ? run.x : run.z; }

  // A row for each token looked at; a root, so that a hundredth can be seen.
  function picture(step, run) {
    var heat = make('span', { class: 'heat' }, '  '
      + (step.part === 'enc' ? run.z : run.x).map(sign).join('') + '\n');
    step.values.forEach((row, i) => heat.append(sign(keys(step, run)[i]) + ' ',
      strip(row.map(weight => 2 * Math.sqrt(weight)), '', 'ch'), '\n'));
    return heat;
  }

  // Of the run beside it the pictures alone are shown.
  function draw_heads(runs) {
    var all = make('div', { class: 'heads' });
    PARTS.forEach(part => {
      all.append(make('h2', {}, part[1]), make('div', { class: 'pair' },
        ...runs.map(run => make('div', { class: 'row-of-heads' },
          ...run.steps.map((step, n) =>
            step.part !== part[0] || step.name !== 'A' ? ''
              : run === seen ? head(step, n, part)
                : make('div', {}, 'head ' + step.index, picture(step, run)))))));
    });
    page.become(heads, all);
  }

  function head(step, n, part) {
    return make('div', {}, make('button', { type: 'button', 'data-id': 'A' + n,
      title: 'the numbers of this head', 'aria-pressed': String(is_chosen(step)),
      'aria-label': part[1] + ': weights of head ' + step.index + ', layer '
        + step.layer + '; show its lines', click: function () { pick(step); } },
      'head ' + step.index, picture(step, seen)),
      part_switch(part[2] + ' layer ' + step.layer + ' head ' + step.index));
  }

  function pick(step) {                 // its lines, with all their values
    open = {};
    chosen[step.part + step.layer] = step.index;
    seen.steps.forEach(function (s) {
      if (s.index && s.part === step.part && s.layer === step.layer)
        open[key_of(s)] = s.index === step.index;
    });
    draw_heads(drawn);
    draw_lines();
    lines.querySelector('table').closest('.step')
      .scrollIntoView({ block: 'center' });
  }

  function is_chosen(step) {            // or no line of a head at all
    return !step.index
      || step.index === (chosen[step.part + step.layer] || 1);
  }

  // ---------------------------------------------------------------- lines
  function key_of(step) { return step.label.replace(/i\d+\./, ''); }

  function columns_of(step) {
    var of_z = step.part === 'enc' || step.name === 'Z'
      || (step.part === 'ed' && /^[KV]$/.test(step.name));
    return step.cols === 1 && step.algorithm === 15 ? ['']
      : of_z ? seen.z : seen.x;
  }

  function rows_of(step) {
    return /^(S|S_scaled|A)$/.test(step.name) ? keys(step, seen)
      : step.rows === seen.vocabulary.length && /^[Ppq]$/.test(step.name)
        ? seen.vocabulary : null;
  }

  function values(step) {
    var rows = rows_of(step), weights = step.name === 'A';
    return make('div', { class: 'scroll', tabindex: 0, role: 'group',
                         'aria-label': step.text },
      make('table', { class: weights ? 'values weights' : 'values' },
        make('thead', {}, make('tr', {}, make('td'), ...columns_of(step).map(
          token => make('th', { scope: 'col' }, sign(token))))),
        make('tbody', {}, ...step.values.map((row, i) => make('tr', {},
          make('th', { scope: 'row' }, rows ? sign(rows[i]) : i + 1),
          ...row.map(x => make('td', {
            style: weights && '--weight: ' + Math.sqrt(x) }, page.rounded(x, 3))))))));
  }

  function draw_lines() {
    var all = make('div', { class: 'lines' },
                   make('h2', {}, 'Line by line, turn ' + seen.turn
                     + ', with one head of each kind'));
    seen.steps.filter(is_chosen).forEach(function (step) {
      var key = key_of(step), line = step.algorithm + '.' + step.line,
          shown = open[key] === true;
      all.append(make('div', { class: 'step', 'data-id': key },
        make('p', {}, make('a', { class: 'n', href: '#' + line,
                                  title: 'its C' }, line), ' ',
          make('a', { href: '#algorithm-' + line, title: 'its pseudocode' },
               step.text), ' ', make('small', {},
            (step.part ? { enc: 'encoder', dec: 'decoder', ed: 'across' }[
              step.part] + ' ' : '')
            + (step.index ? 'head ' + step.index + ' ' : '')
            + step.rows + ' × ' + step.cols), ' ',
          make('button', { type: 'button', 'data-id': 'v' + key,
            'aria-expanded': String(shown),
            click: function () { open[key] = !open[key]; draw_lines(); } },
            shown ? 'hide' : 'values')),
        shown ? values(step) : ''));
    });
    page.become(lines, all);
  }

  function draw(runs) {
    draw_written();
    draw_layers(drawn = runs);
    draw_heads(runs);
    draw_lines();
  }

  // -------------------------------------------------------------- the page
  var section = document.getElementById('think');
  section.append(
    make('h1', { id: 'think-title' }, 'See a model think'),
    make('p', {}, 'This model has learned the English names of numbers from '
      + '9000 examples, with Algorithm 11. Of those that it has never seen: '
      + source.dataset.told + '. Type one from 1 to 9999, and '
      + 'Algorithm 15 writes its name, token by token. ⊢ is bos_token, ⊣ '
      + 'eos_token, ␣ a blank.'),
    make('form', { class: 'buttons', submit: function (event) {
        event.preventDefault();
        play();
      } }, make('label', {}, 'z = ', number),
      make('label', {}, 'beside it ', second),
      make('button', {}, 'write its name')),
    make('div', { class: 'bench' }, said, written, layers, heads, lines));
  number.addEventListener('input', stop);

  function show() {
    section.hidden = false;
    section.scrollIntoView();
    section.focus({ preventScroll: true });
    if (!seen) look(1);
  }

  document.querySelector('#contents h2').before(make('p', {},
    make('a', { href: '#think', id: 'to-think', click: show },
         'See a model think')));
  var algorithm = document.getElementById('algorithm-15');
  if (algorithm)
    algorithm.after(make('p', {}, button('see a model do this',
      'the number names, token by token', show)));
  function from_address() { if (location.hash === '#think') show(); }
  addEventListener('hashchange', from_address);
  from_address();
}());
