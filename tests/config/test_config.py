"""Settings: a project only tightens; a wrong one has its default and says so in one
line.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read
from work import lines_run

from truepath.config.settings import Settings, load, load_settings
from truepath.errors import ConfigError


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environ(home):
    return {"HOME": str(home)}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write_user_file(home, text):
    folder = home / ".config" / "truepath"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def test_without_any_file_there_are_the_defaults_and_no_problems(root, environ):
    assert load(str(root), environ) == Settings()
    assert load(None, {}).policy == "careful"


def test_the_users_file_sets_everything(home, environ):
    write_user_file(
        home,
        """
        policy = "recover"
        deny = ["vendor/", "*.pem"]
        journal = false
        beside_hooks = "rewrite"
        enabled = false

        [rules]
        delete = "observe"
        write = "repair"
        """,
    )
    assert load(None, environ) == Settings(
        policy="recover",
        rules={"delete": "observe", "write": "repair"},
        deny=("vendor/", "*.pem"),
        journal=False,
        beside_hooks="rewrite",
        enabled=False,
    )


@pytest.mark.parametrize("row", read("config/tightens"), ids=lambda row: row["why"])
def test_a_project_may_only_tighten(root, home, environ, row):
    """What holds of the settings, and how many of the project's are ignored."""
    write_user_file(home, row.get("user", ""))
    (root / ".truepath.toml").write_text(row["project"])
    settings = load(str(root), {**environ, **row.get("environ", {})})
    for name, value in row["holds"].items():
        assert getattr(settings, name) == (
            tuple(value) if isinstance(value, list) else value
        )
    assert len(settings.ignored) == row["ignored"]
    assert settings.problems == ()


def test_an_ignored_setting_of_a_project_is_one_line_with_its_reason(
    root, home, environ
):
    write_user_file(home, 'policy = "suggest"')
    (root / ".truepath.toml").write_text(
        '\npolicy = "recover"\n[rules]\ndelete = "correct"'
    )
    policy, rule = load(str(root), environ).ignored
    why = "is ignored: a project can only make yours"
    assert policy == f"{root}/.truepath.toml: `policy` {why} (suggest) do less"
    assert rule == f"{root}/.truepath.toml: `rules.delete` {why} (refuse) do less"
    load_settings(str(root), environ)  # nothing that its user could mend


# (what the file says, what is hidden all the same)
BROKEN_BUT_LEGIBLE = [
    ("deny = [\"secrets/\", 'a b']\npolicy = \n", ("secrets/", "a b")),
    (
        'policy = \n  deny = [  # why\n  "secrets/",\n  "*.key", # more\n]\n',
        ("secrets/", "*.key"),
    ),
    ('deny = ["secrets/", unquoted]', ("secrets/",)),
    ("policy = \n# deny = ['x']", ()),
    ('deny = "vendor"', ("vendor",)),
    ('deny = ["a", 1]', ("a",)),
    ('deny = ["x"]\n[other]\ndeny = ["y"]\nname =\n', ("x", "y")),
]


@pytest.mark.parametrize(("text", "hidden"), BROKEN_BUT_LEGIBLE)
def test_a_broken_file_still_hides_what_can_be_read_of_it(root, environ, text, hidden):
    (root / ".truepath.toml").write_text(text)
    settings = load(str(root), environ)
    assert settings.deny == hidden
    (problem,) = settings.problems
    assert ("its `deny` is kept" in problem) == (bool(hidden) and "TOML" in problem)


def test_the_environment_wins_over_the_users_file(home, environ):
    write_user_file(home, 'policy = "guide"\njournal = true')
    store = "redis://localhost:6379/0"
    told = {
        "TRUEPATH_POLICY": "recover",
        "TRUEPATH_STORE": store,
        "TRUEPATH_JOURNAL": "0",
    }
    settings = load(None, {**environ, **told})
    assert settings == Settings(policy="recover", journal=False, store=store)


@pytest.mark.parametrize("variable", ["TRUEPATH", "CLAUDE_RESOLVE_PATH"])
@pytest.mark.parametrize("value", ["0", "off", "FALSE", " no "])
def test_either_switch_turns_everything_off(root, environ, variable, value):
    (root / ".truepath.toml").write_text("not toml at all")
    assert load(str(root), {**environ, variable: value}) == Settings(enabled=False)


def test_a_wrong_value_keeps_its_default_and_is_one_line(home, environ):
    def check(row):
        shutil.rmtree(home / ".config", ignore_errors=True)
        write_user_file(home, row["text"])
        settings = load(None, environ)
        (problem,) = settings.problems
        assert f"config.toml: {row['said']}" in problem
        assert "\n" not in problem
        assert replace(settings, deny=()) == Settings(problems=settings.problems)

    check_each(read("config/wrong"), check, str)


def test_a_wrong_value_of_the_environment_is_told(environ):
    (problem,) = load(None, {**environ, "TRUEPATH_POLICY": "brave"}).problems
    assert problem.startswith("environment: `TRUEPATH_POLICY` is 'brave'; use careful")


def test_one_wrong_value_costs_no_other_its_place(home, environ):
    write_user_file(
        home, 'policy = "x"\njournal = false\n[rules]\nread = "x"\nedit = "refuse"\n'
    )
    settings = load(None, environ)
    assert (settings.policy, settings.journal) == ("careful", False)
    assert settings.rules == {"edit": "refuse"}
    assert len(settings.problems) == 2


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"x{at} = 1\n" for at in range(60_000)),
        "deny = [" + 150_000 * "'!x'," + "]",
    ],
)
def test_a_hostile_file_costs_no_more_than_its_reading(root, environ, text):
    (root / ".truepath.toml").write_text(text)
    settings = load(str(root), environ)
    assert 0 < len(settings.unknown) + len(settings.ignored) <= 20
    assert lines_run(lambda: load(str(root), environ)) < 100 * len(text)


def test_hostile_text_in_a_file_is_shown_as_plain_characters_and_cut(home, environ):
    write_user_file(home, '"a\\u001b[31m\\n" = "' + "x" * 500 + '"')
    (problem,) = load(None, environ).problems
    assert problem.isascii()
    assert problem.isprintable()
    assert len(problem) < 400


BROKEN = [
    (lambda it: it.write_text("policy = \n"), "is not valid TOML", "line 1"),
    (
        lambda it: it.write_bytes(b"policy = '\xff'"),
        "cannot be read",
        "byte 0xff in position 10",
    ),
    (
        lambda it: it.write_text("#" * 1_000_001),
        "cannot be read",
        "larger than 1,000,000 bytes",
    ),
    (lambda it: it.write_text("a = " + "[" * 100_000), "is not valid TOML", ""),
    (lambda it: it.mkdir(), "cannot be read", "it is not a regular file"),
    (os.mkfifo, "cannot be read", "it is not a regular file"),
    (
        lambda it: it.symlink_to(it),
        "cannot be read",
        "Too many levels of symbolic links",
    ),
]


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: makes pipes and links"
)
@pytest.mark.parametrize(("spoil", "said", "why"), BROKEN)
def test_a_broken_file_is_ignored_and_told_in_one_line(root, environ, spoil, said, why):
    file = root / ".truepath.toml"
    spoil(file)
    settings = load(str(root), environ)
    (problem,) = settings.problems
    assert problem.startswith(f"{file}: {said}")
    assert why in problem
    assert "\n" not in problem
    assert settings == Settings(problems=(problem,))


def test_an_unreadable_file_is_told(root, environ, shut):
    (root / ".truepath.toml").write_text("")
    shut(root / ".truepath.toml")
    (problem,) = load(str(root), environ).problems
    assert "Permission denied" in problem


@pytest.mark.parametrize("root", ["/nowhere/at/all", "a\0b", "", "/dev/null"])
def test_a_root_that_is_no_folder_has_the_defaults(root, environ):
    settings = load(root, environ)
    assert settings == Settings(problems=settings.problems)
    assert len(settings.problems) <= 1


def test_load_settings_raises_every_problem_of_the_user_s(home, root, environ):
    write_user_file(home, 'policy = "x"\njournal = "y"\n')
    with pytest.raises(ConfigError) as caught:
        load_settings(str(root), environ)
    assert str(caught.value).count("\n") == 1
    assert "config.toml: `journal` is 'y'" in str(caught.value)
    shutil.rmtree(home / ".config")
    (root / ".truepath.toml").write_text('policy = "observe"\n')
    assert load_settings(str(root), environ) == Settings(policy="observe")


# What a project's file says, and what of it is left; others share it, and may have
# another version.
SHARED = [
    ("flavour = 3", Settings()),
    ("[flavours]\nread = 'x'", Settings()),
    ("rules = {read = 'refuse', chmod = 'x'}", Settings(rules={"read": "refuse"})),
    ("policy = 'bold'", Settings()),
    ("deny =", Settings()),
]


@pytest.mark.parametrize(("text", "left"), SHARED)
def test_what_is_wrong_with_a_project_s_file_costs_nothing_else(
    root, environ, text, left
):
    (root / ".truepath.toml").write_text(f"preconditions = false\n{text}\n")
    settings = load_settings(str(root), environ)
    [line] = (*settings.problems, *settings.unknown)
    assert line.startswith(f"{root}/.truepath.toml: ")
    is_known = text in ("policy = 'bold'", "deny =")
    assert bool(settings.problems) == is_known
    left = replace(left, preconditions=text == "deny =")
    assert replace(settings, problems=(), unknown=()) == left


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_in_a_file_give_settings(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    (folder / ".truepath.toml").write_bytes(data)
    settings = load(str(folder), {"HOME": str(folder)})
    assert all(problem.isprintable() for problem in settings.problems)
    assert settings.problems or settings == Settings()


def test_no_toml_parser_is_imported_where_there_is_no_file(root, home):
    code = (
        "import sys; from truepath.config.settings import load; "
        f"load({str(root)!r}, {{'HOME': {str(home)!r}}}); "
        "sys.exit(any(name in sys.modules for name in ('tomllib', 'tomli')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
