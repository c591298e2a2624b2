#!/usr/bin/env python3
"""browser.py: the woven pages in a real browser.

Headless Chromium is driven through its debugging protocol, by a pipe; nothing
is needed but Python's own library. Ends with `N passed, N failed`.
browser.py --shots DIR leaves pictures of what was seen.
"""
import base64
import glob
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile

DESKTOP, PHONE = (1440, 900), (390, 844)


class Browser:
    """A window of Chromium. A command is sent, and its answer waited for."""

    def __init__(self):
        self.dir = tempfile.mkdtemp()
        ours, theirs = os.pipe(), os.pipe()

        def move():                     # Chromium reads at 3, writes at 4
            a, b = os.dup(ours[0]), os.dup(theirs[1])
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.process = subprocess.Popen(
            ['chromium', '--headless=new', '--no-sandbox', '--disable-gpu',
             '--remote-debugging-pipe', '--user-data-dir=' + self.dir],
            preexec_fn=move, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.to, self.of = ours[1], theirs[0]
        self.sent, self.left, self.events, self.session = 0, b'', [], None
        target = self.send('Target.createTarget', url='about:blank')
        self.session = self.send('Target.attachToTarget', flatten=True,
                                 targetId=target['targetId'])['sessionId']
        for domain in 'Page', 'Runtime', 'Network', 'Log':
            self.send(domain + '.enable')

    def read(self):
        while b'\0' not in self.left:
            if not select.select([self.of], [], [], 120)[0]:
                raise EOFError('the browser says nothing')
            bytes_ = os.read(self.of, 1 << 16)
            if not bytes_:
                raise EOFError('the browser has gone')
            self.left += bytes_
        message, self.left = self.left.split(b'\0', 1)
        return json.loads(message)

    def send(self, method, **params):
        self.sent += 1
        message = {'id': self.sent, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.read()
            if answer.get('id') == self.sent:
                if 'error' in answer:
                    raise RuntimeError(answer['error']['message'])
                return answer['result']
            self.events.append(answer)

    def run(self, script, returned=True):
        """The value of a JavaScript expression, a promise's when it is; or
        the object itself, which the browser keeps."""
        answer = self.send('Runtime.evaluate', expression=script,
                           awaitPromise=True, returnByValue=returned,
                           userGesture=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(str(answer['exceptionDetails']))
        return answer['result'].get('value' if returned else 'objectId')

    def media(self, **features):
        self.send('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-' + name.replace('_', '-'), 'value': value}
            for name, value in features.items()])

    def named(self, place, role):
        """The names of what has that role for readers of screens."""
        found = self.send('Accessibility.queryAXTree', role=role,
                          objectId=self.run("document.querySelector('%s')"
                                            % place, False))['nodes']
        return [node.get('name', {}).get('value', '') for node in found
                if not node['ignored']]

    def faults(self):
        """What the page's scripts did not catch since it was asked last."""
        thrown = [e['params']['exceptionDetails'] for e in self.events
                  if e.get('method') == 'Runtime.exceptionThrown']
        self.events.clear()
        return [d.get('exception', {}).get('description', d['text'])
                for d in thrown]

    def open(self, file, size, place=''):
        self.send('Emulation.setDeviceMetricsOverride', width=size[0],
                  height=size[1], deviceScaleFactor=1,
                  mobile=size == PHONE)
        self.send('Page.navigate', url='about:blank')
        self.send('Page.navigate',
                  url='file://' + os.path.abspath(file) + place)
        self.run("new Promise(done => document.readyState == 'complete' ? "
                 "done() : addEventListener('load', () => done()))")
        self.settle()

    def settle(self):
        self.run('new Promise(done => requestAnimationFrame(() => '
                 'requestAnimationFrame(() => setTimeout(done, 50))))')

    def type(self, text):
        self.send('Input.insertText', text=text)

    def press(self, key):
        for kind in 'keyDown', 'keyUp':
            self.send('Input.dispatchKeyEvent', type=kind, key=key, code=key,
                      **({'text': '\r', 'windowsVirtualKeyCode': 13}
                         if key == 'Enter' and kind == 'keyDown' else
                         {'text': key} if len(key) == 1 and kind == 'keyDown'
                         else {}))

    def paste(self, place, text):
        """Copies the text and pastes it where a person would."""
        self.run("""(text => {
          const area = document.createElement('textarea');
          area.value = text;
          document.body.append(area);
          area.select();
          document.execCommand('copy');
          area.remove();
          document.querySelector('%s').select();
        })(%s)""" % (place, json.dumps(text)))
        self.send('Input.dispatchKeyEvent', type='keyDown', key='v',
                  code='KeyV', modifiers=2, commands=['paste'])
        self.settle()

    def sheet(self, text):
        """A directory with a file of that text, named sheet."""
        with open(self.dir + '/sheet', 'w', encoding='utf-8',
                  errors='surrogateescape') as file:
            file.write(text)
        return self.dir

    def picture(self, file):
        data = self.send('Page.captureScreenshot', format='png')['data']
        with open(file, 'wb') as out:
            out.write(base64.b64decode(data))

    def close(self):
        self.session = None
        try:
            self.send('Browser.close')
        except (EOFError, OSError):
            pass
        self.process.wait(20)
        shutil.rmtree(self.dir, ignore_errors=True)


WIDTH = 'document.documentElement.scrollWidth'
IN_SIGHT = """(() => {
  const e = document.getElementById('%s'), r = e && e.getBoundingClientRect();
  return !!e && r.top >= 0 && r.bottom <= innerHeight;
})()"""


SHOW_ALL = """document.querySelectorAll('section').forEach(s =>
  s.style.contentVisibility = 'visible')"""


def nothing_is_wider(b, page, size):
    b.open(page, size)
    # What is not in sight is laid out when it is scrolled to.
    b.run(SHOW_ALL)
    b.settle()
    return b.run(WIDTH) <= size[0] or b.run(WIDTH)


# What is wrong with a line of C or of pseudocode: too low, painted, its text
# outside its box or on other text, or something else where its text is.
ROWS = """(() => {
  const faults = [], rows = document.querySelectorAll('.row, .algorithm li[id]'),
        clear = 'rgba(0, 0, 0, 0)';
  function text_of(e) {
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getBoundingClientRect();
  }
  rows.forEach(row => {
    const say = what => faults.push(what + ': ' + row.textContent.slice(0, 40)),
          codes = [...row.querySelectorAll('code')], f = row.querySelector('.f'),
          height = parseFloat(getComputedStyle(row).lineHeight),
          chunk = row.closest('.chunk');
    row.scrollIntoView({ block: 'center' });
    const box = row.getBoundingClientRect();
    if (box.height < height - 1) say('too low');
    for (const part of [null, '::before', '::after'])
      if (getComputedStyle(row, part).backgroundColor != clear
          && !row.matches(':target')) say('painted');
    for (const e of f ? codes.concat(f) : codes) {
      const t = e == f ? f.getBoundingClientRect() : text_of(e),
            o = f && e != f && text_of(f);
      if (!t.height) continue;
      if (t.top < box.top - 2 || t.bottom > box.bottom + 2) say('outside');
      if (chunk && t.right > chunk.getBoundingClientRect().left
                             + chunk.scrollWidth + 1) say('out of reach');
      if (o && o.left < t.right && t.left < o.right && o.top < t.bottom - 1
          && t.top < o.bottom - 1) say('on its formula');
    }
    for (const e of codes.length ? codes : [row]) {
      const t = text_of(e);
      for (const x of [t.left + 1, t.left + 40, (t.left + t.right) / 2])
        if (t.height && x < innerWidth - 20) {
          const hit = document.elementFromPoint(x, (t.top + t.bottom) / 2);
          if (!row.contains(hit)) say('under ' + (hit && hit.outerHTML));
        }
    }
  });
  return rows.length < 200 ? ['there are few rows'] : faults;
})()"""


def every_row_is_whole(b, page, size):
    faults = [] if nothing_is_wider(b, page, size) is True else ['wide']
    for scheme in 'light', 'dark':
        b.media(color_scheme=scheme)
        b.settle()
        faults += b.run(ROWS)
    b.media()
    return not faults or faults[:9]


def a_line_is_led_to(b, page, size):
    b.open(page, size, '#8.16')
    return b.run(IN_SIGHT % '8.16')


def a_line_is_found(b, page, size):
    b.open(page, size)
    b.press('/')
    b.type('8.16')
    b.press('Enter')
    b.settle()
    return b.run("location.hash == '#algorithm-8.16'") \
        and b.run(IN_SIGHT % 'algorithm-8.16')


def kinds_are_found(b, page, size):
    b.open(page, size)
    kinds = set()
    for text in 'softmax', 'E13', 'training', 'score matrix':
        b.run("document.querySelector('#search input').value = ''")
        b.press('Escape')
        b.press('/')
        b.type(text)
        kinds |= set(b.run("Array.from(document.querySelectorAll("
                           "'#search small')).map(e => e.textContent)"))
    return kinds >= {'line', 'symbol', 'chunk', 'erratum', 'heading'} or kinds


def contents_stay_in_view(b, page, size):
    b.open(page, size, '#8.16')
    return b.run("(r => r.top >= 0 && r.top < 300 && r.left < 400)("
                 "document.querySelector('#contents').getBoundingClientRect())")


def it_reads_in_the_dark(b, page, size):
    b.media(color_scheme='dark')
    b.open(page, size)
    light = b.run("""['backgroundColor', 'color'].map(p =>
      getComputedStyle(document.documentElement)[p].match(/\\d+/g)
        .slice(0, 3).reduce((a, c) => a + +c, 0))""")
    b.media()
    return light[0] < 200 and light[1] > 550


def nothing_is_asked_for(b, page, size):
    b.events.clear()
    b.open(page, size)
    asked = [e['params']['request']['url'] for e in b.events
             if e.get('method') == 'Network.requestWillBeSent']
    errors = [e for e in b.events if e.get('method') in
              ('Runtime.exceptionThrown', 'Log.entryAdded')]
    return all(url.startswith(('file:', 'about:')) for url in asked) \
        and not errors or (asked, errors)


# The program as on a processor without instructions that multiply and add at
# once, in its own loops and in the C library: a page has none.
PLAIN = 'build/plain/ftx'
BUILD = ['make', '-s', 'OUT=build/plain', PLAIN,
         'CFLAGS=-O2 -DFAST= -DNO_AVX2']
NO_FMA = dict(os.environ, GLIBC_TUNABLES='glibc.cpu.hwcaps=-FMA')


def plain(words, directory='.'):
    """What the plain program says; where it refuses, its sentence."""
    said = subprocess.run([os.path.abspath(PLAIN), *words], cwd=directory,
                          env=NO_FMA, capture_output=True)
    return (said.stderr if said.returncode > 1 else said.stdout).decode()


def the_program_says_the_same(b, page, size):
    """The page's program and the native one, on every sheet, to the byte."""
    b.open(page, size)
    other = []
    for sheet in sorted(glob.glob('tests/data/worked/*.sheet')
                        + glob.glob('tests/data/hand/*.sheet')
                        + glob.glob('tests/data/starts/*.sheet')):
        with open(sheet, encoding='utf-8', errors='surrogateescape') as file:
            text = file.read()
        for command in 'show', 'check':
            words = [command, '--json', 'sheet']
            here = b.run('ftx(%s, %s).catch(error => error.message)'
                         % (json.dumps(words), json.dumps(text)))
            if here.strip() != plain(words, b.sheet(text)).strip():
                other.append('%s %s' % (command, sheet))
    return not other or other


CELL = '#own .given .grid input'
TEXT = "document.querySelector('#own textarea').value"
FAULT = "document.querySelector('#own .said.fault')?.textContent || ''"
README = """algorithm 4
layout textbook
X  = 1 0 2 ; 0 1 1
Wq = 1 0 ; 0 1 ; 1 0
Wk = 0 1 ; 0 1 ; 1 0
Wv = 2 0 ; 0 4 ; 1 0
claim S  = 6 3 ; 3 2
claim A  = 0.953 0.047 ; 0.731 0.269
claim Vt = 3.858 0.190 ; 3.193 1.076
"""


def put(b, place, text):
    """Types into what a selector finds, as a person: the old goes."""
    b.run("(e => { e.focus(); e.select(); })(document.querySelector('%s'))"
          % place)
    b.type(text)
    b.press('Tab')


def open_own(b, page, size):
    b.open(page, size)
    b.run("document.querySelector('#to-own').click()")
    b.run("ftx(['--version'])")
    b.settle()
    b.run("document.querySelector('#own details').open = true")


def own_numbers_are_judged(b, page, size):
    open_own(b, page, size)
    put(b, '#own textarea', README)
    b.settle()
    said = b.run("document.querySelector('#own .said').textContent")
    why = b.run("document.querySelector('#own .why').textContent")
    wrong = b.run("document.querySelectorAll("
                  "'#own [data-verdict=wrong]').length")
    follows = b.run("document.querySelectorAll("
                    "'#own [data-verdict=follows]').length")
    return (said.startswith('first wrong step: A') and wrong == 4
            and 'is left out' in why and follows == 4
            or (said, why, wrong, follows))


def a_wrong_cell_is_told(b, page, size):
    own_numbers_are_judged(b, page, size)
    put(b, CELL, '1..2')
    b.settle()
    return b.run("document.querySelector('#own .said.fault') != null && "
                 "document.querySelector('#own [aria-invalid]').value") \
        == '1..2'


def a_worked_example_is_live(b, page, size):
    b.open(page, size)
    b.run("ftx(['--version'])")
    b.run("(w => { w.id = 'tried'; w.querySelector('button').click(); "
          "w.scrollIntoView(); })([...document.querySelectorAll('.worked')]"
          ".find(w => w.textContent.includes('alg04.sheet')))")
    b.settle()
    before = b.run("document.querySelectorAll('#tried td.changed').length")
    put(b, '#tried .grid input', '5')
    b.settle()
    after = b.run("document.querySelectorAll('#tried td.changed').length")
    return before == 0 and after > 3 or (before, after)


def every_worked_example_is_live(b, page, size):
    """All fifteen compute, and nothing is wrong with any."""
    b.open(page, size)
    b.run("document.querySelectorAll('.worked .head button')"
          ".forEach(e => e.click())")
    b.run("ftx(['--version'])")
    b.settle()
    steps = b.run("[...document.querySelectorAll('.worked')].map(w => "
                  "w.querySelector('.said.fault') ? -1 : "
                  "w.querySelectorAll('.step').length)")
    return len(steps) == 15 and min(steps) >= 1 and sum(steps) > 120 or steps


def the_keyboard_suffices(b, page, size):
    """From the contents to a cell, to a number's terms, without a mouse."""
    here = "document.activeElement"
    b.open(page, size)
    b.run("document.querySelector('#to-own').focus()")
    b.press('Enter')
    b.run("ftx(['--version'])")
    b.settle()
    b.run("document.querySelector('#own button').focus()")

    def tab_to(place):
        for _ in range(150):
            if b.run("%s.matches('%s')" % (here, place)):
                return True
            b.press('Tab')
        return False
    if not tab_to(CELL):
        return 'no cell is reached'
    b.run("%s.select()" % here)
    b.type('7')
    b.press('ArrowDown')
    b.settle()
    below = b.run("%s.dataset.id" % here)
    changed = b.run("document.querySelectorAll('#own td.changed').length")
    if not tab_to('#own .step td button'):
        return 'no number is reached'
    b.press('Enter')
    b.settle()
    said = b.run("document.querySelector('#own .said').textContent")
    return below.endswith('-1-0') and changed > 3 \
        and said == 'Q: (1,1) is 7·1 + 0·0 + 2·1 = 9' or (below, changed, said)


def a_broken_address_is_told(b, page, size):
    """It can be mended: the text is shown, and the place named."""
    b.open(page, size, '#sheet=algorithm%204%0AX%20=%20%E0%A4%A')
    b.run("ftx(['--version'])")
    b.settle()
    said = b.run("document.querySelector('#own .said.fault').textContent")
    text = b.run("document.querySelector('#own details[open] textarea').value")
    return said.startswith('line 2, column 5') and 'X =' in text or (said, text)


def a_number_is_told_term_by_term(b, page, size):
    own_numbers_are_judged(b, page, size)
    b.run("[...document.querySelectorAll('#own .step')].find(s => "
          "s.textContent.includes('Q Kᵀ')).querySelector('td button').click()")
    return b.run("document.querySelector('#own .said').textContent") \
        == 'S: (1,1) is 3·2 + 0·1 = 6'


def an_address_holds_a_sheet(b, page, size):
    b.open(page, size, '#sheet=algorithm%207%0Alogits%20%3D%201%202%0A')
    b.run("ftx(['--version'])")
    b.settle()
    return b.run(TEXT) == 'algorithm = 7\nlogits = 1 2\n' \
        and b.run("document.activeElement.id") == 'own'


# Reads each sheet with the page and writes it again: does the program read
# the same items? What is said of a key?
ROUND = """(async sheets => {
  const area = document.querySelector('#own textarea'), faults = [],
        said = document.querySelector('#own .said');
  async function items(text) {
    return JSON.stringify(JSON.parse(await ftx(['show', '--read', 'sheet'],
                                               text)));
  }
  for (const [name, text] of sheets) {
    area.value = text;
    area.dispatchEvent(new Event('input'));
    if (said.matches('.fault') || await items(text) != await items(area.value)
        || (/--key/.test(name) && !/ is right\\.$/.test(said.textContent)))
      faults.push(name + ': ' + said.textContent);
  }
  return faults;
})(%s)"""


def every_sheet_goes_round(b, page, size):
    """360 exercises, the keys of 60, and the sheets of the repository."""
    words = ['exercise --algorithm %d --seed %d --layout %s%s'
             % (algorithm, seed, layout, key) for algorithm in range(1, 16)
             for layout in ('paper', 'textbook', 'torch', 'berkeley')
             for seed in range(1, 7)
             for key in ('', ' --key')[:1 if seed < 6 else 2]]
    sheets = [(name, plain(name.split())) for name in words]
    for name in sorted(glob.glob('tests/data/*/*.sheet')):
        with open(name, encoding='utf-8', errors='surrogateescape') as file:
            text = file.read()
        words = ['show', '--json', 'sheet']
        if plain(words, b.sheet(text)).startswith('{'):
            sheets.append((name, text))
    open_own(b, page, size)
    faults = b.run(ROUND % json.dumps(sheets))
    return len(sheets) > 500 and not faults or (len(sheets), faults[:9])


# What is red in a place, but is not wrong: numbers of lines may be, as in
# the book.
RED = """(place => {
  const look = getComputedStyle(document.documentElement),
        probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = look.getPropertyValue('--red');
  const red = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll(place + ' *')].filter(e => {
    const s = getComputedStyle(e);
    return !e.matches('.n, .fault, [data-verdict=wrong], [aria-invalid]')
      && (s.color == red || s.backgroundColor == red
          || (s.borderLeftWidth != '0px' && s.borderLeftColor == red));
  }).map(e => e.outerHTML.slice(0, 99));
})('%s')"""


def red_is_for_wrong(b, page, size):
    """A number that changed flashes, and is like the others again; for those
    who ask for less motion nothing flashes."""
    changed = "document.querySelectorAll('#own td.changed').length"
    own_numbers_are_judged(b, page, size)
    red = b.run(RED % '#own')
    put(b, CELL, '5')
    flash = b.run("document.getAnimations().map(a => a.animationName)")
    red += b.run(RED % '#own')
    at_once = b.run(changed)
    b.run("document.getAnimations().forEach(a => a.finish())")
    b.settle()
    later = b.run(changed)
    b.media(reduced_motion='reduce')
    put(b, CELL, '6')
    still = b.run("document.getAnimations().length")
    b.media()
    b.open(page, size, '#think')
    b.run("ftx(['--version'])")
    b.settle()
    red += b.run(RED % '#think')
    return not red and set(flash) == {'changed'} and at_once > 3 == later + 3 \
        and not still or (red[:3], flash, at_once, later, still)


STALE = """['.given', '.steps'].map(half => {
  const e = document.querySelector('#own ' + half);
  return e.matches('.stale') && /of the last valid sheet$/.test(
      e.firstChild.textContent)
    && +getComputedStyle(e.querySelector('.step > p, .grid')).opacity < 0.5;
})"""


def old_steps_are_dimmed(b, page, size):
    """While a cell, the shapes or the text are invalid, and not after."""
    open_own(b, page, size)
    faults = []

    def stale(what, given, steps):
        b.settle()
        if b.run(STALE) != [given, steps]:
            faults.append((what, b.run(STALE)))
    put(b, CELL, '1..2')
    stale('a cell', False, True)
    put(b, CELL, '2')
    stale('mended', False, False)
    b.run("[...document.querySelectorAll('#own .given button')].find(e => "
          "e.title == 'one more column').click()")
    stale('shapes', False, True)
    for text, given, steps in [
            ('algorithm 10\nx = 1 2\n', False, True),
            ('algorithm 4\nX = 1 2 ;; 3\n', True, True),
            (README, False, False)]:
        put(b, '#own textarea', text)
        stale(text, given, steps)
    return not faults or faults


def pastes_are_read(b, page, size):
    wrong = []
    open_own(b, page, size)
    for text, line in [
            ('X = [[1, 2], [3, 4]]', 'X = 1 2 ; 3 4'),
            ('w_query = np.array([[1, 2],\n [3, 5]])', 'X = 1 2 ; 3 5'),
            ('1,5;2,5\n3,5;4,5', 'X = 1.5 2.5 ; 3.5 4.5'),
            ('| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 6 |', 'X = 1 2 ; 3 6'),
            ('1\t2\n3\t7', 'X = 1 2 ; 3 7'),
            ('X = 1 2 ; 3 8\nW_q = 1 ; 1', 'X = 1 2 ; 3 7'),   # two: refused
            ('algorithm 6\ne = 1 2 ;; 3\n', 'X = 1 2 ; 3 7'),  # invalid, too
            ('algorithm 6\ne = 1 2\nepsilon 1\n', 'e = 1 2')]:
        b.paste(CELL, text)
        if line not in b.run(TEXT).split('\n') \
                or ('pasted' in b.run(FAULT)) != (';; 3' in text):
            wrong.append((text, b.run(TEXT), b.run(FAULT)))
    return not wrong or wrong


def large_pastes_are_refused(b, page, size):
    """Of 100 x 100 the first rows and columns are shown, until all are asked
    for; nothing of more."""
    def square(m, n):
        return '\n'.join(' '.join(str((i * j) % 7) for j in range(n))
                         for i in range(m))
    open_own(b, page, size)
    b.run("[...document.querySelectorAll('#own button')].find(e => "
          "e.textContent == 'scores').click()")
    before = b.run(TEXT)
    for m, n in (500, 500), (101, 100):
        b.paste(CELL, square(m, n))
        if 'at most 10000' not in b.run(FAULT) or b.run(TEXT) != before:
            return m, b.run(FAULT)
    b.paste(CELL, square(100, 100))
    cells = "document.querySelectorAll('#own td').length"
    few = b.run(cells)
    b.run("[...document.querySelectorAll('#own button')].find(e => "
          "e.textContent == 'show all 100 × 100').click()")
    return b.run(FAULT) == '' and few < 3000 and b.run(cells) > 10000 \
        or (few, b.run(cells), b.run(FAULT))


def a_cell_takes_one_number(b, page, size):
    """What is not one number marks its own cell, stays in it until it is
    mended, and is no part of the sheet."""
    open_own(b, page, size)
    before, faults = b.run(TEXT), []
    cell = "document.querySelector('%s')" % CELL
    for typed in '1 2', '1;2', '1,5', '[1]]', '1..2':
        put(b, CELL, typed)
        put(b, CELL[:-5] + 'tr:last-child input', '0')      # another cell
        marked = b.run("[...document.querySelectorAll('#own [aria-invalid]')]"
                       ".map(e => e.value)")
        if marked != [typed] or b.run(cell + '.ariaInvalid') != 'true' \
                or b.run(TEXT) != before or not b.run(FAULT):
            faults.append((typed, marked, b.run(TEXT), b.run(FAULT)))
    put(b, CELL, 'sqrt(2)')
    return not faults and 'X = sqrt(2) 0 2' in b.run(TEXT) \
        and b.run(FAULT) == '' or faults


def a_picture_is_saved_as_one(b, page, size):
    own_numbers_are_judged(b, page, size)
    names = []
    for what in 'LaTeX', 'Markdown', 'picture', 'judged picture', 'report':
        b.run("[...document.querySelectorAll('#own button')].find(e => "
              "e.textContent == '%s').click()" % what)
        names.append(b.run("document.querySelector('#own .export a').download"))
    return names == ['sheet.tex', 'sheet.md', 'sheet.svg', 'sheet.svg',
                     'sheet.txt'] or names


def readers_of_screens_are_served(b, page, size):
    """What is opened takes the focus along; cells and numbers have roles and
    names, tables and their rows and columns, too; headings go down by one."""
    focus = "document.activeElement.closest('#own, #think, .worked')?.id"
    b.open(page, size)
    places = []
    for link in 'Check your own example', 'See a model think', \
            'an exercise', 'see a model do this', 'X and W':
        b.run("[...document.querySelectorAll('a, button')].find(e => "
              "e.textContent == '%s').focus()" % link)
        b.press('Enter')
        b.settle()
        places.append(b.run(focus))
    b.run("document.querySelector('#own details').open = true; "
          "document.querySelectorAll('.worked .head button')"
          ".forEach(e => e.click())")
    places.append(b.run(focus))
    b.run("ftx(['--version'])")
    b.settle()
    levels = b.run("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]"
                   ".map(h => +h.tagName[1])")
    jumps = [k for k, h in enumerate(levels[1:]) if h > levels[k] + 1]
    missing = [(role, name) for role, name in [
        ('textbox', 'X, row 2, column 3'), ('button', 'Q(1,1) = 3'),
        ('columnheader', '2'), ('rowheader', '2'), ('table', 'W_q'),
        ('table', 'Q'), ('heading', 'Line by line'),
        ('textbox', 'the sheet as text')] if name not in b.named('#own', role)]
    nameless = b.named('#own', 'button').count('') \
        + b.named('#own', 'textbox').count('') \
        + b.named('#think', 'button').count('')
    return places == ['own', 'think', 'own', 'think', 'own', ''] \
        and not jumps and not missing and not nameless \
        or (places, jumps, missing, nameless)


def what_people_look_for_is_found(b, page, size):
    """The first that is found is what was meant, and its link leads there."""
    b.open(page, size)
    with open(PROGRAM, encoding='utf-8') as file:
        volume_2 = file.read()
    missing = []
    for text, meant in [('sqrt', '√'), ('multihead', 'ulti-?head'),
                        ('beam', '[Bb]eam search'), ('KV cache', 'KV cache'),
                        ('W_q', 'W.?q')]:
        b.run("document.querySelector('#search input').value = ''")
        b.press('Escape')
        b.press('/')
        b.type(text)
        found, page, anchor = b.run("""(a => a ? [a.textContent.normalize('NFKC'),
          a.pathname.split('/').pop(), a.hash.slice(1)] : ['', '', ''])(
            document.querySelector('#search a'))""")
        there = 'id="%s"' % anchor in volume_2 if page == 'program.html' \
            else b.run("!!document.getElementById('%s')" % anchor)
        if not there or not re.search(meant, found):
            missing.append((text, found, page, anchor))
    return not missing or missing


def an_exercise_hides_its_answers(b, page, size):
    b.open(page, size)
    b.run("document.querySelector('#to-own').click()")
    b.run("ftx(['--version'])")
    b.run("[...document.querySelectorAll('#own button')].find(e => "
          "e.textContent == 'an exercise').click()")
    b.settle()
    return b.run("document.querySelectorAll('#own .claimed input').length > 8"
                 " && document.querySelectorAll('#own .values').length == 0")


def a_model_thinks(b, page, size):
    """Typed and Enter: the name comes token by token, as ftx translate has
    it; a head's picture opens its numbers."""
    b.open(page, size, '#think')
    b.run("ftx(['--version'])")
    b.run("(e => { e.focus(); e.select(); })("
          "document.querySelector('#think input'))")
    b.type('12')
    b.press('Enter')
    told = "document.querySelector('#think .said').textContent"
    for _ in range(100):
        if 'ends it' in b.run(told):
            break
        b.settle()
    name = plain(['translate', '--model', 'doc/numbers.ftx', '12']).strip()
    if b.run(told) != 'turn %d of %d: %s, and eos_token ends it' % (
            len(name) + 1, len(name) + 1, name):
        return b.run(told)
    heads = b.run("document.querySelectorAll('#think canvas').length")
    b.run("[...document.querySelectorAll('#think canvas')].at(-1)"
          ".closest('button').click()")
    sums = b.run("""(rows => rows[0].map((_, j) =>
      rows.reduce((sum, row) => sum + row[j], 0)))(
        [...document.querySelectorAll('#think .weights tbody tr')].map(tr =>
          [...tr.querySelectorAll('td')].map(td => +td.textContent)))""")
    return heads == 12 and len(sums) == len(name) + 1 \
        and all(abs(sum_ - 1) < 0.004 for sum_ in sums) or (heads, sums)


def same(x, y):
    """The same JSON, but for the last digit of a sine: the model has sines
    as positions, and another C library has its own."""
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(same(x[k], y[k]) for k in x)
    if isinstance(x, list):
        return len(x) == len(y) and all(map(same, x, y))
    return x == y or (isinstance(x, float)
                      and abs(x - y) <= 1e-12 * max(1, abs(x)))


def what_it_thinks_is_the_same(b, page, size):
    """Every step of a turn, in the page and of the native program."""
    b.open(page, size, '#think')
    b.run("ftx(['--version'])")
    b.settle()
    words = ['show', '--model', 'numbers.ftx', '--json', '--turn', '7', '4217']
    here = json.loads(b.run('ftx(%s)' % json.dumps(words)))
    return len(here['steps']) == 147 \
        and same(here, json.loads(plain(words, 'doc')))


def a_model_says_what_it_takes(b, page, size):
    b.open(page, size, '#think')
    b.run("ftx(['--version'])")
    b.settle()
    other = []
    for text in '0', '', '10000', '007', '12a':
        put(b, '#think input', text)
        b.run("document.querySelector('#think form button').click()")
        b.settle()
        if 'from 1 to 9999' not in b.run(
                "document.querySelector('#think .said.fault')?.textContent || ''") \
                or not b.run("!!document.querySelector('#think .stale')"):
            other.append(text)
    b.media(reduced_motion='reduce')            # the last turn, at once
    put(b, '#think input', '7')
    b.run("document.querySelector('#think form button').click()")
    b.settle()
    b.media()
    told = b.run("document.querySelector('#think .said').textContent")
    return not other and told.endswith(': seven, and eos_token ends it') \
        or (other, told)


def an_exercise_prints_with_its_key(b, page, size):
    """A page with empty boxes, and on the next the same ones filled in."""
    b.open(page, size)
    b.run("document.querySelector('#to-own').click(); "
          "window.print = () => { window.printed = true; }")
    b.run("ftx(['--version'])")
    b.run("[...document.querySelectorAll('#own button')].find(e => "
          "e.textContent == 'print both').click()")
    b.settle()
    boxes = b.run("""[...document.querySelectorAll('.paper')].map(p =>
      [...p.querySelectorAll('.boxes td')].map(td => td.textContent))""")
    pdf = base64.b64decode(b.send('Page.printToPDF')['data'])
    pages = len(re.findall(rb'/Type\s*/Page\b', pdf))
    b.settle()
    gone = b.run("window.printed && !document.querySelector('.paper')")
    return len(boxes) == 2 and len(boxes[0]) == len(boxes[1]) > 20 \
        and not any(boxes[0]) and all(boxes[1]) and pages == 2 and gone \
        or (boxes, pages, gone)


BOOK, PROGRAM = 'doc/ftx.html', 'doc/program.html'
LAWS = [
    (nothing_is_wider, PROGRAM, DESKTOP), (nothing_is_wider, PROGRAM, PHONE),
    (every_row_is_whole, BOOK, (1280, 900)), (every_row_is_whole, BOOK, PHONE),
    (a_line_is_led_to, BOOK, DESKTOP), (a_line_is_led_to, BOOK, PHONE),
    (a_line_is_found, BOOK, DESKTOP), (kinds_are_found, BOOK, DESKTOP),
    (contents_stay_in_view, BOOK, DESKTOP),
    (it_reads_in_the_dark, BOOK, DESKTOP),
    (the_program_says_the_same, BOOK, DESKTOP),
    (own_numbers_are_judged, BOOK, DESKTOP),
    (own_numbers_are_judged, BOOK, PHONE),
    (a_wrong_cell_is_told, BOOK, DESKTOP),
    (a_worked_example_is_live, BOOK, DESKTOP),
    (a_worked_example_is_live, BOOK, PHONE),
    (every_worked_example_is_live, BOOK, DESKTOP),
    (the_keyboard_suffices, BOOK, DESKTOP),
    (a_number_is_told_term_by_term, BOOK, DESKTOP),
    (a_broken_address_is_told, BOOK, DESKTOP),
    (an_address_holds_a_sheet, BOOK, DESKTOP),
    (every_sheet_goes_round, BOOK, DESKTOP),
    (red_is_for_wrong, BOOK, DESKTOP), (old_steps_are_dimmed, BOOK, DESKTOP),
    (pastes_are_read, BOOK, DESKTOP), (large_pastes_are_refused, BOOK, DESKTOP),
    (a_cell_takes_one_number, BOOK, DESKTOP),
    (a_picture_is_saved_as_one, BOOK, DESKTOP),
    (readers_of_screens_are_served, BOOK, DESKTOP),
    (what_people_look_for_is_found, BOOK, DESKTOP),
    (an_exercise_hides_its_answers, BOOK, DESKTOP),
    (an_exercise_prints_with_its_key, BOOK, DESKTOP),
    (a_model_thinks, BOOK, DESKTOP), (a_model_thinks, BOOK, PHONE),
    (what_it_thinks_is_the_same, BOOK, DESKTOP),
    (a_model_says_what_it_takes, BOOK, DESKTOP),
    (nothing_is_asked_for, BOOK, DESKTOP),
    (nothing_is_asked_for, PROGRAM, DESKTOP),
]


def main():
    shots = sys.argv[2] if sys.argv[1:2] == ['--shots'] else None
    failed = 0
    subprocess.run(BUILD, check=True)
    b = Browser()
    for law, page, size in LAWS:
        try:
            said = law(b, page, size)
            thrown = b.faults()
            said = said if not thrown else (said, thrown)
        except RuntimeError as error:
            said = error
        name = '%s, %s, %d wide' % (law.__name__.replace('_', ' '), page,
                                    size[0])
        if shots:
            os.makedirs(shots, exist_ok=True)
            b.picture('%s/%s.png' % (shots, name.replace('/', '-')))
        if said is not True:
            failed += 1
            print('FAILED: %s: %s' % (name, said))
    b.close()
    print('%d passed, %d failed' % (len(LAWS) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
