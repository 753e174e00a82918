"""Evaluation: what cases mean, what answers are worth, and cases out of real histories."""

from __future__ import annotations

import gzip
import json

import pytest
from click.testing import CliRunner

from truepath import Workspace
from truepath.cli import eval_text as text
from truepath.errors import Error
from truepath.evaluation.cases import SHARES, Case, CaseError, load, tree_names
from truepath.evaluation.departures import Commit, Departure, departures, follow, overlaps
from truepath.evaluation.interval import beta_mass, clopper_pearson
from truepath.evaluation.mine import mine, move_kind, windows
from truepath.evaluation.replay import State, replay
from truepath.evaluation.run import run
from truepath.evaluation.score import (
    Answer,
    Counts,
    count,
    curve,
    grouped,
    judge,
    reliability,
    surest_wrong,
    weights,
)
from truepath.types import Candidate, Resolution


def case(truth="src/a.py", **changes) -> Case:
    given = {
        "id": "1",
        "set": "s",
        "repo": "r",
        "cause": "wrong_directory",
        "written": "a.py",
        "truth": truth,
        "cwd": None,
        "root": "/repo",
        "operation": "read",
        "kind": "file",
        "tree": "",
        "add": (),
    }
    return Case(**{**given, **changes})


def answer(status="resolved", path=None, best="src/a.py", confidence=0.9, **changes) -> Answer:
    given = {"best_right": False, "listed": False, **changes}
    return Answer(status=status, path=path, best=best, confidence=confidence, **given)


RIGHT = (case(), answer(path="src/a.py", best_right=True, listed=True))
WRONG = (case(), answer(path="src/b.py", best="src/b.py", confidence=0.8))
NEEDLESS = (case(truth=None, cause="invented"), answer(path="src/b.py", best="src/b.py"))
LISTED = (case(), answer("ambiguous", best_right=True, listed=True, confidence=0.5))
MISLED = (case(truth=None), answer("ambiguous", confidence=0.3))
MISSED = (case(), answer("absent", best=None, confidence=0.0))
ABSENT = (case(truth=None), answer("absent", best=None, confidence=0.0))
OUTSIDE = (case(truth=None), answer("outside", best=None, confidence=0.0))
EXISTS = (case(), answer("exists", path="a.py", best=None, confidence=0.0))
ALL = [RIGHT, WRONG, NEEDLESS, LISTED, MISLED, MISSED, ABSENT, OUTSIDE, EXISTS]


# Measures.


def test_every_answer_is_counted_once_and_where_it_belongs():
    assert count(ALL) == Counts(
        cases=9,
        findable=5,
        right=1,
        wrong=2,
        listed=2,
        refused=2,
        absent_right=1,
        absent_wrong=1,
        outside_right=1,
        outside_wrong=0,
        exists=1,
    )


def test_shares_follow_from_the_counts():
    told = count(ALL).to_dict()
    assert told["accuracy"] == pytest.approx(3 / 9)  # one correction, one absent, one outside
    assert told["wrong_share"] == pytest.approx(2 / 3)
    assert told["recall"] == pytest.approx(1 / 5)
    assert told["first_3"] == pytest.approx(2 / 5)
    assert told["absent_precision"] == pytest.approx(2 / 3)
    assert told["absent_recall"] == pytest.approx(2 / 4)


def test_a_share_of_nothing_is_not_a_number():
    told = count([]).to_dict()
    assert told["wrong_share"] is told["recall"] is told["accuracy"] is None
    assert told["wrong_share_interval"] == [0.0, 1.0]


def test_groups_add_up_to_the_whole():
    groups = grouped(ALL, "cause")
    assert set(groups) == {"directory", "none"}
    assert sum(each.cases for each in groups.values()) == 9
    assert sum(each.wrong for each in groups.values()) == 2
    assert grouped(ALL, "kind")["invented"].wrong == 1
    assert set(grouped(ALL, "asked")) == {"read file"}


def test_a_folder_is_right_with_and_without_its_slash():
    found = Resolution("x", "resolved", "list", path="src", candidates=(Candidate("src", 0.9),))
    judged = judge("src/", found)
    assert judged.best_right
    assert count([(case(truth="src/"), judged)]).right == 1


def test_only_the_first_three_candidates_count_as_listed():
    candidates = tuple(Candidate(f"{n}.py", 0.2) for n in range(5))
    found = Resolution("x.py", "ambiguous", "read", candidates=candidates)
    assert judge("2.py", found).listed
    assert not judge("3.py", found).listed


def test_reliability_compares_what_was_told_with_what_is_true():
    members = [(case(), answer(confidence=0.82, best_right=n < 3)) for n in range(4)]
    silent = (case(), answer("absent", best=None, confidence=0.0))
    (one,) = reliability([*members, silent])
    assert (one.low, one.high, one.cases) == (0.8, 0.9, 4)
    assert one.confidence == pytest.approx(0.82)
    assert one.right == pytest.approx(0.75)
    assert one.interval == pytest.approx(clopper_pearson(3, 4))


@pytest.mark.parametrize("confidence", [0.0, 0.1, 0.995, 1.0])
def test_every_confidence_has_a_bin(confidence):
    assert sum(each.cases for each in reliability([(case(), answer(confidence=confidence))])) == 1


def test_weights_give_each_cause_its_share_among_real_misses():
    judged = [RIGHT] * 9 + [ABSENT]
    found = weights(judged)
    assert sum(found) == pytest.approx(10)
    assert found[9] / sum(found[:9]) == pytest.approx(SHARES["none"] / SHARES["directory"])


def test_weights_move_reliability():
    good = (case(), answer(confidence=0.85, best_right=True))
    bad = (case(truth=None), answer(confidence=0.85))
    (plain,) = reliability([good] * 3 + [bad])
    (weighed,) = reliability([good] * 3 + [bad], weights([good] * 3 + [bad]))
    assert plain.right == pytest.approx(0.75)
    assert weighed.right == pytest.approx(0.15 / (0.15 + 0.51))


def test_risk_grows_as_less_sure_cases_are_taken_in():
    good = (case(), answer(confidence=0.9, best_right=True))
    bad = (case(), answer(confidence=0.6))
    points = curve([good, good, bad, ABSENT])
    assert [(p.confidence, p.coverage, p.right) for p in points] == [
        (0.9, 0.5, 0.5),
        (0.6, 0.75, 0.5),
    ]
    assert [p.risk for p in points] == pytest.approx([0.0, 1 / 3])


def test_a_long_curve_is_thinned_and_keeps_its_end():
    judged = [(case(), answer(confidence=n / 1000, best_right=True)) for n in range(1, 1000)]
    points = curve(judged, points=50)
    assert len(points) <= 50
    assert points[-1].coverage == pytest.approx(1.0)


def test_the_surest_mistakes_come_first():
    assert surest_wrong(ALL, 5) == [NEEDLESS, WRONG]
    told = text.mistakes([WRONG])
    assert "a.py -> src/b.py, not src/a.py" in told


def test_a_table_lines_up_and_totals():
    lines = text.breakdown("cause", grouped(ALL, "cause"), count(ALL)).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[-1].split()[:4] == ["all", "9", "1", "2"]


# Intervals: known values, from the definition and from published tables.


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (0, 10, 0.0, 1 - 0.025 ** (1 / 10)),
        (10, 10, 0.025 ** (1 / 10), 1.0),
        (1, 1, 0.025, 1.0),
        (5, 10, 0.18708603, 0.81291397),
        (1, 10, 0.00252858, 0.44501612),
        (10, 100, 0.04900469, 0.17622260),
        (12_500, 25_000, 0.49378235, 0.50621765),
    ],
)
def test_intervals_are_exact(hits, of, low, high):
    assert clopper_pearson(hits, of) == pytest.approx((low, high), abs=1e-7)


def test_without_cases_nothing_is_known():
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("hits", "of"), [(-1, 3), (4, 3)])
def test_more_hits_than_cases_are_a_mistake(hits, of):
    with pytest.raises(ValueError, match="no share"):
        clopper_pearson(hits, of)


def test_the_beta_distribution_is_symmetric():
    assert beta_mass(0.3, 4, 9) + beta_mass(0.7, 9, 4) == pytest.approx(1.0)
    assert beta_mass(0.25, 1, 1) == pytest.approx(0.25)


# Cases.


def lines_of(path, *cases) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in cases), encoding="utf-8")
    return str(path)


def test_a_case_needs_only_what_was_written_what_was_meant_and_names(tmp_path):
    file = lines_of(
        tmp_path / "mine.v1.jsonl",
        {"written": "a.py", "truth": "src/a.py", "names": ["src/a.py"]},
        {"written": "x", "truth": None, "label": "unknown"},
    )
    (found,) = load(file)
    assert (found.set, found.add, found.operation, found.kind) == (
        "mine",
        ("src/a.py",),
        "read",
        "file",
    )
    assert found.family == "directory"


@pytest.mark.parametrize(
    ("tool", "operation", "kind"),
    [
        ("bash:cat", "read", "file"),
        ("bash:cd", "list", "folder"),
        ("bash:rg", "search", "any"),
        ("Edit", "edit", "file"),
        (None, "read", "file"),
    ],
)
def test_the_tool_says_what_was_asked(tmp_path, tool, operation, kind):
    raw = {"written": "a", "truth": None, "names": [], "tool": tool}
    (found,) = load(lines_of(tmp_path / "c.jsonl", raw))
    assert (found.operation, found.kind) == (operation, kind)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "c.jsonl:1 is no JSON object"),
        ("[]", "c.jsonl:1 is no JSON object"),
        ('{"written": "a"}', "c.jsonl:1 has no field 'truth'"),
    ],
)
def test_a_bad_line_is_named(tmp_path, content, message):
    path = tmp_path / "c.jsonl"
    path.write_text(content + "\n", encoding="utf-8")
    with pytest.raises(CaseError, match=message):
        list(load(path))


def test_a_file_that_is_not_there_is_a_case_error(tmp_path):
    with pytest.raises(CaseError, match=r"cannot read .*none\.jsonl\.gz: No such file[^']*$"):
        list(load(tmp_path / "none.jsonl.gz"))


def test_trees_are_read_plain_and_gzipped(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"x\ny/z\nIcon\r\n")
    with gzip.open(tmp_path / "b.txt.gz", "wt", encoding="utf-8") as file:
        file.write("x\n")
    assert tree_names(str(tmp_path), "trees/a.txt") == ("x", "y/z", "Icon\r")
    assert tree_names(str(tmp_path), "b.txt.gz") == ("x",)
    with pytest.raises(CaseError, match="--trees"):
        tree_names(str(tmp_path), "c.txt")


def test_answers_come_in_the_order_of_the_cases_whatever_the_processes(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"src/{name}.py\nREADME.md\n", encoding="utf-8")
    cases = [
        case(written=f"lib/{name}.py", truth=f"src/{name}.py", tree=f"{name}.txt", id=str(n))
        for n in range(3)
        for name in ("two", "one")
    ]
    told = []
    judged = run(cases, str(tmp_path), workers=2, progress=lambda *at: told.append(at))
    assert [each for each, _ in judged] == cases
    assert all(each.best_right for _, each in judged)
    assert told[-1] == (6, 6)
    assert judged == run(cases, str(tmp_path), workers=1)


# Mining.


@pytest.fixture
def story(make_repo, write, git):
    """A repository with a move, a chain, a deletion, a move by hand and a path made again."""
    text = {
        name: f"{name}\n" + "".join(f"{name} line {n}\n" for n in range(30)) for name in "abcdef"
    }
    repo = make_repo(
        {
            "src/move.py": text["a"],
            "src/chain.py": text["b"],
            "src/gone.py": text["c"],
            "src/again.py": text["d"],
            "src/byhand.py": text["e"],
            "lib/gone.py": text["f"],
        }
    )

    def commit(message: str) -> None:
        git(repo, "add", "--all")
        git(repo, "commit", "--quiet", f"--message={message}")

    git(repo, "mv", "src/move.py", "lib/move.py")
    git(repo, "mv", "src/chain.py", "src/chain2.py")
    commit("move")
    git(repo, "mv", "src/chain2.py", "lib/chain3.py")
    git(repo, "rm", "--quiet", "src/gone.py", "src/again.py")
    commit("delete")
    write(repo, {"src/again.py": "another file\n", "lib/byhand.py": text["e"]})
    commit("make")
    git(repo, "rm", "--quiet", "src/byhand.py")
    commit("delete the copy's original")
    return repo


def test_what_left_is_found_with_its_end(story):
    ends = {path: end.path for _, path, end in follow(departures(str(story)))}
    assert ends == {
        "src/move.py": "lib/move.py",
        "src/chain.py": "lib/chain3.py",
        "src/chain2.py": "lib/chain3.py",
        "src/gone.py": None,
        "src/again.py": None,
        "src/byhand.py": None,
    }


def test_cases_are_mined_with_their_truth(story, tmp_path):
    folder = tmp_path / "trees"
    folder.mkdir()
    cases = mine(str(story), str(folder), states=1)
    found = {each.written: (each.truth, each.cause) for each in cases}
    assert found == {
        "src/move.py": ("lib/move.py", "moved_unique_basename"),
        "src/chain.py": ("lib/chain3.py", "moved_and_renamed"),
        "src/chain2.py": ("lib/chain3.py", "moved_and_renamed"),
        "src/gone.py": (None, "lookalike_unique"),
        "src/byhand.py": ("lib/byhand.py", "copied_then_deleted"),
    }
    assert {each.set for each in cases} == {"renames", "deletions"}


def test_what_a_branch_renamed_and_rewrote_is_no_deletion(make_repo, write, git, tmp_path):
    lines = [f"line {n}\n" for n in range(40)]
    repo = make_repo({"old.py": "".join(lines), "gone.py": "x = 1\n" * 9, "kept.py": "y\n"})
    git(repo, "checkout", "--quiet", "-b", "branch")
    git(repo, "mv", "old.py", "new.py")
    git(repo, "commit", "--quiet", "--message=rename")
    write(repo, {"new.py": "".join(f"other {n}\n" for n in range(40))})
    git(repo, "rm", "--quiet", "gone.py")
    git(repo, "commit", "--quiet", "--all", "--message=rewrite")
    git(repo, "checkout", "--quiet", "main")
    git(repo, "merge", "--quiet", "--no-ff", "--message=merge", "branch")
    assert [each.written for each in mine(str(repo), str(tmp_path))] == ["gone.py"]


def test_a_clone_without_contents_cannot_be_mined_and_that_is_said(story, tmp_path, git):
    git(story, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{story}", "partial")
    with pytest.raises(Error, match=r"without all contents.*clone it whole"):
        mine(str(tmp_path / "partial"), str(tmp_path))


def test_a_bare_repository_can_be_mined(story, tmp_path, git):
    bare, trees = tmp_path / "bare.git", tmp_path / "trees"
    trees.mkdir()
    git(tmp_path, "clone", "--quiet", "--bare", str(story), str(bare))
    own = [each.written for each in mine(str(story), str(trees))]
    assert [each.written for each in mine(str(bare), str(trees))] == own


def test_a_state_is_asked_about_what_left_before_it_alone(story, tmp_path):
    cases = mine(str(story), str(tmp_path), states=10)
    by_state = {(each.tree, each.written): each.truth for each in cases}
    first_move = next(tree for tree, written in by_state if written == "src/move.py")
    assert by_state[first_move, "src/chain.py"] == "src/chain2.py"
    assert "src/chain2.py" in tree_names(str(tmp_path), first_move)


def test_mined_cases_are_answered_by_names_and_with_history(story, tmp_path):
    trees, states = tmp_path / "trees", tmp_path / "states"
    trees.mkdir()
    states.mkdir()
    cases = mine(str(story), str(trees))
    by_names = run(cases, str(trees), workers=1)
    by_history = replay(str(story), cases, str(trees), str(states))
    assert {each.id for each, _ in by_history} == {each.id for each in cases}
    assert all(each.history for _, each in by_history)
    assert not any(each.history for _, each in by_names)
    assert count(by_history).wrong == 0
    assert count(by_history).right >= count(by_names).right


def test_mining_leaves_the_repository_as_it_was(story, tmp_path, git):
    def everything() -> dict:
        return {
            path.relative_to(story): path.stat().st_mtime_ns for path in sorted(story.rglob("*"))
        }

    before = everything()
    trees, states = tmp_path / "trees", tmp_path / "states"
    trees.mkdir()
    states.mkdir()
    replay(str(story), mine(str(story), str(trees)), str(trees), str(states))
    assert everything() == before


def test_a_borrowed_state_has_the_names_and_no_changes_but_contents(story, tmp_path, git):
    place = str(tmp_path / "state")
    state = State(str(story), place)
    commits = git(story, "rev-list", "HEAD").split()
    for commit in (commits[-1], commits[0]):
        names = git(story, "ls-tree", "-r", "--name-only", commit).split()
        state.move_to(commit, names)
        assert git(place, "rev-parse", "HEAD").strip() == commit
        assert git(place, "ls-files").split() == names
        assert Workspace(place).names().files == names
        changed = {line[:2] for line in git(place, "status", "--porcelain").splitlines()}
        assert changed == {" M"}


def test_files_that_change_places_keep_their_own_ends():
    swap = Commit("2", (Departure("a", "b", 100, "x"), Departure("b", "a", 100, "y")))
    later = Commit("3", (Departure("a", "c", 90, "y"),))
    ends = {path: (end.path, end.score) for _, path, end in follow([later, swap])}
    assert ends["b"] == ("c", 90)
    assert ends["a"] == ("c", 90)  # its last departure is the one that is asked about


def test_commits_are_split_by_how_much_left_in_them():
    commits = [
        Commit(str(n), (Departure("a", "", 0, ""),) * size) for n, size in enumerate((5, 1, 1, 5))
    ]
    assert [[each.id for each in window] for window in windows(commits, 3)] == [
        ["0"],
        ["1", "2", "3"],
    ]
    assert [len(window) for window in windows(commits, 100)] == [1, 1, 1, 1]
    assert list(windows([], 3)) == []


@pytest.mark.parametrize(
    ("old", "new", "alike", "kind"),
    [
        ("a/x.py", "b/x.py", 1, "moved_unique_basename"),
        ("a/x.py", "b/x.py", 2, "moved_shared_basename"),
        ("a/x.py", "A/x.py", 1, "case_only"),
        ("a/x.py", "a/X.py", 0, "case_only"),
        ("a/x.js", "a/x.ts", 0, "extension_changed"),
        ("a/x.js", "b/x.ts", 0, "moved_and_extension_changed"),
        ("a/x.py", "a/x/__init__.py", 9, "module_to_package"),
        ("a/x.py", "a/y.py", 0, "renamed_in_place"),
        ("a/x.py", "b/y.py", 0, "moved_and_renamed"),
    ],
)
def test_moves_are_named_by_what_they_changed(old, new, alike, kind):
    assert move_kind(old, new, alike=alike) == kind


def test_overlap_is_the_share_of_the_old_lines_kept(make_repo, git):
    repo = make_repo({"old": "a\nb\nc\nd\n", "new": "x\nb\n  a\n", "empty": ""})
    ids = {name: git(repo, "rev-parse", f"HEAD:{name}").strip() for name in ("old", "new", "empty")}
    pairs = [(ids["old"], ids["new"]), (ids["empty"], ids["new"]), (ids["old"], "0" * 40)]
    assert list(overlaps(str(repo), pairs).values()) == [0.5, None, None]


def test_a_folder_without_history_cannot_be_mined(tmp_path):
    with pytest.raises(Error, match="cannot mine"):
        mine(str(tmp_path), str(tmp_path))


def test_a_repository_without_a_commit_cannot_be_mined(tmp_path, git):
    git(tmp_path, "init", "--quiet")
    with pytest.raises(Error, match="cannot mine"):
        mine(str(tmp_path), str(tmp_path))


# The command.


def invoke(*args: str):
    from truepath.cli.app import app

    return CliRunner().invoke(app, ["eval", *args], standalone_mode=False)


def test_the_command_prints_measures_as_text_and_as_json(tmp_path):
    names = ["src/a.py", "src/b.py", "docs/guide.md"]
    file = lines_of(
        tmp_path / "c.jsonl",
        {
            "written": "lib/guide.md",
            "truth": "docs/guide.md",
            "names": names,
            "kind": "wrong_directory",
        },
        {"written": "src/none_such.go", "truth": None, "names": names, "kind": "invented"},
    )
    shown = invoke(file)
    assert shown.exception is None
    assert "wrong corrections" in shown.stdout
    told = json.loads(invoke(file, "--json", "--by", "cause").stdout)
    assert told["version"] == 1
    figures = told["by names alone"]
    assert figures["total"]["cases"] == 2
    assert set(figures["by_cause"]) == {"directory", "none"}
    assert figures["total"]["absent_recall"] == 1.0


def test_the_command_draws_what_it_measured(tmp_path):
    pytest.importorskip("matplotlib", reason="no such package here: pip install matplotlib")
    names = ["docs/guide.md", "README.md"]
    file = lines_of(
        tmp_path / "c.jsonl", {"written": "lib/guide.md", "truth": "docs/guide.md", "names": names}
    )
    target = tmp_path / "out.svg"
    assert invoke(file, "--plot", str(target)).exception is None
    assert "<svg" in target.read_text(encoding="utf-8")


def test_the_command_mines_a_repository(story):
    told = json.loads(invoke("--from-git", str(story), "--json").stdout)
    assert set(told) == {"version", "seconds", "by names alone", "with history"}
    assert told["with history"]["total"]["cases"] == told["by names alone"]["total"]["cases"] > 0
    assert told["with history"]["total"]["wrong"] == 0


@pytest.mark.parametrize("arguments", [[], ["c.jsonl", "--from-git", "."]])
def test_cases_or_a_repository_must_be_given(arguments):
    assert "give either" in str(invoke(*arguments).exception)
