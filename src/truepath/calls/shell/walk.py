"""The walk along a command line: which words are paths when each command's turn comes.

Knows what the parts before have done; never looks at a disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from truepath.calls.shell.arguments import Found, is_path, spans
from truepath.calls.shell.commands import SHELLS
from truepath.calls.shell.deeds import LOOK, UNKNOWN, Deed, deed_of
from truepath.calls.shell.invocation import Invocation, invocation, understand
from truepath.calls.shell.operand import Operand
from truepath.calls.shell.parser import parse
from truepath.calls.shell.quoting import Contents, contents
from truepath.calls.shell.state import NOWHERE, START, UNCHANGED, Place, State
from truepath.calls.shell.syntax_tree import Block, Redirect, Simple, Test, Tree, Unsupported, Word
from truepath.calls.shell.tables.unix import ENTER, READ, WRITE
from truepath.calls.shell.tolerance import (
    NULL,
    QUESTIONS,
    gives_up,
    is_endless,
    is_question,
    shrugs,
    silenced,
)
from truepath.calls.shell.use import Use
from truepath.records import dataclass, field, replace

MOST_OPERANDS = 256
"""A command line with more paths is data; checking each would cost more than it helps."""

DEEPEST_PROGRAM = 2
"""How many program texts within program texts are read."""


@dataclass(slots=True, eq=False, repr=False)
class Walk:
    """One walk; `operands` grows as it goes."""

    operands: list[Operand] = field(default_factory=list)
    state: State = field(default_factory=State)
    functions: frozenset[str] = frozenset()
    end: State = UNCHANGED
    """The state after the whole command line, for the bodies of functions."""
    dry: bool = False
    """Only effects count: nothing is reported, nothing is asked."""
    texts: tuple[tuple[Contents, int], ...] = ()
    """The program texts that are being read, outermost first, each with its word's offset."""
    deed: Deed = LOOK
    """The strictest of what has run."""
    compares: bool = False
    """Files have been compared."""

    def run(self, tree: Tree, *, quiet: bool = False) -> None:
        """Walk `tree`; when `quiet`, its paths are questions and not reported."""
        if isinstance(tree, Simple):
            self._simple(tree, quiet=quiet)
        elif isinstance(tree, Test):
            self._test(tree.words, tree.inner)
        elif tree.shape == "chain":
            self._chain(tree, quiet=quiet)
        elif tree.shape == "function":
            self._function(tree)
        else:
            self._block(tree, quiet=quiet or silenced(tree.redirects))

    def _block(self, block: Block, *, quiet: bool) -> None:
        if not block.redirects:
            self._parts(block, quiet=quiet)
            return
        start = len(self.operands)
        with self._deed() as inside:
            self._redirections(block.redirects, quiet=quiet)
            self._parts(block, quiet=quiet)
        self._judge(range(start, len(self.operands)), inside[0])

    def _parts(self, block: Block, *, quiet: bool) -> None:
        if block.shape == "loop":
            self._loop(block, quiet=quiet)
        elif block.shape == "branch":
            self._branch(block)
        elif block.shape == "subshell":
            with self._elsewhere():
                self.sequence(block.parts, quiet=quiet)
        elif block.shape == "pipeline":
            self._pipeline(block, quiet=quiet)
        else:
            self.sequence(block.parts, quiet=quiet or block.shape == "not")

    def _pipeline(self, pipeline: Block, *, quiet: bool, tolerated: bool = False) -> None:
        """`a | b || true`: only the last of a pipeline may fail, the others decide nothing."""
        first, last = pipeline.parts[0], pipeline.parts[-1]
        quiet = quiet or (isinstance(first, Block) and first.shape == "not")
        start = len(self.operands)
        for part in pipeline.parts:
            fed = range(start, len(self.operands))
            with self._elsewhere(), self._deed() as done:
                self.run(part, quiet=quiet or (tolerated and part is last))
            self._judge(fed, done[0])

    @contextmanager
    def _deed(self) -> Iterator[list[Deed]]:
        """Give, at its end, the strictest of what has run within."""
        before, self.deed = self.deed, LOOK
        within: list[Deed] = []
        yield within
        within.append(self.deed)
        self.deed = before.with_(self.deed)

    def _judge(self, indices: Iterable[int], deed: Deed) -> None:
        """Judge what is looked at by what is done with it, or in it."""
        if self.dry or deed.looks:
            return
        for at in indices:
            operand = self.operands[at]
            was = deed_of(operand.operation, certain=operand.rewritable)
            if was.looks or operand.enters:
                both = was.with_(deed)
                fit = operand.rewritable and both.certain
                self.operands[at] = replace(operand, operation=both.operation, rewritable=fit)

    def _ran(self, deed: Deed) -> None:
        """Take note of what has run here."""
        self.deed = self.deed.with_(deed)
        self._judge(self.state.place.through, deed)

    def sequence(self, parts: Sequence[Tree], *, quiet: bool) -> None:
        """Walk one tree after the other; `a; true` may fail as `a || true` may."""
        for part, after in zip_longest(parts, parts[1:]):
            tolerated = isinstance(part, Simple) and after is not None and shrugs(after)
            self.run(part, quiet=quiet or tolerated)

    @contextmanager
    def _elsewhere(self) -> Iterator[None]:
        """Leave the folder as it was, as a subshell does."""
        state = self.state
        place, previous, stack = state.place, state.previous, list(state.stack)
        yield
        state.place, state.previous, state.stack = place, previous, stack

    def _chain(self, chain: Block, *, quiet: bool) -> None:
        """`a && b || c`: what is beside a `||` may fail, what follows a test may not run."""
        pairs = enumerate(zip(chain.operators, chain.parts[1:], strict=True))
        other = {at: part for at, (sign, part) in pairs if sign == "||" and not gives_up(part)}
        tolerated = max(other, default=-1)
        caught = max((at for at, part in other.items() if not shrugs(part)), default=-1)
        asked = False
        for at, part in enumerate(chain.parts):
            before = chain.operators[at - 1] if at else ""
            if before == "||":
                asked = False
            if before == "||" or asked or at <= caught:
                self.run(part, quiet=True)
            elif isinstance(part, Block) and part.shape == "pipeline":
                self._pipeline(part, quiet=quiet, tolerated=at <= tolerated)
            else:
                self.run(part, quiet=quiet or at <= tolerated)
            asked = asked or is_question(part)

    def _loop(self, loop: Block, *, quiet: bool) -> None:
        self.sequence(loop.head, quiet=True)
        quiet = quiet or not all(is_endless(head) for head in loop.head)
        if not quiet and not self.dry:
            # A second round finds what the first has left behind.
            trial = replace(self, dry=True, state=self.state.fork(), operands=[])
            trial.sequence(loop.parts, quiet=False)
            after, self.state = trial.state, replace(trial.state, place=self.state.place)
            if after.place.folder != self.state.place.folder:
                self.state.enter(NOWHERE)
        place, start = self.state.place, len(self.operands)
        self.sequence(loop.parts, quiet=quiet)
        if self.state.place.folder != place.folder:
            self._lose(start)

    def _lose(self, start: int) -> None:
        """Judge the folders entered since `start`: what runs in them, nobody can say."""
        inside = range(start, len(self.operands))
        self._judge([at for at in inside if self.operands[at].enters], UNKNOWN)

    def _branch(self, branch: Block) -> None:
        self.sequence(branch.head, quiet=True)
        start = self.state.place
        ends = [start]
        for part in branch.parts:
            self.state.place = start
            self.run(part, quiet=True)
            ends.append(self.state.place)
        through = dict.fromkeys(at for end in ends for at in end.through)
        same = all(end == start for end in ends)
        self.state.place = start if same else NOWHERE._replace(through=tuple(through))

    def _function(self, function: Block) -> None:
        """A body runs when nobody knows: report only what holds at any time."""
        if not self.dry:
            now = self.state
            self.state = replace(self.end.fork(), place=NOWHERE if self.end.moved else START)
            inside = len(self.operands)
            self.sequence(function.parts, quiet=False)
            self._lose(inside)
            self.state = now
        with self._elsewhere():
            trial = replace(self, dry=True, operands=[])
            trial.sequence(function.parts, quiet=False)

    def _test(self, words: Sequence[Word], inner: Sequence[Tree]) -> None:
        self._inner(inner)
        for word in words:
            if word.value and not self.dry and not word.value.startswith("-"):
                self.state.make(word.value)

    def _inner(self, trees: Sequence[Tree]) -> None:
        """Substitutions: the words they make are unknown, what they do is not."""
        for tree in trees:
            with self._elsewhere():
                self.run(tree, quiet=True)

    def _simple(self, simple: Simple, *, quiet: bool) -> None:
        self._inner(simple.inner)
        quiet = quiet or silenced(simple.redirects)
        start = len(self.operands)
        with self._deed() as done:
            # The shell opens the files of redirections before it runs the program.
            self._redirections(simple.redirects, quiet=quiet)
            if simple.words:
                self._command(simple, invocation(simple.words), quiet=quiet)
        if simple.redirects:
            self._judge(range(start, len(self.operands)), done[0])

    def _command(self, simple: Simple, call: Invocation, *, quiet: bool) -> None:
        if call.name in QUESTIONS:
            self._test(call.words, ())
        elif call.name in ("cd", "pushd", "popd"):
            self._change(call, quiet=quiet)
        elif call.name in self.functions:
            self._ran(UNKNOWN)
            if self.end.moved:  # perhaps by this one
                self.state.enter(NOWHERE)
        elif not self._program_text(call, quiet=quiet):
            self._documents(simple, call, quiet=quiet)
            self._use(understand(call), quiet=quiet)

    def _use(self, use: Use, *, quiet: bool) -> None:
        here = self.state.place
        made: list[tuple[Place, str]] = [(here, path) for path in use.makes]
        for item in use.found:
            if item.role.enters:
                index = self._report(item, quiet=quiet, optional=False)
                self.state.place = self._entered(item.value, index)
                continue
            self._report(item, quiet=quiet or use.asks, optional=use.optional)
            if item.role.creates:
                made.append((self.state.place, item.value))
        self._ran(use.deed)
        self.compares = self.compares or use.compares
        for place, path in made:
            self.state.place = place
            self.state.make(path, parents=use.parents)
        self.state.place = here
        self.state.anything = self.state.anything or use.may_create

    def _change(self, call: Invocation, *, quiet: bool) -> None:
        state = self.state
        words = [word for word in call.words if word.value not in ("-P", "-L", "-e", "--")]
        if call.name == "pushd":
            state.stack.append(state.place)
        if call.name == "popd":
            state.enter(state.stack.pop() if state.stack else NOWHERE)
        elif len(words) == 1 and words[0].value == "-":
            state.enter(state.previous)
        elif len(words) != 1 or words[0].value is None or words[0].value.startswith(("-", "+")):
            state.enter(NOWHERE)
        else:
            item = Found(words[0], ENTER, (0, len(words[0].value)))
            index = self._report(item, quiet=quiet, optional=False)
            state.enter(self._entered(item.value, index))

    def _entered(self, value: str, index: int | None) -> Place:
        place, start = self.state.place, value.startswith(("/", "~"))
        folder, through = place.join(value), () if start else place.through
        if index is not None:
            return Place((() if start else place.chain or ()) + (index,), folder, (*through, index))
        return Place(place.chain if value in (".", "./") else None, folder, through)

    def _redirections(self, redirects: Sequence[Redirect], *, quiet: bool) -> None:
        for redirect in redirects:
            word, operator = redirect.word, redirect.operator
            if word is None or (operator in (">&", "<&") and (word.value or "").isdigit()):
                continue
            role = READ if operator == "<" else WRITE
            if role.creates and not (word.value or "").startswith("/dev/"):
                rooted = (word.value or "").startswith(("/", "~"))
                self._ran(deed_of("copy" if rooted else "write"))
            if word.value is None:
                self.state.anything = self.state.anything or role.creates
                continue
            item = Found(word, role, (0, len(word.value)))
            self._report(item, quiet=quiet, optional=False)
            if role.creates and word.value != NULL:
                self.state.make(word.value)

    def _program_text(self, call: Invocation, *, quiet: bool) -> bool:
        """Read `bash -c '...'` a second time; False when this is no such command."""
        if call.name not in SHELLS or not call.words:
            return False
        flags = [word.value or "" for word in call.words]
        at = next((at for at, flag in enumerate(flags) if flag[:1] == "-" and flag[-1:] == "c"), -1)
        if at < 0 or any(flag[:1] != "-" for flag in flags[:at]) or at + 1 >= len(call.words):
            return False
        for item in call.found:
            self._report(item, quiet=quiet, optional=False)
        self._text(call.words[at + 1], quiet=quiet)
        return True

    def _text(self, word: Word, *, quiet: bool) -> None:
        known = word.reading is not None and len(self.texts) < DEEPEST_PROGRAM
        text = contents(word.raw) if known else None
        try:
            tree = None if text is None else parse(text.text)
        except Unsupported:
            tree = None
        if text is None or tree is None:
            self._ran(UNKNOWN)
            self.state.anything = True
            return
        outer, self.texts = self.texts, (*self.texts, (text, word.start))
        with self._elsewhere():
            self.run(tree, quiet=quiet)
        self.texts = outer

    def _outer(self, operand: Operand) -> Operand | None:
        """Return an operand of a program text with its span in the whole command line."""
        if not self.texts:
            return operand
        (start, end), inside = operand.span, ""
        for text, base in reversed(self.texts):
            place = text.place(start, end)
            if place is None:
                return None
            start, end, inside = place[0] + base, place[1] + base, place[2] + inside
        return replace(operand, span=(start, end), inside=inside)

    def _documents(self, simple: Simple, call: Invocation, *, quiet: bool) -> None:
        """`apply_patch <<'EOF'`: the patch names its paths."""
        if call.name not in ("apply_patch", "applypatch") or len(simple.heredocs) != 1:
            return
        document = simple.heredocs[0]
        if document.literal and not quiet and not self.dry and not self.texts:
            from truepath.calls import patch

            text = document.text.decode("utf-8", "surrogateescape")
            for operand in patch.operands(text):
                start, end = operand.span
                shift = document.body[0]
                self._admit(replace(operand, span=(start + shift, end + shift)))

    def _report(self, item: Found, *, quiet: bool, optional: bool) -> int | None:
        """Add one operand; return its index, None when it is left alone."""
        value, role, reading = item.value, item.role, item.word.reading
        if self.dry or reading is None or not is_path(role, value):
            return None
        if quiet:
            self.state.make(value)
            return None
        for start, end, quote in spans(item):
            operand = self._outer(
                Operand(
                    written=value,
                    operation=role.operation,
                    kind=role.kind,
                    span=(start, end),
                    quote=quote,
                    rewritable=role.rewritable,
                    creates=role.creates,
                    optional=optional,
                    looked_up=role.looked_up,
                    enters=role.enters,
                    home=reading.home and item.part[0] == 0,
                )
            )
            if operand is not None:
                return self._admit(operand)
        # Read, but nowhere to write another path.
        return None

    def _admit(self, operand: Operand) -> int | None:
        state = self.state
        rooted = operand.written.startswith("/") or operand.home
        if state.may_have(operand.written) or not (rooted or state.place.known):
            return None
        if len(self.operands) >= MOST_OPERANDS:
            raise Unsupported
        chain = () if rooted else state.place.chain or ()
        self.operands.append(replace(operand, cwd=chain) if chain else operand)
        return len(self.operands) - 1
