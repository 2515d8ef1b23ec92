"""What README.md and its neighbours name is there: folders, files, links, commands, options, keys.

    readme.py TIDEMARK PAGE...      one line "ok ..." or "not ok ..." for each kind and page

The first page has the table of folders and the keys; with it the sources are read whose comments name
other sources.
"""
import fnmatch
import functools
import glob
import os
import re
import subprocess
import sys

TIDEMARK, PAGES = sys.argv[1], sys.argv[2:]
SOURCES = ('.c', '.h', '.cu', '.cuh', '.cpp', '.proto', '.js', '.py', '.sh')
TOP = ('core', 'gpu', 'tui', 'tests', 'fixtures', 'debian')


def asked(option):
    done = subprocess.run([TIDEMARK, option], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def section(text, title):
    return text.split(f'\n## {title}\n')[1].split('\n## ')[0]


def without_screens(text):
    return re.sub(r'<!-- screen: .*\n```\n(?:.*\n)*?```\n', '', text)


def spans(text):
    """Code spans, with the blank of a line's end in them."""
    return [s.replace('\n', ' ') for s in re.findall(r'(?<!`)`([^`]+)`(?!`)', text)]


def blocks(text):
    return '\n'.join(re.findall(r'^    .*|^```(?:.*\n)*?```', text, re.M))


# ---- what there is ---------------------------------------------------------

def folders():
    """Those that hold sources; of fixtures, which has one for each program, itself alone."""
    for top in TOP:
        for folder, inner, files in os.walk(top):
            inner[:] = [] if top == 'fixtures' else sorted(inner)
            if any(f.endswith(SOURCES) for f in files):
                yield folder + '/'


@functools.cache
def sources():
    return {os.path.join(folder, file) for top in TOP for folder, _, files in os.walk(top)
            for file in files if file.endswith(SOURCES)}


def commands():
    return set(re.findall(r'^  tidemark ([a-z]+)', asked('--help'), re.M))


def options():
    return set(re.findall(r'--[a-z-]+|(?<=  )-[a-z]\b', asked('--help'))) | {'-o'}


def targets():
    rules = open('Makefile', encoding='utf-8').read()
    names = re.findall(r'^([a-z][a-z -]*):(?!=)', rules, re.M)
    return {name for rule in names for name in rule.split()}


def keys():
    bound = re.findall(r'^#key\.\S+ = (.*)$', asked('--print-config'), re.M)
    return {'<' if key == 'lt' else key for line in bound for key in line.split()}


# ---- what a page names -----------------------------------------------------

def wrong_folders(text):
    told = set(re.findall(r'^    ((?:[a-z]+/)+)(?: |$)', section(text, 'The folders'), re.M))
    there = set(folders())
    yield from (f'{name} is not named' for name in sorted(there - told))
    yield from (f'{name} is not there' for name in sorted(told) if not os.path.isdir(name))


def wrong_arrows(text):
    """Each folder includes only from itself and those named above it."""
    order = re.findall(r'^    ((?:[a-z]+/)+)(?: |$)', section(text, 'The folders'), re.M)
    for at, folder in enumerate(order):
        for source in sorted(os.listdir(folder)) if os.path.isdir(folder) and folder.startswith(TOP[:3]) else ():
            if source.endswith(SOURCES[:5]):
                words = open(folder + source, encoding='utf-8').read()
                for used in re.findall(r'^#include "((?:core|gpu|tui)/(?:[a-z]+/)*)', words, re.M):
                    if used in order and order.index(used) > at:
                        yield f'{folder}{source} uses {used}'


def wrong_keys(text):
    bound = keys()
    for span in sorted(set(spans(section(text, 'How to read each view')))):
        if len(span) == 1 and span.isascii() and span not in bound:
            yield f'no key {span}'
    for name in ('Enter', 'Esc', 'Tab', 'Space'):
        if name not in bound:
            yield f'no key {name}'


def wrong_paths(text):
    for span in sorted(set(spans(text))):
        pattern = re.sub(r'[A-Z]{2,}|(?<=_)X', '*', span)
        if re.match(rf'({"|".join(TOP)})/\S*$', span) and not glob.glob(pattern):
            yield f'no file {span}'
        if re.match(r'\w+\.[ch]$', span) and not fnmatch.filter(map(os.path.basename, sources()), pattern):
            yield f'no source {span}'
    for link in re.findall(r'\]\(([^)#:]+)\)', text):
        if not os.path.exists(os.path.join(os.path.dirname(PAGE), link)):
            yield f'no file {link} to link to'


def wrong_mentions(_):
    """Sources that a comment names by NAME.c or NAME.h, with folders or without; XLA's are not ours."""
    there = sources()
    for source in sorted(there):
        if source.endswith(SOURCES[:5]):
            words = open(source, encoding='utf-8').read()
            for comment in re.findall(r'"(?:\\.|[^"\\\n])*"|(/\*.*?\*/|//[^\n]*)', words, re.S):
                for name in re.findall(r'(?<![\w/.*<-])((?:\w+/)*\w+\.(?:cuh?|[ch]))\b(?![\w(])', comment):
                    if not name.startswith('xla/') and not any(f'/{path}'.endswith(f'/{name}') for path in there):
                        yield f'{source} names {name}'


def wrong_words(text):
    known, there, makes = commands(), options(), targets()
    code = '\n'.join(spans(text)) + '\n' + blocks(text)
    for word in sorted(set(re.findall(r'(?:^| )(?:build/)?tidemark ([a-z]+)(?= |$)', code, re.M))):
        if word not in known and not os.path.exists(word):
            yield f'no command {word}'
    for line in code.split('\n'):
        if 'tidemark ' in line or line.startswith('--'):
            for word in re.findall(r'(?<![\w-])(?:--[a-z][a-z-]*|-[a-z]\b)', line.split('#')[0]):
                if word not in there and not word.startswith('--xla'):
                    yield f'no option {word}'
    for word in sorted(set(re.findall(r'\bmake ([a-z][a-z-]*)(?= |$)', code, re.M))):
        if word not in makes and not word.startswith('fuzz-'):
            yield f'no target {word} for make'


# ---- the whole -------------------------------------------------------------

failed = False
for PAGE in PAGES:
    text = without_screens(open(PAGE, encoding='utf-8').read())
    kinds = {'files and links': wrong_paths, 'commands, options and make targets': wrong_words}
    if PAGE == PAGES[0]:
        kinds.update({'folders': wrong_folders, 'arrows between folders': wrong_arrows, 'keys': wrong_keys,
                      "folders' comments": wrong_mentions})
    for kind, wrong in kinds.items():
        found = list(dict.fromkeys(wrong(text)))
        failed |= bool(found)
        print(f'not ok {PAGE}: its {kind}: {"; ".join(found)}' if found else f'ok {PAGE}: its {kind} are so')
sys.exit(failed)
