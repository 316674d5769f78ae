"""new_algorithm.py: what tools/new-policy and tools/new-planner have in common.

A new algorithm is one file, one line in its list, its line in meson.build, its test, its file of
vectors, its entry in docs/references.bib and, where its family has them, its page.  Everything is
checked before anything is written.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
VECTORS = """{{ "format": "loadstar-vectors-1",
  "note": "{name}: where the numbers come from, and how to read them.",
  "vectors": [
  ]
}}
"""
ENTRY = """
@article{{{key},
  author  = {{Author}},
  title   = {{Title of the paper behind {name}}},
  journal = {{Journal}},
  year    = {{Year}},
}}
"""


class Refused(Exception):
    """Nothing has been written; the text says why."""


def read(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as handle:
            return handle.read()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}, expected to be there") from error


def with_line_before(path, end, line):
    """The text of `path` with `line` before the first line that is `end`."""
    text = read(path)
    position = text.find("\n" + end)
    if position < 0:
        raise Refused(f"{path}: no line begins with {end!r}, expected the end of a list")
    return text[:position + 1] + line + "\n" + text[position + 1:]


def from_template(template, name):
    file = name.replace("-", "_")
    text = read(os.path.join("tools", "templates", template))
    return text.replace("@name@", name).replace("@file@", file).replace("@key@", key_of(name))


def with_row(path, name):
    """The text of an index of pages with a row for `name` after its last one."""
    text = read(path)
    position = text.rfind("\n| [")
    if position < 0:
        raise Refused(f"{path}: no row begins with '| [', expected a table of pages")
    end = text.find("\n", position + 1)
    end = len(text) if end < 0 else end
    cells = [f"[{name}]({name}.md)", "what it does, in one line", "Author Year"]
    columns = text[position:end].count(" | ") + 1
    return text[:end] + "\n| " + " | ".join(cells[:columns]) + " |" + text[end:]


def key_of(name):
    return name.replace("-", "") + "paper"


def prepare(name, place):
    """New texts by path, for an algorithm in `place` (see the two callers)."""
    file = name.replace("-", "_")
    source = os.path.join(place["source"], file + ".c")
    test = os.path.join(place["tests"], f"test_{file}.c")
    vectors = os.path.join("tests", "vectors", name + ".json")
    page = f"docs/algorithms/{name}.md"
    pages = {page: from_template("page.md.in", name),
             place["index"]: with_row(place["index"], name)} if "index" in place else {}
    for path in (source, test, vectors, *(path for path in pages if path == page)):
        if os.path.exists(os.path.join(ROOT, path)):
            raise Refused(f"{path} exists already, expected a new name")
    bibliography = read("docs/references.bib")
    if "{" + key_of(name) + "," in bibliography:
        raise Refused(f"docs/references.bib has an entry {key_of(name)} already")
    return {
        source: from_template(place["template"] + ".c.in", name),
        test: from_template(f"test_{place['template']}.c.in", name),
        vectors: VECTORS.format(name=name),
        "docs/references.bib": bibliography + ENTRY.format(key=key_of(name), name=name),
        place["list"]: read(place["list"]) + f"{place['macro']}({file})\n",
        place["build"]: with_line_before(place["build"], "  ),", f"  '{place['prefix']}{file}.c',"),
        place["tests"] + "/meson.build":
            with_line_before(place["tests"] + "/meson.build", "  ]", f"  '{file}',"),
        **pages,
    }


def write(texts):
    for path, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(ROOT, path)), exist_ok=True)
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as handle:
            handle.write(text)
        print(path)


def make(name, place, more=None):
    """Makes everything; exit status. `more(name)` gives further texts by path."""
    try:
        if not NAME.match(name):
            raise Refused(f"the name is {name!r}, expected small letters, digits and single "
                          "hyphens, such as wf2 or follow-plan")
        texts = prepare(name, place)
        texts.update(more(name) if more else {})
        write(texts)
    except Refused as refusal:
        print(f"{os.path.basename(sys.argv[0])}: {refusal}", file=sys.stderr)
        return 2
    return 0
