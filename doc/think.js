/* See a model think: a trained model in the page writes the name of a number.
   The program runs one turn of Algorithm 15 and says all its steps in JSON;
   what is here shows them: the tokens, the most probable next ones, the
   attention of each head, and each line's values at a click. */
'use strict';
(function () {
  var source = document.getElementById('numbers'), page = window.ftx
        && window.ftx.page;
  if (!source || !page) return;
  var make = page.make, button = page.button, MODEL = 'numbers.ftx';

  var number = make('input', { value: '4217', size: 8, inputmode: 'numeric',
        autocomplete: 'off', 'aria-label': 'a number from 1 to 9999' }),
      said = make('p', { class: 'said', role: 'status', 'aria-live': 'polite' }),
      written = make('p', { class: 'written' }),
      next = make('div', { class: 'next' }),
      heads = make('div', { class: 'heads' }),
      lines = make('div', { class: 'lines' }),
      seen = null,                      // what the program said of a turn
      open = {},                        // the lines whose values are shown
      chosen = {},                      // the head whose lines are, by part
      playing = null;

  // --------------------------------------------------------------- a turn
  function load(ftx) {                  // puts the model where it reads files
    if (ftx.FS.analyzePath(MODEL).exists) return;
    ftx.FS.writeFile(MODEL, Uint8Array.from(atob(
      source.textContent.replace(/\s/g, '')), function (c) {
        return c.charCodeAt(0);
      }));
  }

  function look(turn) {                 // a promise: has it been shown?
    return page.start().then(function (ftx) {
      load(ftx);
      number.removeAttribute('aria-invalid');
      said.parentNode.classList.remove('stale');
      said.className = 'said';
      try {
        if (!/^[1-9]\d{0,3}$/.test(number.value.trim()))
          throw new Error('this model names whole numbers from 1 to 9999, '
                          + 'written in digits without a 0 in front.');
        seen = JSON.parse(page.run(ftx, ['show', '--model', MODEL, '--json',
          '--turn', String(turn), '--', number.value.trim()]));
      } catch (error) {
        number.setAttribute('aria-invalid', 'true');
        said.parentNode.classList.add('stale');
        said.className = 'said fault';
        said.textContent = error.message
          .replace(/^(ftx show|the text(:\d+:\d+)?): /, '');
        stop();
        return false;
      }
      draw();
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

  function go(by) {
    return function () {
      stop();
      if (seen) look(Math.max(1, Math.min(seen.turns, seen.turn + by)));
    };
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

  function column_of(name) {            // the only column of a step
    return seen.steps.find(function (s) {
      return s.algorithm === 15 && s.name === name;
    }).values.map(function (row) { return row[0]; });
  }

  function draw_next() {
    var table = make('tbody'), p = column_of('p');
    p.map(function (x, v) { return [x, seen.vocabulary[v]]; })
      .sort(function (a, b) { return b[0] - a[0]; }).slice(0, 5)
      .forEach(function (best) {
        var bar = make('span', { class: 'probability' });
        bar.style.width = 10 * best[0] + 'rem';
        table.append(make('tr', {}, make('th', { scope: 'row' },
                                         sign(best[1])),
          make('td', {}, best[0].toFixed(4)), make('td', {}, bar)));
      });
    page.become(next, make('div', { class: 'next' }, make('table', {},
      make('caption', {}, 'P(next token)'),
      table)));
  }

  // ---------------------------------------------------------------- heads
  var PARTS = [['enc', 'the encoder looks at the digits'],
               ['dec', 'the decoder looks back at what it has written'],
               ['ed', 'and across, at the digits']];

  function keys(step) { return step.part === 'dec' ? seen.x : seen.z; }
  function queries(step) { return step.part === 'enc' ? seen.z : seen.x; }

  // The darker, the more; a root, so that a hundredth can be seen.
  function paint(canvas, step) {
    var down = keys(step), across = queries(step), CELL = 11,
        fine = window.devicePixelRatio || 1,
        style = getComputedStyle(document.documentElement),
        pen = canvas.getContext('2d');
    canvas.width = fine * CELL * (across.length + 1.4);
    canvas.height = fine * CELL * (down.length + 1.4);
    canvas.style.width = canvas.width / fine + 'px';
    canvas.style.height = canvas.height / fine + 'px';
    pen.scale(fine, fine);
    pen.font = '9px ' + style.getPropertyValue('--mono');
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillStyle = style.getPropertyValue('--grey');
    across.forEach(function (token, j) {
      pen.fillText(sign(token), CELL * (j + 1.7), CELL / 2);
    });
    down.forEach(function (token, i) {
      pen.fillText(sign(token), CELL / 2, CELL * (i + 1.7));
    });
    pen.fillStyle = style.getPropertyValue('--blue');
    step.values.forEach(function (row, i) {
      row.forEach(function (weight, j) {
        pen.globalAlpha = Math.sqrt(weight);
        pen.fillRect(CELL * (j + 1.2), CELL * (i + 1.2), CELL - 1, CELL - 1);
      });
    });
    pen.globalAlpha = 1;
    pen.strokeStyle = style.getPropertyValue('--rule');
    pen.strokeRect(CELL * 1.2 - 1, CELL * 1.2 - 1, CELL * across.length + 1,
                   CELL * down.length + 1);
  }

  function draw_heads() {
    var all = make('div', { class: 'heads' }), pictures = [];
    PARTS.forEach(function (part) {
      var row = make('div', { class: 'row-of-heads' });
      seen.steps.forEach(function (step, n) {
        if (step.part !== part[0] || step.name !== 'A') return;
        pictures.push(step);
        row.append(make('button', { type: 'button', 'data-id': 'A' + n,
          title: 'the numbers of this head',
          'aria-pressed': String(is_chosen(step)),
          'aria-label': part[1] + ': weights of head ' + step.index
            + ', layer ' + step.layer + '; show its lines',
          click: function () { pick(step); } },
          'head ' + step.index, make('canvas', {})));
      });
      all.append(make('h2', {}, part[1]), row);
    });
    page.become(heads, all);
    heads.querySelectorAll('canvas').forEach(function (canvas, k) {
      paint(canvas, pictures[k]);
    });
  }

  function pick(step) {                 // its lines, with all their values
    open = {};
    chosen[step.part + step.layer] = step.index;
    seen.steps.forEach(function (s) {
      if (s.index && s.part === step.part && s.layer === step.layer)
        open[key_of(s)] = s.index === step.index;
    });
    draw_heads();
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
    return /^(S|S_scaled|A)$/.test(step.name) ? keys(step)
      : step.rows === seen.vocabulary.length && /^[Ppq]$/.test(step.name)
        ? seen.vocabulary : null;
  }

  function values(step) {
    var body = make('tbody'), head = make('tr', {}, make('td')),
        rows = rows_of(step), weights = step.name === 'A';
    columns_of(step).forEach(function (token) {
      head.append(make('th', { scope: 'col' }, sign(token)));
    });
    step.values.forEach(function (row, i) {
      var tr = make('tr', {}, make('th', { scope: 'row' },
                                   rows ? sign(rows[i]) : i + 1));
      row.forEach(function (x) {
        var td = make('td', {}, page.rounded(x, 3));
        if (weights) td.style.setProperty('--weight', Math.sqrt(x));
        tr.append(td);
      });
      body.append(tr);
    });
    return make('div', { class: 'scroll', tabindex: 0, role: 'group',
                         'aria-label': step.text },
      make('table', { class: weights ? 'values weights' : 'values' },
           make('thead', {}, head), body));
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

  function draw() {
    draw_written();
    draw_next();
    draw_heads();
    draw_lines();
  }

  // -------------------------------------------------------------- the page
  var section = make('section', { id: 'think', hidden: true, tabindex: -1,
                                  'aria-labelledby': 'think-title' },
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
      make('button', {}, 'write its name'),
      button('◀', 'one token back', go(-1)),
      button('▶', 'one token on', go(1)),
      button('to the end', 'the last turn', function () {
        stop();
        look(0);
      })),
    make('div', { class: 'bench' }, said, written, next, heads, lines));
  number.addEventListener('input', stop);

  function show() {
    section.hidden = false;
    section.scrollIntoView();
    section.focus({ preventScroll: true });
    if (!seen) look(1);
  }

  document.querySelector('main').prepend(section);
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
