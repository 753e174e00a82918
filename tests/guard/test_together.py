"""The corrections of one call, seen with everything else that the call names."""

from __future__ import annotations

import pytest
import repos
from rows import check_each

import truepath


def moved(repo):
    files = {
        "specs/roadmap.md": "a\nb\nc\n",
        "specs/status.md": "all green\nso far\n",
        "docs/other.md": "",
        "backend/x.py": "",
        "summarize/a.py": "",
    }
    repos.start(repo, files)
    repos.move_file(repo, "specs/roadmap.md", "docs/roadmap.md")
    repos.move_file(repo, "specs/status.md", "docs/status.md")


@pytest.fixture
def repo(copy_of):
    return copy_of(moved)


def run(root, command, policy="careful"):
    call = truepath.ToolCall("Bash", {"command": command}, cwd=str(root))
    return truepath.Guard(root, policy=policy).before(call)


SAME = [
    "diff -q specs/roadmap.md docs/roadmap.md && rm docs/roadmap.md",
    "diff -q specs/roadmap.md docs/roadmap.md && rm -f docs/roadmap.md",
    "diff specs/roadmap.md docs/roadmap.md",
    "cmp specs/roadmap.md docs/roadmap.md",
    "cmp specs/roadmap.md ./docs/../docs/roadmap.md",
    "md5sum specs/roadmap.md; md5sum docs/roadmap.md",
    "cp specs/roadmap.md docs/roadmap.md",
    "cp specs/roadmap.md docs/",
    "mv specs/roadmap.md docs",
    "mv specs/roadmap.md docs/roadmap.md",
    "cat specs/roadmap.md > docs/roadmap.md",
    "cat specs/roadmap.md | tee docs/roadmap.md",
    "sort -o docs/roadmap.md specs/roadmap.md",
    "rm -f docs/roadmap.md; cp specs/roadmap.md out.md",
    "cat specs/roadmap.md; frobnicate docs/roadmap.md",
    "cat specs/roadmap.md > x.md; python3 -c \"open('docs/roadmap.md', 'w')\"",
]


@pytest.mark.parametrize("policy", ["careful", "recover"])
def test_a_correction_that_is_another_path_of_the_call_is_refused(repo, policy):
    guard = truepath.Guard(repo, policy=policy, timeout_s=10.0)

    def check(command):
        call = truepath.ToolCall("Bash", {"command": command}, cwd=str(repo), session=command)
        decision = guard.before(call)
        assert decision.action == "refuse"
        known = "`specs/roadmap.md` is not there; it is already at `docs/roadmap.md`"
        assert known in decision.text

    check_each(SAME, check)


def test_two_spellings_of_one_file_are_one(repo):
    (repo / "now.md").symlink_to("docs/roadmap.md")
    assert run(repo, "cp specs/roadmap.md now.md").action == "refuse"


def test_a_correction_of_one_path_onto_that_of_another_is_refused(repo):
    command = "cmp specs/roadmap.md /workspace/docs/roadmap.md"
    assert run(repo, command).action == "refuse"


@pytest.mark.parametrize(
    ("command", "corrected"),
    [
        ("cat specs/roadmap.md; cat docs/roadmap.md", "cat docs/roadmap.md; cat docs/roadmap.md"),
        ("grep -r a docs specs/roadmap.md", "grep -r a docs docs/roadmap.md"),
        ("mv specs/roadmap.md docs/new.md", "mv docs/roadmap.md docs/new.md"),
        ("diff specs/roadmap.md docs/other.md", "diff docs/roadmap.md docs/other.md"),
        (
            "sed -i s/a/b/ specs/roadmap.md && cat specs/roadmap.md",
            "sed -i s/a/b/ docs/roadmap.md && cat docs/roadmap.md",
        ),
    ],
)
def test_where_nothing_is_compared_or_lost_it_is_made(repo, command, corrected):
    assert run(repo, command).arguments == {"command": corrected}


def test_a_wrapped_function_keeps_its_file(repo):
    moved = []

    def move_file(source: str, destination: str) -> None:
        moved.append((source, destination))

    guarded = truepath.Guard(repo).wrap(move_file)
    with pytest.raises(truepath.PathNotFound):
        guarded("specs/roadmap.md", "docs/roadmap.md")
    assert not moved


def test_a_list_of_files_that_are_read_may_name_one_twice(repo):
    paths = ["specs/roadmap.md", "docs/roadmap.md"]
    decision = truepath.Guard(repo).before(truepath.ToolCall("read_many_files", {"paths": paths}))
    assert decision.action in ("rewrite", "allow")


def test_of_several_files_that_are_read_a_missing_one_refuses_no_other(repo):
    paths = ["docs/roadmap.md", "docs/no-such-thing.md"]
    decision = truepath.Guard(repo).before(truepath.ToolCall("read_many_files", {"paths": paths}))
    assert decision.action == "advise"
    assert decision.arguments == {"paths": paths}
    assert "no-such-thing.md" in decision.text


def test_the_only_file_of_a_list_is_refused_like_any(repo):
    call = truepath.ToolCall("read_many_files", {"paths": ["docs/no-such-thing.md"]})
    assert truepath.Guard(repo).before(call).action == "refuse"


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p bakend/x && touch bakend/x/a.py",
        "mkdir -p bakend/x && cd bakend/x && ls",
        "touch bakend/z.py && python3 bakend/z.py",
        "mkdir -p bakend/x && frobnicate --out=bakend/x",
        "echo 1 > bakend/z.txt; cat bakend/z.txt",
    ],
)
def test_what_a_command_makes_and_uses_is_not_corrected_by_half(repo, command):
    decision = run(repo, command, "recover")
    assert decision.action == "refuse"
    assert "backend" in decision.text


@pytest.mark.parametrize(
    ("command", "corrected"),
    [
        ("mkdir -p bakend/x", "mkdir -p backend/x"),
        ("mkdir -p bakend/x bakend/y", "mkdir -p backend/x backend/y"),
    ],
)
def test_what_is_made_alone_is_corrected_whole(repo, command, corrected):
    assert run(repo, command, "recover").arguments == {"command": corrected}


@pytest.mark.parametrize(
    "command", ["rm -rf summarize && mkdir -p sumarize", "mv summarize sumarize"]
)
def test_a_new_name_for_a_folder_that_the_call_takes_away_is_no_slip(repo, command):
    assert run(repo, command).action == "allow"


def test_a_new_folder_beside_one_that_stays_is_asked_about(repo):
    assert run(repo, "mkdir -p sumarize").action == "refuse"
