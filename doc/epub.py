#!/usr/bin/env python3
"""epub.py IN OUT: what pandoc made of the book, as a reader of EPUB takes it.

Formulas and figures that the weave has written itself get their namespaces,
and a link to a place in another chapter gets the name of its file."""
import re
import sys
import zipfile

SPACES = {'math': 'http://www.w3.org/1998/Math/MathML',
          'svg': 'http://www.w3.org/2000/svg'}


def with_spaces(text):              # and without what only browsers allow
    def opened(tag):
        name, rest = tag.groups()
        return tag[0] if 'xmlns=' in rest else '<%s xmlns="%s"%s>' % (name, SPACES[name], rest)
    text = re.sub(r'<(math|svg)\b([^>]*)>', opened, text)
    text = re.sub(r'(<mi)( (?:min|max)size="[^"]*")+', r'\1', text)
    return re.sub(r'(<mtext[^>]*>[^<]*)<mn>([^<]*)</mn>', r'\1\2', text)


def main(source, target):
    with zipfile.ZipFile(source) as book:
        files = [(entry, book.read(entry)) for entry in book.infolist()]
    home = {}                           # of each place, its file
    for entry, content in files:
        if entry.filename.startswith('EPUB/text/'):
            for name in re.findall(r'\bid="([^"]*)"', content.decode()):
                home.setdefault(name, entry.filename.rpartition('/')[2])
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as book:
        for entry, content in files:
            if entry.filename.startswith('EPUB/text/'):
                here = entry.filename.rpartition('/')[2]

                def leading(link):
                    file = home.get(link[1], here)
                    return link[0] if file == here else 'href="%s#%s"' % (file, link[1])
                content = re.sub(r'href="#([^"]*)"', leading,
                                 with_spaces(content.decode())).encode()
            book.writestr(entry, content)


main(*sys.argv[1:])
