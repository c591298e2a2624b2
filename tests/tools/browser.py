#!/usr/bin/env python3
"""browser.py [LAW...]: the woven pages in a real browser.

Headless Chromium is driven through its debugging protocol, by a pipe; nothing
is needed but Python's own library. A law opens its page, does what a person
would, and says what is to be seen: b.equal(what is, what should be). Ends with
`N passed, N failed`. LAW: a part of a law's name.
"""
import base64
import glob
import json
import math
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile

DESKTOP, PHONE = (1440, 900), (390, 844)
BOOK, PROGRAM = 'doc/ftx.html', 'doc/program.html'
OWN = '#own '
CELL = OWN + '.given .grid input'
SAID, FAULT = OWN + '.said', OWN + '.said.fault'
LAWS = []


def law(*places):
    """A law of these pages, each at these sizes."""
    def add(function):
        LAWS.extend((function, page, size) for page, *sizes in places
                    for size in sizes)
        return function
    return add


on_desktop = law((BOOK, DESKTOP))
on_both = law((BOOK, DESKTOP, PHONE))


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

    # ------------------------------------------------------- the protocol

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

    def close(self):
        self.session = None
        try:
            self.send('Browser.close')
        except (EOFError, OSError):
            pass
        self.process.wait(20)
        shutil.rmtree(self.dir, ignore_errors=True)

    # ------------------------------------------------------------- a law

    def judge(self, function, page, size):
        """What is wrong with a law on a page."""
        self.page, self.size, self.faults = page, size, []
        try:
            function(self)
            self.faults += [
                e['params']['exceptionDetails'] for e in self.events
                if e.get('method') == 'Runtime.exceptionThrown']
        except RuntimeError as error:
            self.faults.append(error)
        self.events.clear()
        return self.faults

    def equal(self, is_, wanted, about=''):
        if is_ != wanted:
            self.faults.append('%s %r, but wanted is %r' % (about, is_, wanted))

    def holds(self, condition, *about):
        if not condition:
            self.faults.append(about or 'it does not hold')

    # ---------------------------------------------------- what a person does

    def go(self, place=''):
        self.actions = 0
        self.send('Emulation.setDeviceMetricsOverride', width=self.size[0],
                  height=self.size[1], deviceScaleFactor=1,
                  mobile=self.size == PHONE)
        self.send('Page.navigate', url='about:blank')
        self.send('Page.navigate',
                  url='file://' + os.path.abspath(self.page) + place)

    def open(self, place=''):
        self.go(place)
        self.run("new Promise(done => document.readyState == 'complete' ? "
                 "done() : addEventListener('load', () => done()))")
        self.settle()

    def settle(self):
        self.run('new Promise(done => requestAnimationFrame(() => '
                 'requestAnimationFrame(() => setTimeout(done, 50))))')

    def start(self):
        """The program in the page is there."""
        self.run("ftx(['--version'])")
        self.settle()

    def open_own(self):
        self.open()
        self.click('#to-own')
        self.start()
        self.run("document.querySelector('#own details').open = true")

    def media(self, **features):
        self.send('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-' + name.replace('_', '-'), 'value': value}
            for name, value in features.items()])

    def click(self, place):
        self.actions += 1
        self.run("document.querySelector('%s').click()" % place)
        self.settle()

    def push(self, label, place='#own button', do='click'):
        """The first that has this label, or this title."""
        self.run("[...document.querySelectorAll('%s')].find(e => e.textContent"
                 " == '%s' || e.title == '%s').%s()" % (place, label, label, do))
        self.settle()

    def type(self, text):
        self.send('Input.insertText', text=text)

    def press(self, key):
        for kind in 'keyDown', 'keyUp':
            text = {'text': '\r', 'windowsVirtualKeyCode': 13} \
                if key == 'Enter' else {'text': key} if len(key) == 1 else {}
            self.send('Input.dispatchKeyEvent', type=kind, key=key, code=key,
                      **(text if kind == 'keyDown' else {}))

    def put(self, place, text, key='Tab'):
        """Types into what a selector finds: the old goes."""
        self.run("(e => { e.focus(); e.select(); })(document.querySelector("
                 "'%s'))" % place)
        self.type(text)
        self.press(key)
        self.settle()

    def search(self, text):
        self.run("document.querySelector('#search input').value = ''")
        self.press('Escape')
        self.press('/')
        self.type(text)

    def paste(self, place, text):
        """Copies the text and pastes it where a person would."""
        self.actions += 1
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

    # ---------------------------------------------------- what a person sees

    def text(self, place):
        return self.run("document.querySelector('%s')?.textContent || ''" % place)

    def value(self, place='#own textarea'):
        return self.run("document.querySelector('%s').value" % place)

    def all(self, place, what='textContent'):
        return self.run("[...document.querySelectorAll('%s')].map(e => e.%s)"
                        % (place, what))

    def count(self, place):
        return self.run("document.querySelectorAll('%s').length" % place)

    def is_in_sight(self, place):
        return self.run("""(r => r.top >= 0 && r.bottom <= innerHeight)(
          document.querySelector('%s').getBoundingClientRect())""" % place)

    def named(self, place, role):
        """The names of what has that role for readers of screens."""
        found = self.send('Accessibility.queryAXTree', role=role,
                          objectId=self.run("document.querySelector('%s')"
                                            % place, False))['nodes']
        return [node.get('name', {}).get('value', '') for node in found
                if not node['ignored']]


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


def sheets_of(*folders):
    """The names and texts of sheets."""
    for name in sorted(sum((glob.glob('tests/data/%s/*.sheet' % folder)
                            for folder in folders), [])):
        with open(name, encoding='utf-8', errors='surrogateescape') as file:
            yield name, file.read()


def plain_of(words, text):
    """What the plain program says of the sheet `sheet`."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/sheet', 'w', encoding='utf-8',
                  errors='surrogateescape') as file:
            file.write(text)
        return plain(words, folder)


# ------------------------------------------------------------- the book

def open_all(b):
    """Every part of the page is open, and laid out also where it is not in sight."""
    b.open()
    if b.page == BOOK:
        b.start()
        for place in 'own', 'think':
            b.run("location.hash = '%s'" % place)
            b.start()
        b.put('#own textarea', README)
        b.run("document.querySelectorAll('.tabs button:last-child, .worked .head button')"
              ".forEach(e => e.click())")
        b.start()
    b.run("document.querySelectorAll('section').forEach(s =>"
          " s.style.contentVisibility = 'visible')")
    b.settle()


@law(*((page, *((width, 900) for width in (320, 480, 768, 1100, 1280, 1920)))
       for page in (BOOK, PROGRAM)))
def nothing_is_wider(b):
    open_all(b)
    b.holds(b.run('document.documentElement.scrollWidth') <= b.size[0], 'wide')


# What is written with a contrast below 4.5, or 3 where it is large, and what
# has no outline when the keyboard comes to it.
ILLEGIBLE = """(() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }),
        faults = {}, seen = {}, walk = document.createTreeWalker(document.body, 4);
  function is_new(e, kind) {            // one of each kind of element
    for (let k = 0; e && k < 3; k++, e = e.parentElement) kind += e.tagName + '.' + e.className;
    return !seen[kind] && (seen[kind] = true);
  }
  function over(colour, under) {
    pen.fillStyle = `rgb(${under})`;
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }
  const ground = e => !e ? [255, 255, 255]
    : over(getComputedStyle(e).backgroundColor, ground(e.parentElement));
  const light = colour => colour.map(x => x / 255).map(x =>
    x < .04 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4)
    .reduce((sum, x, k) => sum + x * [.2126, .7152, .0722][k], .05);
  function judge(e, text) {
    const style = getComputedStyle(e), under = ground(e),
          [dark, bright] = [under, over(style.color, under)].map(light).sort((a, b) => a - b);
    if (bright / dark < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5))
      faults[text.slice(0, 40)] = bright / dark;
  }
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, text = walk.currentNode.data.trim();
    if (text && is_new(e, '') && !e.closest('script, svg') && e.checkVisibility()) judge(e, text);
  }
  document.querySelectorAll('input, a, button, select, textarea, summary, [tabindex]').forEach(e => {
    if (!is_new(e, 'focused ') || !e.checkVisibility()) return;
    if (e.value) judge(e, e.value);
    e.focus({ focusVisible: true, preventScroll: true });
    if (e == document.activeElement && e.tabIndex == 0
        && !parseFloat(getComputedStyle(e).outlineWidth)) faults[e.outerHTML.slice(0, 90)] = 0;
  });
  return faults;
})()"""


@law((BOOK, (1280, 900)), (PROGRAM, (1280, 900)))
def everything_is_legible(b):
    """In both schemes; all controls have names; nothing moves for who asks."""
    for scheme in 'light', 'dark':
        b.media(color_scheme=scheme, reduced_motion='reduce')
        open_all(b)
        b.press('Tab')
        b.equal(b.run(ILLEGIBLE), {}, scheme)
    for role in 'button', 'textbox', 'combobox', 'spinbutton', 'searchbox':
        b.equal(b.named('body', role).count(''), 0, role)
    b.equal(b.run("[...document.links].filter(a => !a.textContent.trim()).length"), 0)
    if b.page == BOOK:
        b.put('.chain .at-x input', '7')
        b.holds(b.count('.chain .changed') > 9)
        b.equal(b.run('document.getAnimations().length'), 0)
    b.media()


@law((BOOK, (1280, 900)))
def every_rule_keeps_to_its_part(b):
    """In the layer of a part each rule begins with the part's root."""
    b.open()
    found = b.run("""[...document.styleSheets[0].cssRules].filter(layer => layer.cssRules)
      .map(layer => [layer.name, [...layer.cssRules].map(r => r.selectorText || '')])""")
    b.equal([name for name, _ in found],
            ['page', 'book', 'first', 'bench', 'model', 'narrow', 'paper'])
    roots = {'first': '#first', 'bench': r'\.bench|#own ', 'model': '#think'}
    b.equal([rule for name, rules in found for rule in rules
             if not re.match(roots.get(name, ''), rule)], [])


def renderer_memory(b):
    """In MB, without what is shared with other programs."""
    b.send('HeapProfiler.collectGarbage')
    session, b.session = b.session, None
    processes = b.send('SystemInfo.getProcessInfo')['processInfo']
    b.session = session
    sizes = [re.search(r'RssAnon:\s*(\d+)', open('/proc/%d/status' % p['id']).read())
             for p in processes if p['type'] == 'renderer']
    return max(int(size[1]) for size in sizes) / 1000


@law((BOOK, (1280, 900)), (PROGRAM, (1280, 900)))
def it_is_light(b):
    """First text in 0.5 s, interactive in 1.5 s, 4 MB, 200 MB of memory: the best of
    three; as other programs run beside it, only four times that time fails."""
    b.holds(os.path.getsize(b.page) < 4e6, 'bytes')
    times = []
    for _ in range(3):
        b.open()
        times.append(b.run("""new Promise(function look(done) {
          const text = performance.getEntriesByName('first-contentful-paint')[0];
          if (text && document.querySelector('.chain button, body:not(:has(#first))'))
            done([text.startTime, performance.now()]);
          else setTimeout(look, 10, done);
        })"""))
    text, ready = map(min, zip(*times))
    memory = renderer_memory(b)
    print('# %s: first text %.0f ms, interactive %.0f ms, %.0f MB'
          % (b.page, text, ready, memory))
    b.holds(text < 4 * 500 and ready < 4 * 1500 and memory < 200, text, ready, memory)


@law((BOOK, (1280, 900)))
def dragging_keeps_up(b):
    """A frame is ready within a 60th of a second: the best of three draws; fails at
    four times that."""
    b.open()
    b.start()
    b.send('Performance.enable')
    x, y = b.run("(r => [r.left + 9, r.top + 9])(document.querySelector("
                 "'.chain .at-x input').getBoundingClientRect())")

    def mouse(kind, by=0):
        b.send('Input.dispatchMouseEvent', type=kind, x=x + by, y=y,
               button='left', buttons=1, clickCount=1)

    def busy():                         # seconds of the page's thread
        return {m['name']: m['value'] for m in
                b.send('Performance.getMetrics')['metrics']}['TaskDuration']

    def draw():
        mouse('mousePressed')
        b.run("frames = 0; (function count() { frames += 1; "
              "counting = requestAnimationFrame(count); })()")
        before = busy()
        for k in range(60):
            mouse('mouseMoved', 4 * k)
        time = busy() - before
        mouse('mouseReleased')
        return 1000 * time / b.run('cancelAnimationFrame(counting), frames')
    frame = min(draw() for _ in range(3))
    print('# a frame while dragging: %.1f ms' % frame)
    b.holds(frame < 4 * 1000 / 60, frame)


@on_both
def it_needs_no_script(b):
    """Then the first screen is a picture and the book: no door leads nowhere."""
    b.send('Emulation.setScriptExecutionDisabled', value=True)
    b.go()
    while b.run("location.protocol + document.readyState") != 'file:complete':
        pass
    top, doors = b.run("""[
      document.querySelector('.picture svg').getBoundingClientRect().top,
      [...document.querySelectorAll('#first a, button')].filter(e => e.checkVisibility())
        .map(e => e.hash)]""")
    b.send('Emulation.setScriptExecutionDisabled', value=False)
    b.holds(top < b.size[1], top)
    b.equal(doors, ['#how-to-read'])


@on_desktop
def it_prints_as_a_book(b):
    open_all(b)
    b.send('Emulation.setEmulatedMedia', media='print')
    b.equal(b.run("""[...document.querySelectorAll('button, input, select, textarea, .bench')]
      .filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 90))"""), [])
    b.send('Emulation.setEmulatedMedia', media='')


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


@law((BOOK, (1280, 900), PHONE))
def every_row_is_whole(b):
    b.open()
    b.run("document.querySelectorAll('section').forEach(s =>"
          " s.style.contentVisibility = 'visible')")
    for scheme in 'light', 'dark':
        b.media(color_scheme=scheme)
        b.settle()
        b.equal(b.run(ROWS)[:9], [], scheme)
    b.media()


@on_desktop
def a_line_is_found(b):
    b.open()
    b.search('8.16')
    b.press('Enter')
    b.settle()
    b.equal(b.run('location.hash'), '#algorithm-8.16')
    b.holds(b.is_in_sight('[id="algorithm-8.16"]'))
    b.open('#8.16')
    b.holds(b.is_in_sight('[id="8.16"]'))


@on_desktop
def what_people_look_for_is_found(b):
    """The first that is found is what was meant, and its link leads there."""
    b.open()
    with open(PROGRAM, encoding='utf-8') as file:
        volume_2 = file.read()
    for text, meant in [('sqrt', '√'), ('multihead', 'ulti-?head'),
                        ('beam', '[Bb]eam search'), ('KV cache', 'KV cache'),
                        ('W_q', 'W.?q')]:
        b.search(text)
        found, page, anchor = b.run("""(a => a ? [a.textContent.normalize('NFKC'),
          a.pathname.split('/').pop(), a.hash.slice(1)] : ['', '', ''])(
            document.querySelector('#search a'))""")
        there = 'id="%s"' % anchor in volume_2 if page == 'program.html' \
            else b.run("!!document.getElementById('%s')" % anchor)
        b.holds(there and re.search(meant, found), text, found, page, anchor)


@law((BOOK, DESKTOP), (PROGRAM, DESKTOP))
def nothing_is_asked_for(b):
    b.events.clear()
    b.open()
    asked = [e['params']['request']['url'] for e in b.events
             if e.get('method') == 'Network.requestWillBeSent']
    b.holds(all(url.startswith(('file:', 'about:', 'data:')) for url in asked), asked)
    b.equal([e for e in b.events if e.get('method') == 'Log.entryAdded'], [])


# ------------------------------------------------- the program in the page

@on_desktop
def the_program_says_the_same(b):
    """The page's program and the native one, on every sheet, to the byte."""
    b.open()
    for name, text in sheets_of('worked', 'hand', 'starts'):
        for command in 'show', 'check':
            words = [command, '--json', 'sheet']
            here = b.run('ftx(%s, %s).catch(error => error.message)'
                         % (json.dumps(words), json.dumps(text)))
            b.holds(here.strip() == plain_of(words, text).strip(), command, name)


README = """algorithm 4
layout textbook
X  = 1 0 2 ; 0 1 1
Wq = 1 0 ; 0 1 ; 1 0
Wk = 0 1 ; 0 1 ; 1 0
Wv = 2 0 ; 0 4 ; 1 0
claim S  = 6 3 ; 3 2
claim A  = 0.953 0.047 ; 0.731 0.269
claim V_tilde = 3.858 0.190 ; 3.193 1.076
"""


SUM = r"(.*?)\((\d),(\d)\) = (.*) = ([^ ,]*)(?:, where.*)?$"


@on_both
def the_first_screen_explains_itself(b):
    """Each number's line, C and sum light up together, and the sum is right."""
    b.open()
    b.start()
    seen = b.run("""[...document.querySelectorAll('.chain button')].map(cell => {
      cell.focus();
      const sum = document.querySelector('#first .sum');
      return [cell.textContent, cell.closest('.link').querySelector('a').textContent,
              ...[...sum.querySelectorAll('p')].map(p => p.textContent),
              document.querySelectorAll('.chain .from').length];
    })""")
    b.equal(len(seen), 3 * 6 + 2 * 9 + 6)
    for shown, line, formula, code, terms, lit in seen:
        name, _, _, sum_, value = re.match(SUM, terms).groups()
        b.holds(formula.startswith(line + ' ') and {'Ṽ': 'V_tilde'}.get(name, name) in code and lit >= 3, terms)
        b.equal(value, shown)
        sum_ = re.sub(r'e\^([\d.−]+)', r'math.exp(\1)', sum_)
        is_ = eval(sum_.replace('·', '*').replace('−', '-'))
        b.holds(abs(is_ - float(shown.replace('−', '-'))) < 0.06, terms)


@on_desktop
def a_number_is_typed_stepped_or_drawn(b):
    """Everything behind a number of X changes with it; nothing else does."""
    b.open()
    b.start()
    first = '.chain .at-x input'
    drag = b.run("(r => [r.left + 9, r.top + 9])(document.querySelector('%s')"
                 ".getBoundingClientRect())" % first)
    changed = ("[...new Set([...document.querySelectorAll('.chain .changed')]"
               ".map(e => e.closest('.link').className.slice(8)))].join(' ')")
    for act, value in [
            (lambda: b.put(first, '3'), '3'),
            (lambda: (b.run("document.querySelector('%s').focus()" % first),
                      b.press('ArrowDown')), '2.5')]:
        act()
        b.settle()
        b.equal(b.value(first), value)
        b.equal(b.run(changed), 'x q k v s a vt')
    for kind, x in ('mousePressed', 0), ('mouseMoved', 60), ('mouseReleased', 60):
        b.send('Input.dispatchMouseEvent', type=kind, x=drag[0] + x, y=drag[1],
               button='left', buttons=1, clickCount=1)
    b.settle()
    b.equal(b.value(first), '3.5')


# What students paste, and what they are told. The examples are published: by Karim
# (the scores are not scaled), in Alammar's Illustrated Transformer, on Machine
# Learning Mastery, in a lecture's slides, in a course, on Wikipedia, in Dive into Deep
# Learning. Then some with the slips that people make.
RIGHT = 'All that is claimed is right'
PASTED = [
    ('X = [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]\n'
     'W_k = [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]]\n'
     'W_q = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]]\n'
     'W_v = [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]]\n'
     'claim V_tilde = 1.9366 6.6831 1.5951 ; 2.0000 7.9640 0.0540 ; 1.9997 7.7599 0.3584',
     'as if the 1/√d_attn is left out'),
    ('scores = 112 96\nd_attn 64\nalpha = 0.88 0.12', RIGHT),
    ('X = np.array([[1,0,0],[0,1,0],[1,1,0],[0,0,1]])\nW_Q = [[2,0,2],[2,0,0],[2,1,2]]\n'
     'W_K = [[2,2,2],[0,2,1],[0,1,1]]\nW_V = [[1,1,0],[0,1,1],[0,0,0]]\nlayout textbook\n'
     'V_tilde = [[0.98522025 1.74174051 0.75652026]\n [0.90965265 1.40965265 0.5       ]\n'
     ' [0.99851226 1.75849334 0.75998108]\n [0.99560386 1.90407309 0.90846923]]', RIGHT),
    (dict(sheets_of('worked/published'))['tests/data/worked/published/masked-4x4.sheet'], RIGHT),
    ('logits = 2 1 0.1\np = 0.659 0.242 0.099', RIGHT),
    ('z = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0]\n'
     'p = [0.024, 0.064, 0.175, 0.475, 0.024, 0.064, 0.175]', RIGHT),
    ('e = [1, 2]\ne_hat = [-1.0000,  1.0000]', RIGHT),
    ('Q = [[1, 0], [0, 1]]\nK = [[1, 1], [0, 2]]\nV = [[1, 2], [3, 4]]\n'
     'A = [[0.5, 0.5], [0.33, 0.67]]', 'A (Algorithm 4, line 6)'),
    ('algorithm 6\nepsilon 0\ne = 1 2 3 6\nm = 3\nv = 4.67', 'by n - 1'),
    ('logits = 2 1 0.1\np = 0.62 0.27 0.11', 'p (Algorithm 7, line 1)'),
    (README, '1/√d_attn is left out'),
    ('tensor Q: [[1, 2]]', 'line 1, column'),
]


@on_both
def what_is_pasted_is_judged(b):
    """From opening the page to the verdict in five actions; in two: a door, and a paste."""
    for text, told in PASTED:
        b.open()
        b.start()
        b.click('#first .doors a')
        b.start()
        b.equal(b.run("document.activeElement.tagName"), 'TEXTAREA')
        b.paste('#own textarea', text)
        b.holds(told in b.text(SAID), text, told, b.text(SAID), b.text('#own .taken'))
        b.holds(b.actions <= 5 and b.is_in_sight(SAID), b.actions, text)
    print('# %d students, %d actions each' % (len(PASTED), b.actions))


@on_both
def own_numbers_are_judged(b):
    b.open_own()
    b.put('#own textarea', README)
    b.holds(b.text(SAID).startswith('first wrong step: A'), b.text(SAID))
    b.holds('is left out' in b.text('#own .why'), b.text('#own .why'))
    b.equal(b.count('#own [data-verdict=wrong]'), 4, 'wrong')
    b.equal(b.count('#own [data-verdict=follows]'), 4, 'follow')
    b.run("[...document.querySelectorAll('#own .step')].find(s => "
          "s.textContent.includes('Q Kᵀ')).querySelector('td button').click()")
    b.equal(b.text(SAID), 'S: (1,1) is 3·2 + 0·1 = 6')


@on_desktop
def a_cell_takes_one_number(b):
    """What is not one number marks its own cell, stays in it until it is
    mended, and is no part of the sheet."""
    b.open_own()
    b.put(CELL, '7')
    b.put(CELL, '1')
    before = b.value()
    for typed in '1 2', '1;2', '1,5', '[1]]', '1..2':
        b.put(CELL, typed)
        b.put(CELL[:-5] + 'tr:last-child input', '0')       # another cell
        b.equal(b.all('#own [aria-invalid]', 'value'), [typed])
        b.equal(b.run("document.querySelector('%s').ariaInvalid" % CELL), 'true')
        b.equal(b.value(), before)
        b.holds(b.text(FAULT), typed)
    b.put(CELL, 'sqrt(2)')
    b.holds('X = sqrt(2) 0 2' in b.value() and not b.text(FAULT), b.value())


@on_desktop
def every_worked_example_is_live(b):
    """All fifteen compute, and nothing is wrong with any."""
    b.open()
    b.run("document.querySelectorAll('.worked .head button')"
          ".forEach(e => e.click())")
    b.start()
    steps = b.run("[...document.querySelectorAll('.worked')].map(w => "
                  "w.querySelector('.said.fault') ? -1 : "
                  "w.querySelectorAll('.step').length)")
    b.holds(len(steps) == 15 and min(steps) >= 1 and sum(steps) > 120, steps)
    b.run("document.querySelectorAll('.worked .steps > details > summary').forEach(e => e.click())")
    b.settle()
    b.holds(b.count('.worked .step') > 2 * sum(steps), 'the lines inside')
    b.run("[...document.querySelectorAll('.worked')].find(w => "
          "w.textContent.includes('alg04.sheet')).id = 'tried'")
    b.equal(b.count('#tried td.changed'), 0)
    b.put('#tried .grid input', '5')
    b.holds(b.count('#tried td.changed') > 3)


@law((BOOK, (1280, 900), PHONE))
def numbers_stand_beside_the_lines(b):
    """Those of the worked example, as it is now; arrows go line by line."""
    b.open()
    b.start()
    b.run("document.querySelectorAll('.tabs button:last-child').forEach(e => e.click())")
    b.start()
    seen = b.run("""[...document.querySelectorAll('.algorithm')].map(a =>
      [...a.closest('.level2').querySelectorAll('.row:has(.numbers)')].length)""")
    b.holds(len(seen) == 15 and all(seen), seen)
    last = ("(t => [...t].map(r => r.textContent))([...document.getElementById('4.6')"
            ".closest('.row').querySelectorAll('.numbers table')].at(-1).rows)")
    b.equal(b.run(last), ['576.60', '846.00'])
    b.run("document.getElementById('4.5').closest('.row').focus()")
    b.press('ArrowDown')
    b.equal(b.run("document.activeElement.querySelector('.n').textContent"), '4.6')
    b.run("(w => { w.querySelector('.head button').click(); w.id = 'tried'; })"
          "(document.getElementById('alg4').querySelector('.worked'))")
    b.start()
    b.put('#tried .grid input', '5')
    b.holds(b.run(last) != ['576.60', '846.00'])


@law((BOOK, PHONE))
def columns_are_tabs(b):
    """Of the pseudocode, the C and the numbers each tab shows its own; a loop can be
    closed, and a link to its line opens it."""
    seen = """(row => ['.f', 'code', '.numbers'].filter(part =>
      [...row.querySelectorAll(part)].some(e => e.checkVisibility())))(
        document.getElementById('4.4').closest('.row'))"""
    b.open('#alg4')
    b.equal(b.run(seen), ['.f', 'code'])
    for tab, parts in ('pseudocode', ['.f']), ('C', ['code']), ('numbers', ['.numbers']):
        b.push(tab, '#alg4 .tabs button')
        b.start()
        b.equal(b.run(seen), parts)
    b.push('numbers', '#alg4 .tabs button')
    b.equal(b.run(seen), ['.f', 'code'])
    b.run("document.querySelector('#algorithm-8 summary').click()")
    b.holds(not b.run("document.getElementById('algorithm-8.5').checkVisibility()"))
    b.run("location.hash = 'algorithm-8.5'")
    b.settle()
    b.holds(b.run("document.getElementById('algorithm-8.5').checkVisibility()"))


@on_desktop
def the_keyboard_suffices(b):
    """From the contents to a cell, to a number's terms, without a mouse."""
    b.open()
    b.run("document.querySelector('#to-own').focus()")
    b.press('Enter')
    b.start()
    b.run("document.querySelector('#own button').focus()")

    def tab_to(place):
        for _ in range(150):
            if b.run("document.activeElement.matches('%s')" % place):
                return
            b.press('Tab')
        raise RuntimeError(place + ' is not reached')
    tab_to(CELL)
    b.run("document.activeElement.select()")
    b.type('7')
    b.press('ArrowDown')
    b.settle()
    below = b.run("document.activeElement.dataset.id")
    b.holds(below.endswith('-1-0'), below)
    b.holds(b.count('#own td.changed') > 3)
    tab_to('#own .step td button')
    b.press('Enter')
    b.settle()
    b.equal(b.text(SAID), 'Q: (1,1) is 7·1 + 0·0 + 2·1 = 9')


@on_desktop
def an_address_holds_a_sheet(b):
    """One that is broken can be mended: the text is shown, the place named."""
    b.open('#sheet=algorithm%207%0Alogits%20%3D%201%202%0A')
    b.start()
    b.equal(b.value(), 'algorithm = 7\nlogits = 1 2\n')
    b.equal(b.run("document.activeElement.id"), 'own')
    b.open('#sheet=algorithm%204%0AX%20=%20%E0%A4%A')
    b.start()
    b.holds(b.text(FAULT).startswith('line 2, column 5'), b.text(FAULT))
    b.holds('X =' in b.value('#own details[open] textarea'))


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


@on_desktop
def every_sheet_goes_round(b):
    """360 exercises, the keys of 60, and the sheets of the repository."""
    words = ['exercise --algorithm %d --seed %d --layout %s%s'
             % (algorithm, seed, layout, key) for algorithm in range(1, 16)
             for layout in ('paper', 'textbook', 'torch', 'berkeley')
             for seed in range(1, 7)
             for key in ('', ' --key')[:1 if seed < 6 else 2]]
    sheets = [(name, plain(name.split())) for name in words]
    sheets += [(name, text) for name, text in sheets_of('*')
               if plain_of(['show', '--json', 'sheet'], text).startswith('{')]
    b.open_own()
    b.equal(b.run(ROUND % json.dumps(sheets))[:9], [])
    b.holds(len(sheets) > 500, len(sheets))


@on_desktop
def large_pastes_are_refused(b):
    """Of 100 x 100 the first rows and columns are shown, until all are asked
    for; nothing of more."""
    def scores(m, n):
        return 'algorithm 4\nd_attn 4\nS = ' + ' ; '.join(
            ' '.join(str((i * j) % 7) for j in range(n)) for i in range(m))
    b.open_own()
    for m, n in (500, 500), (101, 100):
        b.paste('#own textarea', scores(m, n))
        b.holds('at most 10000' in b.text(FAULT), m, b.text(FAULT))
    b.paste('#own textarea', scores(100, 100))
    b.equal(b.text(FAULT), '')
    b.holds(b.count('#own td') < 3000)
    b.push('show all 100 × 100')
    b.holds(b.count('#own td') > 10000)


@on_desktop
def a_picture_is_saved_as_one(b):
    b.open_own()
    b.put('#own textarea', README)
    for what, file in ('Markdown', 'md'), ('report', 'txt'), ('picture', 'svg'), ('LaTeX', 'tex'):
        b.push(what)
        b.equal(b.run("document.querySelector('#own .aside a').download"),
                'sheet.' + file)
    b.holds('&= \\begin{pmatrix} \\textcolor{red}{0.953} \\to 0.893 & ' in b.text('#own .aside'))
    b.push('show with and without')
    b.equal(b.all('#own .compared tr')[1:3], ['S_scaled(1,1)4.2436.000', 'A(1,1)0.8930.953'])
    b.push('link')
    b.holds(b.run('location.hash').startswith('#sheet=algorithm%20'))


@on_desktop
def readers_of_screens_are_served(b):
    """What is opened takes the focus along; cells and numbers have roles and
    names, tables and their rows and columns, too; headings go down by one."""
    focus = "document.activeElement.closest('#own, #think, .worked')?.id"
    b.open()
    for link, place in [('Check my numbers', 'own'),
                        ('See a model think', 'think'), ('an exercise', 'own'),
                        ('see a model do this', 'think')]:
        b.push(link, 'a, button', 'focus')
        b.press('Enter')
        b.settle()
        b.equal(b.run(focus), place, link)
    b.push('show the numbers')
    b.run("document.querySelector('#own details').open = true")
    b.put('#own textarea', README)
    b.run("document.querySelectorAll('.worked .head button')"
          ".forEach(e => e.click())")
    b.equal(b.run(focus), '')
    b.start()
    levels = [int(tag[1]) for tag in b.all('h1, h2, h3, h4, h5, h6', 'tagName')]
    b.equal([k for k, h in enumerate(levels[1:]) if h > levels[k] + 1], [])
    for role, name in [
            ('textbox', 'X, row 2, column 3'), ('button', 'Q(1,1) = 3'),
            ('columnheader', '2'), ('rowheader', '2'), ('table', 'Wq'),
            ('table', 'Q'), ('heading', 'Line by line'),
            ('textbox', 'the sheet as text')]:
        b.holds(name in b.named('#own', role), role, name)
    for place, role in ('#own', 'button'), ('#own', 'textbox'), ('#think', 'button'):
        b.equal(b.named(place, role).count(''), 0, role)


@on_desktop
def an_exercise_prints_with_its_key(b):
    """A page with empty boxes, and on the next the same ones filled in."""
    b.open_own()
    b.push('an exercise')
    b.holds(b.count('#own .claimed input') > 8)
    b.equal(b.count('#own .values'), 0)
    b.run("window.print = () => { window.printed = true; }")
    b.push('print both')
    boxes = b.run("""[...document.querySelectorAll('.paper')].map(p =>
      [...p.querySelectorAll('.boxes td')].map(td => td.textContent))""")
    pdf = base64.b64decode(b.send('Page.printToPDF')['data'])
    b.equal(len(re.findall(rb'/Type\s*/Page\b', pdf)), 2, 'pages')
    b.settle()
    b.holds(b.run("window.printed && !document.querySelector('.paper')"))
    b.holds(len(boxes) == 2 and len(boxes[0]) == len(boxes[1]) > 20
            and not any(boxes[0]) and all(boxes[1]), boxes)


# --------------------------------------------------- the model in the page

@on_both
def a_model_thinks(b):
    """Typed and Enter: the name comes token by token, as ftx translate has
    it; a head's picture opens its numbers."""
    b.open('#think')
    b.start()
    b.put('#think input', '12', 'Enter')
    for _ in range(100):
        if 'ends it' in b.text('#think .said'):
            break
        b.settle()
    name = plain(['translate', '--model', 'doc/numbers.ftx', '12']).strip()
    turns = len(name) + 1
    b.equal(b.text('#think .said'), 'turn %d of %d: %s, and eos_token ends it'
            % (turns, turns, name))
    b.equal(b.count('#think .heat'), 12)
    b.run("[...document.querySelectorAll('#think .heat')].at(-1)"
          ".closest('button').click()")
    sums = b.run("""(rows => rows[0].map((_, j) =>
      rows.reduce((sum, row) => sum + row[j], 0)))(
        [...document.querySelectorAll('#think .weights tbody tr')].map(tr =>
          [...tr.querySelectorAll('td')].map(td => +td.textContent)))""")
    b.holds(len(sums) == turns and all(abs(s - 1) < 0.004 for s in sums), sums)


def same(x, y):
    """The same JSON, but for the last digit of a sine: the model has sines
    as positions, and another C library has its own."""
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(same(x[k], y[k]) for k in x)
    if isinstance(x, list):
        return len(x) == len(y) and all(map(same, x, y))
    return x == y or (isinstance(x, float)
                      and abs(x - y) <= 1e-12 * max(1, abs(x)))


@on_desktop
def what_it_thinks_is_the_same(b):
    """Every step of a turn, in the page and of the native program."""
    b.open('#think')
    b.start()
    words = ['show', '--model', 'numbers.ftx', '--json', '--turn', '7', '4217']
    here = json.loads(b.run('ftx(%s)' % json.dumps(words)))
    b.equal(len(here['steps']), 147)
    b.holds(same(here, json.loads(plain(words, 'doc'))))


@on_desktop
def a_model_says_what_it_takes(b):
    b.open('#think')
    b.start()
    for text in '0', '', '10000', '007', '12a':
        b.put('#think input', text)
        b.click('#think form button')
        b.holds('from 1 to 9999' in b.text('#think .said.fault')
                and b.count('#think .stale'), text)
    b.media(reduced_motion='reduce')            # the last turn, at once
    b.put('#think input', '7')
    b.click('#think form button')
    b.media()
    said = b.text('#think .said')
    b.holds(said.endswith(': seven, and eos_token ends it'), said)


@on_both
def a_token_climbs(b):
    """What would be predicted from the newest token's states, and what is
    added to them; beside it with all parts, or of a second number."""
    def climbs():
        return b.run("""[...document.querySelectorAll('#think .layers table')]
          .map(table => [table.caption.textContent,
            ...[...table.querySelectorAll('.next > span:first-child')]
              .map(e => e.textContent),
            [...table.rows].map(row => row.querySelectorAll('.strip').length)
              .join(' ')])""")

    def program(number, *changes):
        said = json.loads(plain(['show', '--model', 'doc/numbers.ftx', '--json',
                                 '--turn', '3', *changes, number]))
        best = [max(zip(p, said['vocabulary'])) for p in said['lens']]
        return ['%s %.3f' % (token, p) for p, token in best] + ['1 5 5 1 1']
    b.open('#think')
    b.start()
    b.media(reduced_motion='reduce')
    b.put('#think form input', '4217', 'Enter')
    b.settle()
    b.click('#think [data-id=x3]')
    b.equal(climbs(), [['4217: ⊢fo ▸ u', *program('4217')]])
    place = 'cross layer 1 head 4'
    b.push('without ' + place, '#think .switch')
    without = program('4217', '--set', place + ' = 0')
    b.equal([c[1:] for c in climbs()], [without, program('4217')])
    b.holds(place in climbs()[0][0] and 'all its parts' in climbs()[1][0])
    b.equal(b.count('#think .switch[aria-pressed=true]'), 1)
    b.push('without ' + place, '#think .switch')
    b.put('#think label + label input', '6000')
    b.equal([c[1:] for c in climbs()], [program('4217'), program('6000')])
    b.equal(b.count('#think .heat'), 24)
    b.put('#think label + label input', '0')
    b.holds('from 1 to 9999' in b.text('#think .said.fault'))
    b.media()


def main():
    subprocess.run(BUILD, check=True)
    b, passed, failed = Browser(), 0, 0
    for function, page, size in LAWS:
        name = '%s, %s, %d wide' % (function.__name__, page, size[0])
        if len(sys.argv) > 1 and not any(w in name for w in sys.argv[1:]):
            continue
        faults = b.judge(function, page, size)
        failed, passed = failed + bool(faults), passed + (not faults)
        for fault in faults:
            print('FAILED: %s: %s' % (name, fault))
    b.close()
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
