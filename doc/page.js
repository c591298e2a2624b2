/* The page as a book: a search over lines of algorithms, symbols, chunks,
   errata and headings. Without it the page is as complete. */
'use strict';
(function () {
  var box = document.querySelector('#search input'),
      list = document.querySelector('#search ol'),
      contents = document.getElementById('contents'),
      entries = null, MOST = 12;

  function words(element) {             // as one line, roots as √
    var copy = element.cloneNode(true);
    copy.querySelectorAll('msqrt').forEach(function (m) { m.prepend('√'); });
    copy.querySelectorAll('a.n').forEach(function (a) { a.append(' '); });
    return copy.textContent.replace(/\s+/g, ' ').trim();
  }

  function plain(text) {                // a as 𝑎, W_q as Wq, multi-head as one
    return text.normalize('NFKC').toLowerCase().replace(/[-‐_^{}]/g, '')
      .replace(/√/g, ' sqrt ');
  }

  // What people look for, and volume 2 has.
  var VOLUME_2 = { 'kv-cache': 'KV cache: kept keys and values' };

  function collect() {
    entries = [];
    function add(kind, id, text) {
      entries.push({ kind: kind, href: '#' + id, text: text,
                     key: plain(text) });
    }
    document.querySelectorAll('h1[id], h2[id], h3[id], section[id] > h1, '
      + 'section[id] > h2, section[id] > h3').forEach(function (h) {
      add('heading', h.id || h.parentNode.id, words(h));
    });
    document.querySelectorAll('.algorithm li[id]').forEach(function (li) {
      add('line', li.id, words(li.querySelector('summary') || li));
    });
    document.querySelectorAll('#identifiers li[id]').forEach(function (li) {
      add('symbol', li.querySelector('a').hash.slice(1),
          words(li.querySelector('code')));
    });
    document.querySelectorAll('.chunk').forEach(function (chunk) {
      add('chunk', chunk.id, words(chunk.querySelector('.head span')));
    });
    document.querySelectorAll('[id]').forEach(function (element) {
      if (/^E\d+$/.test(element.id))
        add('erratum', element.id, element.id + ' '
            + words(element.closest('p, li, td, dt, h3, div') || element)
              .replace(element.id, '').slice(0, 90));
    });
    Object.keys(VOLUME_2).forEach(function (id) {
      entries.push({ kind: 'volume 2', href: 'program.html#' + id,
                     text: VOLUME_2[id], key: plain(VOLUME_2[id]) });
    });
  }

  // What begins with the words, and headings that have them, come before what
  // has them somewhere.
  function find(text) {
    var key = plain(text), begins = [], has = [];
    if (!entries) collect();
    entries.forEach(function (e) {
      var at = e.key.indexOf(key);
      if (at === 0 || (at > 0 && e.kind === 'heading')) begins.push(e);
      else if (at > 0) has.push(e);
    });
    return begins.concat(has).slice(0, MOST);
  }

  function show() {
    list.textContent = '';
    if (!box.value.trim()) return;
    find(box.value.trim()).forEach(function (e) {
      var li = document.createElement('li'), a = document.createElement('a'),
          kind = document.createElement('small');
      a.href = e.href;
      a.textContent = e.text.slice(0, 80);
      kind.textContent = e.kind;
      a.append(' ', kind);
      li.append(a);
      list.append(li);
    });
    if (!list.firstChild) list.innerHTML = '<li>nothing is called that</li>';
  }

  function close() { box.value = ''; show(); }

  document.getElementById('search').hidden = false;
  box.addEventListener('input', show);
  list.addEventListener('click', close);
  document.addEventListener('keydown', function (event) {
    var links = Array.from(list.querySelectorAll('a')),
        at = links.indexOf(document.activeElement),
        typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === '/' && !typing) {
      box.focus();
      event.preventDefault();
    } else if (event.key === 'Escape') {
      close();
      document.activeElement.blur();
    } else if (event.key === 'Enter' && event.target === box && links[0]) {
      links[0].click();
      box.blur();
    } else if (links[0] && (event.key === 'ArrowDown'
                            || event.key === 'ArrowUp')) {
      at += event.key === 'ArrowDown' ? 1 : -1;
      (links[at] || box).focus();
      event.preventDefault();
    }
  });

  // The contents beside the text show where one reads.
  var seen = new IntersectionObserver(function (changes) {
    changes.forEach(function (c) {
      var link = contents.querySelector('a[href="#' + c.target.id + '"]');
      if (link) link.classList.toggle('here', c.isIntersecting);
    });
  }, { rootMargin: '-20% 0px -70% 0px' });
  document.querySelectorAll('main section.level1, main section.level2')
    .forEach(function (s) { seen.observe(s); });
}());
