#!/usr/bin/env python3
"""signs.py: a sign that stands in a woven page stands in the PDF as often.

The pages have MathML; the PDF has LaTeX, where a macro of our own could hide
one of LaTeX's: once \\to printed a page number. Ends with `N signs`.
"""
import html
import re
import subprocess
import sys

SIGNS = '→←∞∈≤≥≠∝∇⊙√≡∀⟦∑⊤×⋅ℓ'


def text_of_page(name):
    with open(name, encoding='utf-8') as file:
        text = re.sub(r'<(script|style)\b.*?</\1>', '', file.read(), flags=re.S)
    return html.unescape(re.sub(r'<[^>]*>', '', text))


def text_of_pdf(name):
    return subprocess.run(['pdftotext', name, '-'], capture_output=True,
                          check=True, encoding='utf-8').stdout


faults = 0
for volume in sys.argv[1:]:
    page = text_of_page(volume + '.html')
    pdf = text_of_pdf(volume + '.pdf')
    for sign in SIGNS:
        if page.count(sign) > pdf.count(sign):
            faults += 1
            print('%s: %s stands %d times in the page, %d times in the PDF'
                  % (volume, sign, page.count(sign), pdf.count(sign)))
print('%d signs' % len(SIGNS))
sys.exit(faults > 0)
