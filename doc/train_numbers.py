#!/usr/bin/env python3
"""train_numbers.py            trains doc/numbers.ftx, the model in the page
train_numbers.py --check    is what doc/numbers.txt says of it so?

The model learns the names of numbers from pairs that a rule makes; the seed
is fixed, so whoever trains it on a processor with AVX2 gets the same bytes.
What is kept are the parameters alone: an optimiser's matrices are for going
on, and the page does not. Run it where doc/ and build/ are; make numbers
does.
"""
import subprocess
import sys

MODEL, TOLD = 'doc/numbers.ftx', 'doc/numbers.txt'
PAIRS = 'build/numbers.tsv'
OPTIONS = ('--L_enc 1 --L_dec 1 --H 4 --d_e 32 --ell_max 48 '
           '--positions vaswani_sines --batch 32 --eta 6e-3 --steps 5000 '
           '--seed 1')
HELD_OUT = 999                          # the last of the pairs, a tenth


def pairs():
    text = subprocess.run(['awk', '-f', 'tests/data/number_names.awk'],
                          capture_output=True, check=True).stdout.decode()
    with open(PAIRS, 'w') as file:
        file.write(text)
    return [line.split('\t') for line in text.splitlines()]


def wrong(some):
    """Which of these pairs the program translates otherwise."""
    said = subprocess.run(
        ['build/ftx', 'translate', '--model', MODEL], capture_output=True,
        input='\n'.join(z for z, _ in some).encode(), check=True)
    return [(z, y) for (z, x), y in zip(some, said.stdout.decode()
                                        .splitlines()) if x != y]


def sentence(what, some):
    mistakes = wrong(some)
    right = len(some) - len(mistakes)
    told = '%s: %d of %d named rightly, %.2f %%' % (
        what, right, len(some), 100 * right / len(some))
    return told + ''.join('\n  %s: "%s"' % m for m in mistakes[:10]) + '\n'


def measured():
    all_ = pairs()
    return (sentence('numbers it has learned from', all_[:-HELD_OUT])
            + sentence('numbers it has never seen', all_[-HELD_OUT:]))


def train():
    pairs()
    command = 'train ed %s' % OPTIONS
    subprocess.run(['build/float/ftx'] + command.split()
                   + ['--replace', '--threads', '2', '--model',
                      'build/numbers.ftx', PAIRS], check=True)
    subprocess.run(['build/float/ftx', 'import', 'build/numbers.ftx',
                    '--model', MODEL, '--replace'], check=True)
    words, lines = ('ftx %s numbers.tsv' % command).split(), ['$']
    for word in words:
        if len(lines[-1] + word) > 70:
            lines[-1] += ' \\'
            lines.append('     ')
        lines[-1] += ' ' + word
    with open(TOLD, 'w') as file:
        file.write('$ awk -f tests/data/number_names.awk > numbers.tsv\n'
                   + '\n'.join(lines) + '\n\n' + measured())


def main():
    if sys.argv[1:] != ['--check']:
        train()
    with open(TOLD) as file:
        told = file.read()
    so = measured()
    print(so, end='')
    if not told.endswith('\n\n' + so):
        sys.exit('train_numbers.py: %s says something else of %s.' % (TOLD, MODEL))


if __name__ == '__main__':
    main()
