"""A path that never existed may be meant for a file that left as well as for one that is there."""

from __future__ import annotations

import shutil
from itertools import pairwise

import pytest
from past import LONG, text

from truepath import Guard, ToolCall, Workspace
from truepath.project.history import History

APP = "packages/billing/src/app"

THERE = [f"{APP}/session_store.py", f"{APP}/settings.py", "docs/guide.md", "README.md"]


@pytest.fixture
def project(make_repo, write, commit, git):
    """Return `project(gone, moved, there)`: a repository that had files and lost or moved them."""

    def make(gone=(), moved=(), there=THERE):
        old = [*gone, *(before for before, _ in moved)]
        new = {name: text(ascii(name)) for name in there if name not in dict(moved).values()}
        repo = make_repo({**new, **{name: text(ascii(name)) for name in old}})
        for before, after in moved:
            (repo / after).parent.mkdir(parents=True, exist_ok=True)
            git(repo, "mv", before, after)
        if gone:
            git(repo, "rm", "--quiet", *gone)
        commit(repo)
        return repo

    return make


def resolve(repo, written, operation="read", **settings):
    return Workspace(repo, timeout_s=LONG, **settings).resolve(written, operation)


@pytest.fixture
def mapped(tmp_path):
    """Return `mapped(repo, written)`: the same where the map is there, so that all is looked at."""

    def ask(repo, written, **settings):
        store = str(tmp_path / "store")
        assert History(str(repo), store=store).build()
        return resolve(repo, written, store=store, **settings)

    return ask


CORRECTS = [
    # what left, what moved, written, the right file
    ((), (), "src/app/session_store.py", f"{APP}/session_store.py"),
    (("tools/deploy.py",), (), "src/app/session_store.py", f"{APP}/session_store.py"),
    ((), (), f"{APP}/setings.py", f"{APP}/settings.py"),
    # what was of that name is the candidate itself, under its name of then
    (
        (),
        (("lib/session_store.py", f"{APP}/session_store.py"),),
        "src/app/session_store.py",
        f"{APP}/session_store.py",
    ),
]

LEAVES_ALONE = [
    # what left, what moved, written, the likest file that is there
    (("legacy/src/app/session_store.py",), (), "src/app/session_store.py", THERE[0]),
    (("lib/app/session_store.py",), (), "app/session_store.py", THERE[0]),
    ((f"{APP}/seatings.py",), (), f"{APP}/setings.py", THERE[1]),
    # it moved, and is called otherwise now: what has its name is another
    (
        (),
        (("legacy/src/app/session_store.py", "legacy/store.py"),),
        "src/app/session_store.py",
        THERE[0],
    ),
]


@pytest.mark.parametrize(("gone", "moved", "written", "right"), CORRECTS)
def test_what_nothing_gone_is_like_is_corrected(project, gone, moved, written, right):
    resolution = resolve(project(gone, moved), written)

    assert (resolution.status, resolution.path) == ("resolved", right), resolution.candidates[:2]


@pytest.mark.parametrize(("gone", "moved", "written", "like"), LEAVES_ALONE)
def test_what_something_gone_is_as_like_is_left_alone(project, gone, moved, written, like):
    plain = resolve(project(), written)
    resolution = resolve(project(gone, moved), written)

    assert plain.path == like
    assert resolution.status != "resolved", resolution.candidates[:2]


def test_the_agent_is_told_what_was_there(project):
    repo = project(["lib/app/session_store.py"])
    guard = Guard(repo, timeout_s=LONG)

    decision = guard.before(ToolCall("Read", {"file_path": "app/session_store.py"}))

    assert decision.action == "refuse"
    assert "there was lib/app/session_store.py: deleted in " in decision.text


def test_beside_what_is_named_the_agent_is_told_what_was_there(project):
    repo = project(["legacy/src/app/session_store.py"])

    decision = Guard(repo, timeout_s=LONG).before(
        ToolCall("Read", {"file_path": "src/app/session_store.py"})
    )

    assert f"`{THERE[0]}`" in decision.text
    assert "there was legacy/src/app/session_store.py: deleted in " in decision.text


def test_a_hostile_name_is_told_of_in_plain_letters(project):
    repo = project(["lib\x1b[31m/app/session_store.py"])

    decision = Guard(repo, timeout_s=LONG).before(
        ToolCall("Read", {"file_path": "app/session_store.py"})
    )

    assert "there was lib\\x1b[31m/app/session_store.py" in decision.text
    assert decision.text.replace("\n", " ").isprintable()


def test_what_it_became_is_named_behind_what_bears_the_name_today(project):
    repo = project(moved=[("lib/app/session_store.py", "lib/store.py")])

    resolution = resolve(repo, "app/session_store.py")

    assert resolution.status == "ambiguous"
    assert [one.path for one in resolution.candidates][:2] == [THERE[0], "lib/store.py"]
    assert "renamed to lib/store.py" in resolution.note


def test_of_a_file_that_is_nowhere_its_end_is_told(project, mapped):
    resolution = mapped(project(["docs/plan.md"]), "plan.md")

    assert resolution.status == "absent"
    assert "there was docs/plan.md: deleted in " in resolution.note


def test_what_came_back_is_not_gone(project, write, commit, mapped):
    repo = project(["app/session_store.py"], there=["docs/guide.md"])
    write(repo, {"app/session_store.py": text("once more")})
    commit(repo)

    resolution = mapped(repo, "src/app/session_store.py")

    assert "there was" not in resolution.note
    assert resolution.candidates[0].path == "app/session_store.py"


@pytest.mark.parametrize(
    ("gone", "written"), [("app/.env", ".env"), ("private/plan.md", "plan.md")]
)
def test_a_path_that_may_not_be_named_is_not_told_of(project, mapped, gone, written):
    resolution = mapped(project([gone]), written, deny=["private/"])

    assert gone not in resolution.note


def test_a_path_that_may_not_be_named_stands_in_the_way_all_the_same(project):
    repo = project(["private/src/app/session_store.py"])

    resolution = resolve(repo, "src/app/session_store.py", deny=["private/"])

    assert resolution.status != "resolved"
    assert "private" not in resolution.note


def test_names_that_were_frequent_over_the_years_are_no_less_like_it(project):
    there = ["runtime-util/src/loom_shim.rs", "bench/loom_shim.rs", "README.md"]
    old = [f"crate{number}/old/loom_shim.rs" for number in range(8)]

    plain = resolve(project(old, there=there), "src/loom_shim.rs")
    resolution = resolve(
        project(["runtime/src/loom_shim.rs", *old], there=there), "src/loom_shim.rs"
    )

    assert plain.path == there[0]
    assert resolution.status != "resolved", resolution.candidates[:2]


@pytest.mark.parametrize(
    ("left", "now", "written"),
    [
        ("site/_sass/main.scss", "site/_sass/base.scss", "src/serve/main.go"),
        ("app/testsuite/helpers.py", "tests/test_helpers.py", "docs/helpers.md"),
    ],
)
def test_what_left_and_is_hardly_like_it_is_not_told_of(project, mapped, left, now, written):
    repo = project(moved=[(left, now)], there=["site/main.css", "app/helpers.py", now])

    resolution = mapped(repo, written)

    assert (resolution.status, "there was" in resolution.note) == ("absent", False)
    assert all(one.confidence < 0.2 for one in resolution.candidates), resolution.candidates


PATTERN = [
    "cmd/gh/main.go",
    "internal/gh/gh.go",
    "packages/compiler/src/index.ts",
    "packages/runtime/src/customFormatter.ts",
    "packages/runtime/src/index.ts",
    "v3-notes/provider-architecture.md",
]


@pytest.mark.parametrize(
    ("written", "like"),
    [
        ("cmd/gh/gh.go", "internal/gh/gh.go"),
        ("packages/compiler/src/customFormatter.ts", "packages/runtime/src/customFormatter.ts"),
        ("v2-notes/provider-architecture.md", "v3-notes/provider-architecture.md"),
    ],
)
def test_what_is_made_after_the_pattern_of_another_folder_is_no_surer(make_repo, written, like):
    repo = make_repo({name: text(name) for name in PATTERN})

    by_names = Workspace.from_names(PATTERN, root=str(repo)).resolve(written)
    resolution = resolve(repo, written, "edit")

    assert (resolution.status, resolution.candidates[0].path) == ("ambiguous", like)
    assert resolution.candidates[0].confidence == by_names.candidates[0].confidence


@pytest.mark.parametrize(("moves", "raised"), [(1, True), (3, True), (4, False)])
def test_where_too_much_is_like_it_to_be_followed_names_alone_decide(
    make_repo, move, moves, raised
):
    now, written = f"{APP}/gateway.py", f"{APP}/gatway.py"
    steps = [f"{APP}/gat{letter}way.py" for letter in "bdkt"[:moves]]
    repo = make_repo({name: text(name) for name in [steps[0], *THERE[1:]]})
    for before, after in pairwise([*steps, now]):
        move(repo, before, after)

    by_names = Workspace.from_names([now, *THERE[1:]], root=str(repo)).resolve(written)
    resolution = resolve(repo, written)

    assert resolution.candidates[0].path == now
    assert (resolution.candidates[0].confidence > by_names.candidates[0].confidence) == raised


class TestDeparted:
    """What `History.departed` knows, with a map and without."""

    @pytest.fixture(params=["read now", "from a map"])
    def departed(self, request, tmp_path):
        def ask(root, path="x.py"):
            history = History(str(root), store=str(tmp_path / "store"))
            if request.param == "from a map":
                assert history.build()
            names = history.departed(path, deadline=LONG)
            return None if names is None else list(names.files)

        return ask

    def test_it_knows_what_was_deleted_and_what_was_renamed(self, project, departed):
        repo = project(["lib/a.py"], [("lib/b.py", "src/b.py")])

        assert departed(repo) == ["lib/a.py", "lib/b.py"]

    def test_below_the_repository_it_knows_what_is_below(self, project, departed):
        repo = project(["docs/old/a.md", "lib/a.py"])

        assert departed(repo / "docs") == ["old/a.md"]

    def test_of_a_repository_within_it_knows_that_one(self, project, make_repo, git, departed):
        repo, other = project(["lib/a.py"]), project(["lib/b.py"])
        other.rename(repo / "inner")

        assert departed(repo, "inner/lib/c.py") == ["inner/lib/b.py"]

    def test_names_may_hold_anything(self, project, departed):
        names = ["lib/a b.py", "lib/ünï.py", "lib/\udcff.py", "lib/'\"\x1b.py"]
        repo = project(names)

        assert departed(repo) == sorted(names)

    def test_commits_since_the_map_was_made_count(self, project, drop, tmp_path):
        repo = project(["lib/a.py"])
        store = str(tmp_path / "store")
        assert History(str(repo), store=store).build()
        drop(repo, "docs/guide.md")

        names = History(str(repo), store=store).departed("x.py", deadline=LONG)

        assert names is not None
        assert list(names.files) == ["docs/guide.md", "lib/a.py"]

    def test_a_map_of_a_repository_that_was_there_before_is_not_believed(
        self, project, git, commit, tmp_path
    ):
        repo, store = project(["lib/a.py"]), str(tmp_path / "store")
        assert History(str(repo), store=store).build()
        shutil.rmtree(repo / ".git")
        git(repo, "init", "--quiet", "--template=")
        commit(repo)
        git(repo, "rm", "--quiet", "docs/guide.md")
        commit(repo)

        names = History(str(repo), store=store).departed("x.py", deadline=LONG)

        assert names is not None
        assert list(names.files) == ["docs/guide.md"]

    def test_where_history_is_cut_off_nothing_is_known(self, project, git, tmp_path, departed):
        repo = project(["lib/a.py"])
        git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repo}", "shallow")

        assert departed(tmp_path / "shallow") is None

    def test_without_a_repository_nothing_is_known(self, make_repo, tmp_path):
        folder = make_repo({"a.py": "x"}, git=False)

        assert History(str(folder)).departed("x.py", deadline=LONG) is None

    def test_without_time_nothing_is_known(self, project):
        assert History(str(project(["lib/a.py"]))).departed("x.py", deadline=0.0) is None


MANY = ["Dockerfile", "web/Dockerfile", "api/Dockerfile", "jobs/Dockerfile"]

NAMESAKES = [
    # files, moved, dropped, written, named in this order
    pytest.param((MANY, {}, ["Dockerfile"], "Dockerfile", {*MANY[1:]}), id="deleted, several live"),
    pytest.param(
        (
            ["docs/requirements.txt", "examples/jobs/requirements.txt"],
            {},
            ["docs/requirements.txt"],
            "requirements.txt",
            ["examples/jobs/requirements.txt"],
        ),
        id="one like it deleted, one lives",
    ),
    pytest.param(
        (["LICENSE", "LICENSE.txt"], {}, ["LICENSE"], "LICENSE", ["LICENSE.txt"]), id="an extension"
    ),
    pytest.param(
        (
            ["app/tests/signals.py", "src/app/signals.py"],
            {"app/tests/signals.py": "tests/test_signals.py"},
            [],
            "signals.py",
            ["src/app/signals.py", "tests/test_signals.py"],
        ),
        id="one like it renamed",
    ),
    pytest.param(
        (
            ["architecture.md", "docs/architecture.md"],
            {"architecture.md": "old-arc(deprecated).md"},
            [],
            "architecture.md",
            ["docs/architecture.md", "old-arc(deprecated).md"],
        ),
        id="a bare name renamed",
    ),
    pytest.param(
        (
            ["Package.swift", "ios/Package.swift", "mac/Package.swift"],
            {"Package.swift": "plane/Package.swift"},
            [],
            "Package.swift",
            ["plane/Package.swift", "ios/Package.swift", "mac/Package.swift"],
        ),
        id="a bare name moved",
    ),
]


@pytest.mark.parametrize("case", NAMESAKES)
def test_history_hides_no_file_of_the_very_name_and_corrects_to_none(
    make_repo, move, drop, mapped, case
):
    files, moved, dropped, written, named = case
    repo = make_repo({name: text(name) for name in [*files, "README.md"]})
    for old, new in moved.items():
        move(repo, old, new)
    if dropped:
        drop(repo, *dropped)

    for operation in ("read", "edit", "move"):
        resolution = mapped(repo, written, operation=operation)

        assert resolution.status == "ambiguous"
        found = [one.path for one in resolution.candidates][: len(named)]
        assert (found if isinstance(named, list) else {*found}) == named


def test_the_whole_old_path_of_a_file_that_kept_its_name_is_corrected(make_repo, move):
    repo = make_repo({f"{n}/status.md": text(n) for n in ("specs", "web", "api")})
    move(repo, "specs/status.md", "docs/status.md")

    resolution = resolve(repo, "specs/status.md")

    assert (resolution.status, resolution.path) == ("resolved", "docs/status.md")


def test_the_whole_old_path_is_corrected_though_the_name_changed_and_another_bears_it(
    make_repo, move
):
    files = ("app/tests/signals.py", "src/app/signals.py")
    repo = make_repo({name: text(name) for name in files})
    move(repo, "app/tests/signals.py", "tests/test_signals.py")

    resolution = resolve(repo, "app/tests/signals.py")

    assert (resolution.status, resolution.path) == ("resolved", "tests/test_signals.py")


def test_a_folder_of_a_name_that_others_bear_is_named(make_repo, move):
    places = ["src", "web/src", "worker/src"]
    repo = make_repo({f"{n}/{each}.py": text(n + each) for n in places for each in "ab"})
    move(repo, "src", "api/src")

    resolution = resolve(repo, "src", "search")

    assert resolution.status == "ambiguous"
    assert {one.path for one in resolution.candidates} == {"api/src", "web/src", "worker/src"}


class TestBelowTheRoot:
    """A path below the root is asked about as it points, and as one from the root."""

    @pytest.fixture
    def repo(self, make_repo, move, drop):
        names = ["specs/status.md", "specs/roadmap.md", "specs/old.md", "api/app.py", "README.md"]
        repo = make_repo({name: text(name) for name in names})
        move(repo, "specs/status.md", "docs/status.md")
        drop(repo, "specs/old.md")
        return repo

    @pytest.mark.parametrize("cwd", ["api", "specs", "docs"])
    @pytest.mark.parametrize("operation", ["read", "edit"])
    def test_a_rename_is_found(self, repo, cwd, operation):
        resolution = resolve(repo, "specs/status.md", operation, cwd=cwd)

        assert (resolution.status, resolution.path) == ("resolved", "docs/status.md")
        assert "renamed to docs/status.md" in resolution.note

    @pytest.mark.parametrize("cwd", ["", "api", "specs"])
    def test_names_are_read_from_the_root_where_the_first_folder_is_there(self, repo, cwd):
        found = resolve(repo, "docs/statuss.md", cwd=cwd).candidates[0]

        assert (found.path, found.confidence > 0.5) == ("docs/status.md", True)

    def test_names_are_read_from_the_folder_where_that_has_the_first_folder(
        self, repo, write, commit
    ):
        write(repo, {"api/docs/statuses.md": text("statuses")})
        commit(repo)

        found = resolve(repo, "docs/statuss.md", cwd="api").candidates[0]

        assert found.path == "api/docs/statuses.md"

    def test_what_is_only_likely_from_the_root_is_not_moved(self, repo):
        assert resolve(repo, "specs/status.md", "move", cwd="api").status == "ambiguous"

    def test_a_deletion_is_told(self, repo):
        resolution = resolve(repo, "specs/old.md", cwd="api")

        assert (resolution.status, resolution.note[:10]) == ("absent", "deleted in")

    def test_what_the_path_itself_was_counts_first(self, repo, write, commit, move):
        write(repo, {"api/specs/status.md": text("another")})
        commit(repo)
        move(repo, "api/specs/status.md", "api/status.md")

        assert resolve(repo, "specs/status.md", cwd="api").path == "api/status.md"

    def test_a_bare_name_is_not_asked_of_the_root(self, repo, move):
        move(repo, "README.md", "docs/README.md")

        resolution = resolve(repo, "README.md", cwd="api")

        assert "renamed" not in resolution.note


class TestPlainReasons:
    """What is absent for a reason that the disk tells."""

    @pytest.fixture
    def repo(self, make_repo, move):
        repo = make_repo({f"back/src/{n}.py": text(n) for n in "abc"})
        (repo / "docs").mkdir()
        (repo / "docs/broken.md").symlink_to("nowhere.md")
        move(repo, "back", "pkg/api")
        return repo

    def test_a_link_that_leads_nowhere_is_called_one(self, repo, commit):
        decision = Guard(repo, timeout_s=LONG).before(
            ToolCall("Read", {"file_path": "docs/broken.md"})
        )

        assert "(a link that leads nowhere)" in decision.text
        assert "no such file" not in decision.text

    @pytest.mark.parametrize("operation", ["move", "delete", "list"])
    def test_what_takes_the_link_itself_finds_it(self, repo, operation):
        assert resolve(repo, "docs/broken.md", operation).status == "exists"

    def test_a_wildcard_in_a_folder_that_moved_names_where_it_went(self, repo):
        resolution = resolve(repo, "back/src/*.py")

        assert resolution.status == "ambiguous"
        assert resolution.candidates[0].path == "pkg/api/src"
        assert "moved with its folder" in resolution.note

    def test_a_wildcard_in_a_folder_that_is_there_is_not_called_absent(self, repo):
        decision = Guard(repo, timeout_s=LONG).before(
            ToolCall("Read", {"file_path": "pkg/api/src/*.md"})
        )

        assert "no such file" not in decision.text

    def test_ignored_files_are_not_called_searched(self, repo, write):
        write(repo, {".gitignore": "local/\n", "local/notes.md": "x"})
        decision = Guard(repo, timeout_s=LONG).before(ToolCall("Read", {"file_path": "notes.md"}))

        assert "ignored ones not" in decision.text


def test_a_name_that_was_deleted_elsewhere_hides_no_like_one_beside_it(make_repo, write, git, move):
    repo = make_repo({"flask/session.py": "a\n" * 9, "flask/sessions.py": "b\n" * 9, "x.md": ""})
    git(repo, "rm", "-q", "flask/session.py")
    git(repo, "commit", "-qm", "drop")
    move(repo, "flask", "src/flask")

    resolution = resolve(repo, "src/flask/session.py")

    assert (resolution.status, resolution.path) == ("likely", "src/flask/sessions.py")
    assert resolution.candidates[0].path == "src/flask/sessions.py"


def test_each_of_several_missing_paths_is_told(make_repo, move):
    repo = make_repo({"specs/status.md": "green\n", "README.md": "x\n"})
    move(repo, "specs", "docs")
    call = ToolCall("Bash", {"command": "cat specs/status.md tests/nosuch.md"})

    decision = Guard(repo, timeout_s=LONG).before(call)

    assert decision.action == "advise"
    assert "Use `docs/status.md`" in decision.text
    assert "`tests/nosuch.md`" in decision.text


@pytest.mark.parametrize("name", ["bunfig.toml", "tox.ini", ".eslintrc.js", "jest.config.js"])
def test_settings_that_the_root_never_had_are_not_those_of_a_folder(make_repo, name):
    repo = make_repo(
        {f"frontend/{name}": text(name), "README.md": text("r"), "src/a.ts": text("a")}
    )

    resolution = resolve(repo, name)

    assert resolution.status == "ambiguous"
    assert resolution.candidates[0].path == f"frontend/{name}"


def test_the_path_in_another_case_is_not_doubted_for_a_namesake_that_left(make_repo, drop):
    repo = make_repo({"README.md": text("a"), "examples/one/README.md": text("b")})
    drop(repo, "examples/one/README.md")

    resolution = resolve(repo, "readme.md")

    assert (resolution.status, resolution.path) == ("resolved", "README.md")
