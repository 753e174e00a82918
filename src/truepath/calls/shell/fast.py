"""A cheap look at a shell command: which paths it names, where that is plain to see.

For the hook, which must not load a parser for every command. It may err towards "not plain" alone,
and may name more paths than the engine does, never fewer. The native client has the same rules.
What it knows of programs is `programs.txt`, written by `native/export.py` from the engine's tables.
"""

from __future__ import annotations

from truepath.calls.shell.words import OPERATOR, WILD, WORD, tokens

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from truepath.calls.shell.words import Token

    Kind = Literal["file", "folder", "any", "new", "target"]
    """What a path must be. `new`: a file, or nothing yet in a folder that is there. `target`:
    anything, or nothing yet in a folder that is there."""

    Named = list[tuple[str, Kind]]
    Part = tuple[str, list[Token]]
    Rule = Mapping[str, str]

FIELDS = ("kind", "last", "limit", "valued", "skip_unless", "asks", "ends", "manner", "skip")
"""Of a program, in this order, options and manners by spaces:

- `kind`: what its operands must be: one of `Kind`; `tests`, the same before `::`; `package`, a
  pattern of Go; `local`, a package that may be a path. Without a kind they need not be there.
- `last`: what the last of several operands must be, where that differs.
- `skip`, `limit`: how many of the first operands are no paths, and how many behind them are.
- `valued`: options with one value, or `-x:N` with N; `skip_unless`: those that make up for what is
  skipped; `asks`: those of which only the engine can tell; `ends`: those whose value is a program.
- `manner`: `launcher` runs the program in its arguments, `nested` has subcommands, `single` has
  long options with one dash, `strict` has options that the engine does not know, `only` has no
  paths before `--`, `named` may have files there, `ask` is for the engine alone.
"""

_NULL = "/dev/null"
_MOST = 200
"""A command of more words and operators is data: to look at each would be no cheap look."""

_file = ""


def operands(command: str) -> Named | None:
    """Return the paths that must be there for `command` to need no thought, and what each must be.

    They are relative to where the command runs. None where that is not plain to see.
    """
    parts = _parts(tokens(command) or [])
    if parts is None:
        return None
    found: Named = []
    folder = ""
    for at, (before, part) in enumerate(parts):
        moves = part[0] == (WORD, "cd")
        after = parts[at + 1][0] if at + 1 < len(parts) else ""
        if moves and (_silenced(part) or {before, after} & {"|", "||"}):
            return None  # where the rest runs depends on what comes of it
        named = [] if _silenced(part) else _named(part)
        if named is None:
            return None
        found += [(_join(folder, path), kind) for path, kind in named if WILD not in path]
        if moves:
            folder = found[-1][0]
    return found


def _parts(found: Sequence[Token]) -> list[Part] | None:
    """Return the simple commands, each with the operator before it; None where one is not plain."""
    parts: list[Part] = [("", [])]
    for token in found:
        if token[0] == OPERATOR:
            parts.append((token[1], []))
        else:
            parts[-1][1].append(token)
    if len(parts) > 1 and parts[-1] == (";", []):
        parts.pop()
    plain = all(part and part[0][0] == WORD for _, part in parts)
    return parts if plain and len(found) <= _MOST else None


def _silenced(part: list[Token]) -> bool:
    """Whether nobody will read a command's errors: then its paths are questions."""
    output = False
    for sign, target in part:
        if sign in ("2>", "2>>", "&>", "&>>") and target == _NULL:
            return True
        if sign == "2>&" and target == "1" and output:
            return True
        if sign in (">", ">>", "1>", "1>>"):
            output = target == _NULL
    return False


def _named(part: list[Token]) -> Named | None:
    words = [text for sign, text in part if sign == WORD]
    if _listed("reserved", words[0]):
        return None
    if words[0] == "cd":
        plain = len(part) == 2 and words[1:] and words[1][0] not in "-+" and WILD not in words[1]
        return [(words[1], "folder")] if plain else None
    files: Named = [
        (text, "file" if sign[-1] == "<" else "new")
        for sign, text in part
        if sign[-1] in "<>" and text != _NULL
    ]
    named = _of_program(words)
    return None if named is None else [*named, *files]


def _of_program(words: Sequence[str], *, module: bool = False) -> Named | None:
    """Return what must be there for one program; with `module`, the shell does not look it up."""
    first, rest = words[0], words[1:]
    if "=" in first or WILD in first:
        return None
    name = first.rpartition("/")[2]
    bare = name.rstrip("0123456789.-")
    name = bare if _listed("versioned", bare) else name
    inner = _of_arguments(name, rest)
    own: Named = [(first, "file")] if not module and ("/" in first or "." in first) else []
    return None if inner is None else own + inner


def _of_arguments(name: str, words: Sequence[str]) -> Named | None:
    pair = _rule(" ".join((name, *words[:1])))
    if pair is not None and "launcher" in pair["manner"]:
        return _of_launcher(pair, words[1:])
    if name == "find":
        return _of_find(words)
    if _listed("shells", name) and len(words) == 2 and words[0] in ("-c", "-lc"):
        return operands(words[1])
    if name in ("python", "pypy", "py") and (module := _module(words)):
        return _of_program(module, module=True)
    rule = _rule(name)
    if rule is None:
        return []
    if "launcher" in rule["manner"]:
        return _of_launcher(rule, words)
    return _of_nested(name, rule, words) if "nested" in rule["manner"] else _of_rule(rule, words)


def _of_launcher(rule: Rule, words: Sequence[str]) -> Named | None:
    read = _scan(rule, words, first=True)
    if read is None:
        return None
    rest = words[read[2] + int(rule["skip"]) :]
    return _of_program(rest) if rest else []


def _of_find(words: Sequence[str]) -> Named | None:
    at = 0
    while at < len(words) and words[at][0] != "-":
        at += 1
    rest = words[at:]
    if rest and at == 0 and rest[0][1:2] in ("L", "P", "H", "D", "O"):
        return None
    if any(word.startswith(start) for start in _list("expressions") for word in rest):
        return None
    return [(word, "any") for word in words[:at]]


def _module(words: Sequence[str]) -> Sequence[str]:
    """Return the words from a module that Python runs; none where it runs something else."""
    for at, word in enumerate(words[:-1]):
        if word == "-m":
            return words[at + 1 :]
        if word[0] != "-" or word == "-c":
            break
    return ()


def _of_nested(name: str, rule: Rule, words: Sequence[str]) -> Named | None:
    read = _scan(rule, words, first=True)
    if read is None:
        return None
    words = words[read[2] :]
    for count in (2, 1):
        inner = _rule(" ".join((name, *words[:count]))) if len(words) >= count else None
        if inner is not None:
            return _of_rule(inner, words[count:])
    return []


def _of_rule(rule: Rule, words: Sequence[str]) -> Named | None:
    read = None if rule["manner"] == "ask" else _scan(rule, words)
    if read is None:
        return None
    paths, options, _, before = read
    if not options.isdisjoint(rule["ends"].split()):
        return []
    before_dashes = len(paths) if before is None else before
    if "named" in rule["manner"] and any(map(_leads_out, paths[:before_dashes])):
        return None
    if "only" in rule["manner"]:
        paths = paths[before_dashes:]
    elif "named" in rule["manner"]:
        paths = [*filter(_is_file_name, paths[:before_dashes]), *paths[before_dashes:]]
    elif options.isdisjoint(rule["skip_unless"].split()):
        paths = paths[int(rule["skip"]) :]
    if rule["limit"]:
        paths = paths[: int(rule["limit"])]
    return _of_operands(rule, paths)


def _is_file_name(word: str) -> bool:
    """Whether git may take a word before `--` for a file: it has no name of a revision."""
    return "." in word and ".." not in word and ":" not in word


def _of_operands(rule: Rule, paths: list[str]) -> Named | None:
    named: Named = []
    for at, path in enumerate(paths):
        last = rule["last"] if 0 < at == len(paths) - 1 else ""
        one = [] if path == "-" else _of_kind(last or rule["kind"], path)
        if one is None:
            return None
        named += one
    return named


def _scan(
    rule: Rule, words: Sequence[str], *, first: bool = False
) -> tuple[list[str], set[str], int, int | None] | None:
    """Sort words as the engine's `arguments.scan` does; None where that would not be certain.

    Returns:
        The operands, the options, how many words were read, and how many operands precede
        `--` where there is one. With `first`, what precedes the first operand.
    """
    found: list[str] = []
    options: set[str] = set()
    valued = _counts(rule["valued"])
    at, before_dashes = 0, None
    while at < len(words):
        word = words[at]
        if before_dashes is None and word == "--":
            before_dashes = len(found)
        elif before_dashes is not None or word[0] != "-" or word == "-":
            if word[0] == "+":  # an option to some
                return None
            if first:
                break
            found.append(word)
        else:
            after = _option(rule, valued, word, options)
            if after is None:
                return None
            at += after
        at += 1
    return found, options, at, before_dashes


def _counts(valued: str) -> dict[str, int]:
    pairs = (option.partition(":") for option in valued.split())
    return {name: int(count or 1) for name, _, count in pairs}


def _option(rule: Rule, valued: Mapping[str, int], word: str, options: set[str]) -> int | None:
    """Add the options in a word to `options`; return how many further words belong to them."""
    asks, ends = rule["asks"].split(), rule["ends"].split()
    name, equals, _ = word.partition("=")
    if name in asks:
        return None
    if name.startswith("--") or "single" in rule["manner"]:
        options.add(name)
        return 0 if equals else valued.get(name, 0)
    for place, letter in enumerate(word[1:], 2):
        option = f"-{letter}"
        options.add(option)
        last = place == len(word)
        # Where the engine does not know a letter, it reads no further.
        doubt = "strict" in rule["manner"] and place > 2 and (option in ends or option in valued)
        if doubt or option in asks:
            return None
        if option in valued:
            return valued[option] if last else 0
    return 0


def _of_kind(kind: str, path: str) -> Named | None:
    if not kind:
        return []
    if kind == "tests":
        file = path.partition("::")[0]
        return [(file, "any")] if file else None
    if kind == "local":
        return None if path[0] in "./" or path.endswith((".whl", ".tar.gz")) else []
    if kind != "package":
        return [(path, kind)]  # type: ignore[list-item]
    folder = path.removesuffix("/...")
    if folder.endswith(".go") or "..." in folder:
        return None
    return [(folder, "folder")] if path.startswith(("./", "../", "/")) else []


def _leads_out(word: str) -> bool:
    return word[0] == "/" or ".." in word.split("/")


def _rule(name: str) -> Rule | None:
    """Return what is known of a program or a subcommand; None where its words mean nothing."""
    fields = _line(f"program {name}") if name.isprintable() else ""
    return dict(zip(FIELDS, fields.split("\t"), strict=True)) if fields else None


def _list(name: str) -> list[str]:
    return _line(f"words {name}").split()


def _listed(name: str, word: str) -> bool:
    return word in _list(name)


def _line(name: str) -> str:
    """Return the line of the file that begins with a name and a tab, without them; else ""."""
    global _file  # noqa: PLW0603  read once, when the first command is looked at
    if not _file:
        with open(__file__.rpartition("fast.")[0] + "programs.txt", encoding="utf-8") as file:
            _file = file.read()
    start = f"\n{name}\t"
    at = _file.find(start)
    return _file[at + len(start) : _file.find("\n", at + 1)] if at >= 0 else ""


def _join(folder: str, path: str) -> str:
    if path.startswith("/") or not folder:
        return path
    return folder + path if folder.endswith("/") else f"{folder}/{path}"
