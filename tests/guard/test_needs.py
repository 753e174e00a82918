"""Commands whose folder lacks what they need: what is answered before and after them,
and, with the programs themselves, that a refused one fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import disks
import pytest
import repos
import rows

from truepath import Guard, Outcome, Settings, ToolCall
from truepath.calls.error_texts import unmet_conditions
from truepath.calls.shell.needs import NEEDS
from truepath.calls.shell.quick_look import NEEDY, must_exist
from truepath.config.presets import PRESETS
from truepath.guard.reading import Caller
from truepath.hook.presence import _holds

ROWS = rows.read("guard/needs")
MORE_TOOLS = os.environ.get("TRUEPATH_TEST_TOOLS", "")
FAILED = "npm error Missing script: x"
NAMES = ("build", "typecheck", "test", "start", "test:unit")
SCRIPTS = {"scripts": dict.fromkeys(NAMES, "node -e 0")}
PROJECT = '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.8"\n'
FILES = {
    "README.md": "# shop\n",
    "docs/a.md": "text\n",
    "src/a.txt": "text\n",
    "web/package.json": json.dumps({"name": "web", "version": "1.0.0", **SCRIPTS}),
    "crate/Cargo.toml": '[package]\nname = "crate"\nversion = "0.1.0"\n',
    "crate/src/lib.rs": "",
    "module/go.mod": "module example.org/module\n\ngo 1.20\n",
    "module/a.go": "package module\n",
    "module/cmd/x/main.go": "package main\n\nfunc main() {}\n",
    "python/pyproject.toml": PROJECT,
    "stack/compose.yaml": "services:\n  db:\n    image: busybox\n",
    "tools/Makefile": "build:\n\t@true\n\ntest: build\n\t@true\n",
}


def _repository(root):
    repos.start(root, FILES)


def _folder(root):
    """Make a folder that is no repository, with one in it."""
    repos.write_files(root, FILES)
    (root / "inner").mkdir()
    repos.start(root / "inner", {"b.txt": "text\n"})


@pytest.fixture
def laid_out(tmp_path, monkeypatch):
    """Return what makes the project of a row, each in a folder of its own."""
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    for need in NEEDS:  # `make test` sets MAKEFLAGS
        for name in need.variables.split():
            monkeypatch.delenv(name, raising=False)
    made = []

    def make(row):
        make_it = _folder if row.get("plain") else _repository
        root = tmp_path / f"{len(made)}" / "repo"
        made.append(root)
        repos.copied(make_it, make_it, root)
        repos.write_files(root, row.get("files", {}))
        if row.get("bare"):
            repos.run_git(root, "clone", "-q", "--bare", "inner", "bare")
        if "executable" in row:
            (root / row["executable"]).chmod(0o755)
        for target, link in row.get("links", {}).items():
            (root / link).symlink_to(root / target)
        return root

    return make


def called(root, row, **more):
    cwd = str(root / row.get("cwd", ""))
    return ToolCall("Bash", {"command": row["line"]}, cwd=cwd, **more)


def quiet(row, root):
    """Return whether the quick look finds what a line needs."""
    found = must_exist(row["line"], str(root / row.get("cwd", "")))
    return found is None or all(_holds(lookup) for lookup in found[1])


def test_each_line_is_answered_before_it_runs_as_its_row_says(laid_out):
    def check(row):
        root, events = laid_out(row), []
        guard = Guard(root, settings=Settings(), on_event=events.append)
        call = called(root, row)
        decision = guard.before(call)
        assert decision.action == row["before"], decision.text
        assert dict(decision.arguments) == dict(call.arguments)
        assert [said for said in row.get("says", ()) if said not in decision.text] == []
        refused = [each.event for each in events if each.event.startswith("check.")]
        assert refused == (["check.refused"] if row["before"] == "refuse" else [])
        # The same line again goes through, and a client never hides a refusal.
        assert guard.before(call).action == "allow"
        assert row["before"] == "allow" or not quiet(row, root)

    rows.check_each(ROWS, check, lambda row: f"{row['reason']}: {row['line']}")


def test_every_program_has_a_row_that_it_refuses_and_one_that_it_does_not():
    for before in ("refuse", "allow"):
        lines = " ".join(row["line"] for row in ROWS if row["before"] == before)
        programs = {
            name.split()[0] for need in NEEDS for name in need.commands.split(", ")
        }
        assert [name for name in programs - {"gmake"} if name not in lines] == []


def test_the_quick_look_knows_every_program_of_the_table():
    names = [name for need in NEEDS for name in need.commands.split(", ")]
    assert [name for name in names if not any(part in name for part in NEEDY)] == []


def test_where_the_quick_look_finds_it_the_engine_says_nothing(laid_out):
    there = [row for row in ROWS if row["before"] == "allow" and row["runs"]]
    silent = [row for row in there if quiet(row, laid_out(row))]
    assert len(silent) > len(there) * 0.8  # the others are a package's own programs


@pytest.mark.parametrize("policy", PRESETS)
def test_each_policy_does_what_it_is_for(laid_out, policy):
    root, events = laid_out({}), []
    guard = Guard(root, settings=Settings(), policy=policy, on_event=events.append)
    call = called(root, {"line": "npm run build | head"})
    did = [guard.before(call).action, guard.after(call, Outcome(error=FAILED)).action]
    usual = ["refuse", "advise"]
    expected = {"guide": ["allow", "advise"], "observe": ["allow", "allow"]}
    assert did == expected.get(policy, usual)
    names = [each.event for each in events if each.event.startswith("check.")]
    assert names == {
        "guide": ["check.advised"],
        "observe": ["check.observed", "check.observed"],
    }.get(policy, ["check.refused", "check.advised"])


def test_a_program_that_cannot_refuse_gives_advice(laid_out):
    root = laid_out({})
    guard = Guard(root, settings=Settings(), caller=Caller(refuses=False))
    decision = guard.before(called(root, {"line": "npm run build"}))
    assert decision.action == "advise"
    assert "again" not in decision.text


def test_in_a_folder_that_cannot_be_listed_nothing_is_certain(laid_out):
    root = laid_out({})
    locked = root / "locked"
    locked.mkdir()
    locked.chmod(0o311)
    if os.access(locked, os.R_OK):
        pytest.skip(disks.UNBOUND)
    guard = Guard(root, settings=Settings())
    call = called(root, {"line": "make deploy", "cwd": "locked"})
    assert guard.before(call).action == "allow"
    assert guard.after(call, Outcome(error="make: *** No rule to make target"))


def test_what_the_user_typed_is_not_refused(laid_out):
    root = laid_out({})
    call = called(root, {"line": "npm run build"}, prompt="run `npm run build` here")
    assert Guard(root, settings=Settings()).before(call).action == "allow"


def test_switched_off_nothing_is_said(laid_out):
    root = laid_out({})
    guard = Guard(root, settings=Settings(preconditions=False))
    call = called(root, {"line": "npm run build"})
    assert guard.before(call).action == "allow"
    assert guard.after(call, Outcome(error=FAILED)).action == "allow"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("npm run build; ls", FAILED),
        ("ls src && npm run build", FAILED),
        (
            "npm run build",
            "npm error enoent Could not read package.json: Error: ENOENT",
        ),
        ("pnpm run build", "ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND No package.json"),
        ("make build", "make: *** No rule to make target 'build'.  Stop."),
        ("cargo build", "error: could not find `Cargo.toml` in `/x` or any parent"),
    ],
)
def test_after_a_failure_the_answer_is_the_same(laid_out, line, error):
    root = laid_out({})
    told = Guard(root, settings=Settings()).after(
        called(root, {"line": line}), Outcome(error=error)
    )
    assert told.action == "advise"
    assert told.text.startswith("WRONG_FOLDER: ")
    assert "again" not in told.text
    assert told.payload["code"] == "WRONG_FOLDER"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("npm run build | head", Outcome(output=FAILED)),
        ("pnpm run build | head -5", Outcome(output="ERR_PNPM_NO_PKG_MANIFEST")),
    ],
)
def test_a_failure_that_is_hidden_is_answered_by_its_words(laid_out, line, outcome):
    root = laid_out({})
    guard = Guard(root, settings=Settings())
    assert guard.after(called(root, {"line": line}), outcome).action == "advise"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("grep -r 'Missing script' docs", Outcome(output="docs/a.md: Missing script")),
        ("npm run build", Outcome(output="built")),
        ("cd web && npm run build", Outcome(error=FAILED)),
        ("npm run nothing", Outcome(error=FAILED)),
    ],
)
def test_words_alone_are_no_lack(laid_out, line, outcome):
    root = laid_out({})
    guard = Guard(root, settings=Settings())
    assert guard.after(called(root, {"line": line}), outcome).action == "allow"


def test_a_call_is_answered_once_after_it(laid_out):
    root = laid_out({})
    guard = Guard(root, settings=Settings())
    call = called(root, {"line": "npm run build; ls"}, session="s", call_id="1")
    assert guard.after(call, Outcome(error=FAILED)).action == "advise"
    assert guard.after(call, Outcome(output=FAILED)).action == "allow"


def tools():
    """Return the folders in which programs are: of PATH, and of TRUEPATH_TEST_TOOLS."""
    return os.pathsep.join(filter(None, (MORE_TOOLS, os.environ["PATH"])))


def is_here(program, environ):
    """Return whether a program is installed; `docker`, if it has Compose."""
    if shutil.which(program, path=environ["PATH"]) is None:
        return False
    if program != "docker":
        return True
    asked = ["docker", "compose", "version"]
    done = subprocess.run(asked, env=environ, capture_output=True, check=False)
    return done.returncode == 0


def program_of(row):
    """Return the program that a row is about."""
    names = {name.split()[0] for need in NEEDS for name in need.commands.split(", ")}
    words = row["line"].replace("(", " ").replace(";", " ").split()
    return next(word for word in (row["reason"].split(",")[0], *words) if word in names)


@pytest.mark.heavy
@pytest.mark.timeout(900)
def test_where_a_line_is_refused_the_program_fails_and_where_it_runs_it_is_not(
    laid_out,
):
    home, missing = os.path.expanduser("~"), set()
    known = {
        "PATH": tools(),
        "CI": "1",
        "npm_config_update_notifier": "false",
        "CARGO_HOME": os.environ.get("CARGO_HOME", f"{_home()}/.cargo"),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", f"{_home()}/.rustup"),
        "DOCKER_CONFIG": os.environ.get("DOCKER_CONFIG", f"{_home()}/.docker"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for name in ("RUSTUP_TOOLCHAIN", "GOFLAGS", "GOCACHE", "GOTOOLCHAIN"):
        if name in os.environ:
            known[name] = os.environ[name]

    def check(row):
        program = program_of(row)
        if not is_here(program, known):
            missing.add(program)
            return
        root = laid_out(row)
        environ = {**known, "HOME": home, "TMPDIR": str(root.parent)}
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {row['line']}"],
            cwd=root / row.get("cwd", ""),
            env=environ,
            capture_output=True,
            timeout=300,
            check=False,
        )
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        if row["before"] == "refuse":
            assert done.returncode != 0 or "need" in unmet_conditions(said), said[-300:]
            assert "words" not in row or "need" in unmet_conditions(said), said[-300:]
        elif row["runs"] is not None:
            assert (done.returncode == 0) == row["runs"], said[-300:]

    rows.check_each(ROWS, check, lambda row: f"{row['reason']}: {row['line']}")
    if missing:
        pytest.skip(f"not here, so not tried: {', '.join(sorted(missing))}")


def _home():
    import pwd

    return pwd.getpwuid(os.getuid()).pw_dir
