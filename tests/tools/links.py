#!/usr/bin/env python3
"""links.py: what is wrong with the links of the woven pages and of README.md.

A link leads to a place that is there, an id stands once, a page asks nobody
for anything, and what has no words for a screen reader is named.
"""
import os
import re
import sys

ids, links, faults = {}, [], []
for name in 'doc/ftx.html', 'doc/program.html', 'README.md':
    with open(name, encoding='utf-8') as file:
        text = file.read()
    if name == 'README.md':
        links += [(name, to) for to in re.findall(r'\]\(([^)]*)\)', text)]
        continue
    text = re.sub(r'(?s)<script.*?</script>|<style.*?</style>|<!--.*?-->', '', text)
    of = re.findall(r'<[^<>]*?\sid="([^"]*)"', text)
    ids[name] = set(of)
    links += [(name, to) for to in re.findall(r'<a\b[^<>]*?\shref="([^"]*)"', text)]
    faults += ['%s: a second id %s' % (name, id) for id in ids[name] if of.count(id) > 1]
    for fault, tag in (('a table head without scope', r'<th\b(?![^<>]*\sscope=)[^<>]*>'),
                       ('the page asks for another file', r'<link\b|<[^<>]*?\ssrc=|url\(http'),
                       ('a figure without a title', r'<svg(?:(?!<title|</svg).)*</svg')):
        faults += ['%s: %s: %s' % (name, fault, found[:60])
                   for found in re.findall('(?s)' + tag, text)]
for name, to in links:
    path, _, id = to.partition('#')
    target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
    is_ours = not re.match('https://[a-z]', to)        # another's page: nobody asks it here
    if is_ours and (not os.path.exists(target) or id and id not in ids.get(target, [id])):
        faults.append('%s: %s leads nowhere' % (name, to))
print(*faults, '%d links, %d faults' % (len(links), len(faults)), sep='\n')
sys.exit(bool(faults))
