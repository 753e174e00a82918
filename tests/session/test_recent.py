from __future__ import annotations

import sys
import threading

import pytest

from truepath import Guard, ToolCall
from truepath.session.recent import Recent, uncommitted, weighed
from truepath.session.stores.memory import MemoryStore
from truepath.types import Candidate, Resolution

FILES = {
    "README.md": "",
    "reports/totals.py": "",
    "reports/layout.py": "",
    "billing/totals.py": "",
    "billing/rates.py": "",
    "billing/deep/tax.py": "",
}
TWO = "app/totals.py"


def ambiguous(*candidates):
    found = tuple(Candidate(path, confidence, ("same-name",)) for path, confidence in candidates)
    return Resolution("x.py", "ambiguous", "read", candidates=found)


def nothing(_):
    return set()


def names(resolution):
    return [each.path for each in resolution.candidates]


EQUALS = (("a/x.py", 0.4), ("b/x.py", 0.4), ("c/x.py", 0.1))


@pytest.mark.parametrize(
    ("known", "changed", "order"),
    [
        ([], (), "a b c"),
        (["b/x.py"], (), "b a c"),
        (["b/y.py"], (), "b a c"),
        (["a/y.py", "b/x.py"], (), "b a c"),
        ([], ("b/x.py",), "b a c"),
        (["a/y.py"], ("b/x.py",), "b a c"),
        (["a/x.py"], ("b/x.py",), "a b c"),  # used or changed: the same
        (["c/x.py"], (), "a b c"),
        (["d/y.py"], (), "a b c"),
    ],
)
def test_of_equals_the_one_in_use_is_first(known, changed, order):
    resolution = weighed(ambiguous(*EQUALS), known, lambda _: set(changed))

    assert names(resolution) == [f"{name}/x.py" for name in order.split()]


def test_what_tells_them_apart_is_said():
    resolution = weighed(ambiguous(*EQUALS), ["b/x.py"], lambda _: {"b/x.py"})

    assert resolution.candidates[0].evidence == (
        "same-name",
        "read-this-session",
        "not-committed",
        "same-folder-as-work",
    )
    assert resolution.candidates[1].evidence == ("same-name",)


def test_whether_a_folder_is_committed_is_not_asked(make_repo):
    repo = make_repo({"a/x/one.py": "1", "b/x/two.py": "2"}, git=False)
    found = tuple(Candidate(path, 0.4, ("same-name",), True) for path in ("a/x", "b/x"))
    resolution = Resolution("x", "ambiguous", "list", candidates=found)

    assert weighed(resolution, [], lambda paths: uncommitted(repo, paths)) is resolution


def test_a_far_likelier_one_stays_first_and_nothing_is_asked():
    def asked(_):
        raise AssertionError("nothing could change the order")

    resolution = ambiguous(("a/x.py", 0.6), ("b/x.py", 0.1))

    assert weighed(resolution, ["b/x.py"], asked) is resolution


def test_use_outweighs_a_small_lead_and_no_large_one():
    small = weighed(ambiguous(("a/x.py", 0.4), ("b/x.py", 0.3)), ["b/x.py"], nothing)
    large = weighed(ambiguous(("a/x.py", 0.6), ("b/x.py", 0.25)), ["b/y.py"], nothing)

    assert names(small) == ["b/x.py", "a/x.py"]
    assert names(large) == ["a/x.py", "b/x.py"]


def test_what_one_gains_the_others_lose():
    before = ambiguous(*EQUALS)
    after = weighed(before, ["b/x.py"], nothing)
    told = {each.path: each.confidence for each in after.candidates}

    assert told["b/x.py"] > 0.4 > told["a/x.py"]
    assert sum(told.values()) == pytest.approx(0.9)
    assert (after.status, after.path) == (before.status, before.path)


def test_none_becomes_sure_by_use_alone():
    after = weighed(ambiguous(("a/x.py", 0.85), ("b/x.py", 0.15)), ["a/x.py", "a/y.py"], nothing)
    close = weighed(ambiguous(("a/x.py", 0.55), ("b/x.py", 0.44)), ["a/x.py"], nothing)

    assert after.candidates[0].confidence <= 0.9
    assert 0.55 < close.candidates[0].confidence <= 0.9


def test_a_session_without_any_of_them_changes_nothing():
    before = ambiguous(*EQUALS)

    assert weighed(before, ["d/y.py"], nothing) is before


def test_a_session_remembers_its_latest_paths_alone():
    recent = Recent()
    for number in range(100):
        path = f"f{number}.py"
        there = Resolution(path, "exists", "read", path=path)
        recent.note(ToolCall("read_file", session="one"), [there])

    known = recent.known(ToolCall("read_file", session="one"))

    assert known[-1] == "f99.py"
    assert len(known) == 64
    assert recent.known(ToolCall("read_file", session="two")) == ()


def test_sessions_are_forgotten_in_the_end():
    recent = Recent()
    there = [Resolution("a.py", "exists", "read", path="a.py")]
    for number in range(400):
        recent.note(ToolCall("read_file", session=str(number)), there)

    assert recent.known(ToolCall("read_file", session="0")) == ()
    assert recent.known(ToolCall("read_file", session="399")) == ("a.py",)


def test_what_is_changed_or_new_is_not_committed(make_repo, write):
    repo = make_repo(FILES)
    write(repo, {"billing/totals.py": "changed", "new/deep/x.py": ""})

    paths = ["billing/totals.py", "reports/totals.py", "new/deep/x.py"]

    assert uncommitted(str(repo), paths) == {"billing/totals.py", "new/deep/x.py"}
    assert uncommitted(str(repo / "billing"), ["totals.py"]) == {"totals.py"}


def test_without_git_nothing_is_known(make_repo):
    assert uncommitted(str(make_repo(FILES, git=False)), ["README.md"]) == set()


class TestGuard:
    @pytest.fixture
    def repo(self, make_repo):
        return make_repo(FILES)

    def ask(self, guard, path, session="s"):
        return guard.before(ToolCall("read_file", {"path": path}, session=session))

    @pytest.mark.parametrize("used", ["reports/totals.py", "reports/layout.py"])
    def test_names_first_what_the_session_works_with(self, repo, used):
        guard = Guard(repo)
        assert self.first(self.ask(guard, TWO)) == "billing/totals.py"

        self.ask(guard, used)

        decision = self.ask(guard, TWO)
        assert decision.action == "refuse"
        assert self.first(decision) == "reports/totals.py"
        assert "used in this session" in decision.text
        assert self.first(self.ask(guard, TWO, session="other")) == "billing/totals.py"

    def test_names_first_what_is_not_committed(self, repo, write):
        write(repo, {"reports/totals.py": "changed"})

        decision = self.ask(Guard(repo, timeout_s=5), TWO)

        assert self.first(decision) == "reports/totals.py"

    def test_remembers_a_correction_in_the_store(self, repo):
        store = MemoryStore()
        self.ask(Guard(repo, store=store), "billing/deeper/tax.py")
        self.ask(Guard(repo, store=store), "report/layout.py")

        assert self.first(self.ask(Guard(repo, store=store), TWO)) == "reports/totals.py"

    def test_never_makes_a_correction_of_it(self, repo):
        guard = Guard(repo)
        for _ in range(10):
            self.ask(guard, "reports/totals.py")

        assert self.ask(guard, TWO).action == "refuse"

    def first(self, decision):
        return decision.payload["paths"][0]["candidates"][0]["path"]


def test_more_sessions_than_are_kept_may_be_noted_by_several_threads_at_once():
    recent, raised = Recent(), []
    there = [Resolution("a", "exists", "read", path="a")]

    def note(thread):
        try:
            for number in range(20_000):
                recent.note(ToolCall("read_file", session=f"{thread}-{number}"), there)
        except RuntimeError as error:
            raised.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=note, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert raised == []
