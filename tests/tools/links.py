#!/usr/bin/env python3
"""links.py: what is wrong with the links of the woven pages and of README.md.

A link leads to a place that is there, an id stands once, a page asks nobody
for anything, and what has no words for a screen reader is told. Ends with
`N passed, N failed`; a link is one, a page's other faults are one each.
"""
import os
import re
import sys
from html.parser import HTMLParser

PAGES = ['doc/ftx.html', 'doc/program.html']


class Page(HTMLParser):
    def __init__(self, name):
        super().__init__()
        self.name, self.ids, self.links, self.faults = name, set(), [], []
        self.svg = None
        with open(name, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        a, where = dict(attributes), '%s:%d' % (self.name, self.getpos()[0])
        if 'id' in a:
            if a['id'] in self.ids:
                self.faults.append('%s: a second id %s.' % (where, a['id']))
            self.ids.add(a['id'])
        if tag == 'a' and 'href' in a:
            self.links.append((where, a['href']))
        if tag == 'th' and 'scope' not in a:
            self.faults.append('%s: a table head without scope.' % where)
        if 'src' in a or tag == 'link' or 'url(http' in (a.get('style') or ''):
            self.faults.append('%s: the page asks for another file.' % where)
        if tag == 'svg':
            self.svg = where
        if tag == 'title':
            self.svg = None

    def handle_endtag(self, tag):
        if tag == 'svg' and self.svg:
            self.faults.append('%s: a figure without a title.' % self.svg)


def markdown_links(name):
    with open(name, encoding='utf-8') as file:
        for n, line in enumerate(file, 1):
            for target in re.findall(r'\]\(([^)]*)\)', line):
                yield '%s:%d' % (name, n), target


def fault_of(target, origin, pages):
    """What is wrong with a link; None: nothing."""
    if re.match(r'https://[a-z]', target):
        return None                     # another's page: nobody asks it here
    path, _, id = target.partition('#')
    name = os.path.normpath(os.path.join(os.path.dirname(origin), path)) \
        if path else origin
    if not os.path.exists(name):
        return 'there is no ' + name
    if name in pages and id and id not in pages[name].ids:
        return 'there is no #%s in %s' % (id, name)
    return None


def main():
    pages = {name: Page(name) for name in PAGES}
    faults = [f for page in pages.values() for f in page.faults]
    links = [(where, target, page.name) for page in pages.values()
             for where, target in page.links]
    links += [(where, target, 'README.md')
              for where, target in markdown_links('README.md')]
    for where, target, origin in links:
        wrong = fault_of(target, origin, pages)
        if wrong:
            faults.append('%s: %s leads nowhere: %s.' % (where, target, wrong))
    for fault in faults:
        print(fault)
    print('%d passed, %d failed' % (max(0, len(links) + len(pages)
                                        - len(faults)), len(faults)))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
