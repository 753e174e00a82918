"""A cheap look at a shell command: which paths it names, where that is plain to see.

For the hook, which must not load a parser for every command. It may err towards "not plain" alone,
and the native client has the same rule and the same table. Imports nothing but that table.
"""

from __future__ import annotations

from truepath.calls.shell.fast_tables import (
    ASK,
    BANS,
    EXPRESSIONS,
    LAUNCHERS,
    LEADING,
    NESTED,
    QUESTIONS,
    RESERVED,
    RULES,
    SCRIPTS,
    SHELLS,
    SPECIAL,
    VERSIONED,
)

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from truepath.calls.shell.fast_tables import Kind, Rule, RuleKind

    Named = list[tuple[str, Kind]]
    Token = tuple[str, str]
    Part = tuple[str, list[Token]]

_WORD, _JOINT = "word", "joint"
_NULL = "/dev/null"
_WILD = "\0"
"""Stands for a wildcard: what the shell makes of such a word is none of ours."""
_MOST = 200
"""A command of more words and joints is data: to look at each would be no cheap look."""


def operands(command: str) -> Named | None:
    """Return the paths that must be there for `command` to need no thought, and what each must be.

    They are relative to where the command runs. None where that is not plain to see.
    """
    tokens = _tokens(command)
    parts = _parts(tokens) if tokens and len(tokens) <= _MOST else None
    if parts is None or "\0" in command:
        return None
    found: Named = []
    folder = ""
    forgiven = _forgiven(parts)
    for at, (before, part) in enumerate(parts):
        moves = part[0] == (_WORD, "cd")
        after = parts[at + 1][0] if at + 1 < len(parts) else ""
        if moves and (forgiven[at] or {before, after} & {"|", "||"}):
            return None  # where the rest runs depends on what comes of it
        named = [] if forgiven[at] else _named(part)
        if named is None:
            return None
        found += [(_join(folder, path), kind) for path, kind in named if _WILD not in path]
        if moves:
            folder = found[-1][0]
    return found


def _tokens(command: str) -> list[Token] | None:
    """Return words, joints (`&&`, `||`, `|`, `;`) and redirections; None for anything else."""
    tokens: list[Token] = []
    at, end = 0, len(command)
    while at < end:
        char = command[at]
        if char == " ":
            at += 1
        elif char == "\n":
            at += 1
            if tokens and tokens[-1][0] != _JOINT:
                tokens.append((_JOINT, ";"))
        elif char in "&|;" and command[at : at + 2] != "&>":
            joint = command[at : at + 2] if command[at : at + 2] in ("&&", "||") else char
            at += len(joint)
            if joint == "&" or command[at : at + 1] in ("&", "|", ";"):
                return None
            tokens.append((_JOINT, joint))
        else:
            token, at = _redirection(command, at) or _word(command, at)
            if at < 0 or command[at : at + 1] not in ("", " ", "\n", "&", "|", ";"):
                return None
            tokens.append(token)
    return tokens


def _redirection(command: str, at: int) -> tuple[Token, int] | None:
    """Read `2>&1`, `> file`, `2>> file`, `&> file` and `< file`; None where there is none."""
    start = at + (command[at] in "0123456789&")
    sign = command[start : start + 2]
    if sign == ">&" and command[at] != "&":
        number = command[start + 2 : start + 3]
        known = number and number in "0123456789"
        return ((command[at : start + 2], number), start + 3) if known else None
    sign = sign if sign == ">>" else sign[:1]
    if sign not in (">>", ">", "<"):
        return None
    start += len(sign)
    sign = command[at:start]
    while command[start : start + 1] == " ":
        start += 1
    (_, target), end = _word(command, start)
    return (sign, target), end


def _word(command: str, at: int) -> tuple[Token, int]:
    """Read one word, its quotes undone; -1 for the end where it is not plain."""
    text, end = "", len(command)
    if command[at : at + 1] in LEADING:
        return (_WORD, text), -1
    while at < end and command[at] not in " \n&|;":
        char = command[at]
        at += 1
        if char in "'\"":
            inner, at = _quoted(command, at, char)
            if at < 0:
                break
            text += inner
        elif char in "*?":
            text += _WILD
        elif char in SPECIAL or char < " " or char == "\x7f":
            return (_WORD, text), -1
        else:
            text += char
    # An empty word is an argument too, and which of them it is differs from program to program.
    return (_WORD, text), at if text else -1


def _quoted(command: str, at: int, quote: str) -> tuple[str, int]:
    """Read up to the closing quote; -1 for the end where there is none, or the shell expands."""
    text, end = "", len(command)
    while at < end:
        char = command[at]
        at += 1
        if char == quote:
            return text, at
        if quote == '"' and char in "$`":
            break
        if quote == '"' and char == "\\" and command[at : at + 1] in ("$", "`", '"', "\\", "\n"):
            char = command[at].strip("\n")
            at += 1
        text += char
    return text, -1


def _parts(tokens: list[Token]) -> list[Part] | None:
    """Return the simple commands, each with the joint before it."""
    parts: list[Part] = [("", [])]
    for token in tokens:
        if token[0] == _JOINT:
            parts.append((token[1], []))
        else:
            parts[-1][1].append(token)
    if len(parts) > 1 and parts[-1] == (";", []):
        parts.pop()
    return parts if all(part and part[0][0] == _WORD for _, part in parts) else None


def _forgiven(parts: list[Part]) -> list[bool]:
    """Return of each command whether it may fail: then its paths are questions.

    Such are those beside `||`, what follows a question, and those whose errors nobody will read.
    """
    forgiven = [_silenced(part) for _, part in parts]
    asked = late = False
    for at, (before, part) in enumerate(parts):
        if before in ("", ";"):
            asked = late = False
        elif before == "||":
            asked, late = False, True
        elif before == "&&":
            late = False
        alone = before != "|" and (at + 1 == len(parts) or parts[at + 1][0] != "|")
        forgiven[at] = forgiven[at] or asked or late or _tolerated(parts, at)
        asked = asked or (alone and (_silenced(part) or part[0][1] in QUESTIONS))
    return forgiven


def _tolerated(parts: list[Part], at: int) -> bool:
    """Whether `|| ...` follows in the same chain, other than to give up."""
    last = at + 1 == len(parts) or parts[at + 1][0] != "|"
    for before, part in parts[at + 1 :]:
        if before == ";":
            break
        words = [text for _, text in part]
        gives_up = words[0] in ("exit", "return") and words[1:] != ["0"]
        # Of a pipeline before `|| true` only the last may fail.
        if before == "||" and not gives_up and (last or words not in (["true"], [":"])):
            return True
    return False


def _silenced(part: list[Token]) -> bool:
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
    words = [text for sign, text in part if sign == _WORD]
    if words[0] in RESERVED:
        return None
    if words[0] == "cd":
        plain = len(part) == 2 and words[1:] and words[1][0] not in "-+" and _WILD not in words[1]
        return [(words[1], "folder")] if plain else None
    files: Named = [
        (text, "file" if sign[-1] == "<" else "new")
        for sign, text in part
        if sign[-1] in "<>" and text != _NULL
    ]
    named = _of_program(words)
    return None if named is None else [*named, *files]


def _of_program(words: Sequence[str], *, module: bool = False) -> Named | None:
    """Return what must be there for one program; with `module`, it is none of the shell's."""
    first = words[0]
    own: Named = [(first, "file")] if not module and ("/" in first or "." in first) else []
    name = first.rpartition("/")[2]
    bare = name.rstrip("0123456789.-")
    name = bare if bare in VERSIONED else name
    pair = " ".join((name, *words[1:2]))
    if name in LAUNCHERS or pair in LAUNCHERS:
        inner = _of_launcher(name if name in LAUNCHERS else pair, words)
    elif name in ASK or pair in ASK or "=" in first or _WILD in first:
        inner = None
    elif name in SCRIPTS:
        inner = _of_script(name, words)
    elif name == "find":
        inner = _of_find(words[1:])
    else:
        inner = _of_arguments(name, words[1:])
    return None if inner is None else own + inner


def _of_launcher(name: str, words: Sequence[str]) -> Named | None:
    count, flags = LAUNCHERS[name]
    at = 1 + name.count(" ")
    while at < len(words) and words[at] in flags.split():
        at += 1
    rest = words[at + count :]
    if not rest or any(word[0] == "-" for word in words[at : at + count + 1]):
        return None
    return _of_program(rest)


def _of_script(name: str, words: Sequence[str]) -> Named | None:
    flags, at = SCRIPTS[name].split(), 1
    while at < len(words) and words[at] in flags:
        at += 1
    rest = words[at:]
    if not rest or (name == "python" and rest[0] == "-c"):
        return []
    if name in SHELLS and len(rest) == 2 and rest[0] in ("-c", "-lc"):
        return operands(rest[1])
    if name == "python" and rest[0] == "-m" and len(rest) > 1:
        return _of_program(rest[1:], module=True)
    return None if rest[0][0] == "-" else [(rest[0], "file")]


def _of_find(words: Sequence[str]) -> Named | None:
    at = 0
    while at < len(words) and words[at][0] != "-":
        at += 1
    rest = words[at:]
    if rest and at == 0 and rest[0][1:2] in ("L", "P", "H", "D", "O"):
        return None
    if any(word.startswith(EXPRESSIONS) for word in rest):
        return None
    return [(word, "any") for word in words[:at]]


def _of_arguments(name: str, words: Sequence[str]) -> Named | None:
    if name in NESTED:
        flags, at = NESTED[name].split(), 0
        while at < len(words) and words[at] in flags:
            at += 1
        if at < len(words) and words[at][0] == "-":
            return None
        name, words = " ".join((name, *words[at : at + 1])), words[at + 1 :]
        if name in ASK or name in LAUNCHERS:
            return None
    if name in RULES:
        return _of_rule(RULES[name], words)
    return _unless(BANS[name].split(), words) if name in BANS else []


def _unless(bans: Sequence[str], words: Sequence[str]) -> Named | None:
    """Return that nothing need be there, unless one of the words is barred."""
    for word in words:
        long = word.startswith("--")
        if (word.partition("=")[0] if long else word) in bans:
            return None
        if not long and word[0] == "-" and any(f"-{letter}" in bans for letter in word[1:]):
            return None
        if "/" in bans and (word[0] == "/" or ".." in word.split("/")):
            return None
        if "." in bans and (word[0] in "./" or word.endswith((".whl", ".tar.gz"))):
            return None
    return []


def _of_rule(rule: Rule, words: Sequence[str]) -> Named | None:
    kind, skip, flags, values, instead, last = rule
    given = _operands(words, flags.split(), values.split(), instead.split())
    if given is None:
        return None
    paths, skipping = given
    paths = paths[skip:] if skipping else paths
    named: Named = []
    for path in paths:
        if path == "-":  # the standard input or output
            continue
        one = _of_kind(kind, path)
        if one is None:
            return None
        named += one
    if last and len(named) > 1:
        named[-1] = (named[-1][0], last)
    return named


def _operands(
    words: Sequence[str], flags: list[str], values: list[str], instead: list[str]
) -> tuple[list[str], bool] | None:
    """Return the words that are no options, and whether the first of them may be no paths."""
    letters = "".join(flag for flag in flags if flag[1] != "-")
    found: list[str] = []
    skipping, at = True, 0
    while at < len(words):
        word = words[at]
        at += 1
        if word[0] != "-" or word == "-":
            found.append(word)
            continue
        name, equals, _ = word.partition("=")
        if name in values or name in flags:
            at += name in values and not equals
            skipping = skipping and name not in instead
            continue
        if name[1:2] == "-":
            return None
        for place, letter in enumerate(word[1:], 2):
            option = f"-{letter}"
            skipping = skipping and option not in instead
            if option in values:
                at += place == len(word)
                break
            if letter not in letters or letter == "-":
                return None
    return found, skipping


def _of_kind(kind: RuleKind, path: str) -> Named | None:
    if kind == "tests":
        file = path.partition("::")[0]
        return [(file, "any")] if file else None
    if kind != "package":
        return [(path, kind)]
    folder = path.removesuffix("/...")
    if folder.endswith(".go") or "..." in folder:
        return None
    return [(folder, "folder")] if path.startswith(("./", "../", "/")) else []


def _join(folder: str, path: str) -> str:
    if path.startswith("/") or not folder:
        return path
    return folder + path if folder.endswith("/") else f"{folder}/{path}"
