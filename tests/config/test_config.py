"""Settings: a project only tightens; a wrong one has its default and says so in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.config.settings import Settings, check, load
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
        deadline = 0.5
        limit = 1000
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
        deadline=0.5,
        limit=1000,
        beside_hooks="rewrite",
        enabled=False,
    )


# (why, the user's file, the environment, the project's file, what holds of its keys, how many of
# its settings are ignored)
A_PROJECT_ONLY_TIGHTENS = [
    ("a policy that does less", "", {}, 'policy = "suggest"', {"policy": "suggest"}, 0),
    ("one that only records", "", {}, 'policy = "observe"', {"policy": "observe"}, 0),
    ("a policy that does more", "", {}, 'policy = "recover"', {"policy": "careful"}, 1),
    (
        "more than the user has set",
        'policy = "suggest"',
        {},
        'policy = "careful"',
        {"policy": "suggest"},
        1,
    ),
    (
        "more than the environment says",
        "",
        {"TRUEPATH_POLICY": "suggest"},
        'policy = "recover"',
        {"policy": "suggest"},
        1,
    ),
    (
        "what the user wants in silence is not refused",
        'policy = "observe"',
        {},
        'policy = "suggest"',
        {"policy": "observe"},
        1,
    ),
    ("a rule that does less", "", {}, '[rules]\nedit = "refuse"', {"rules": {"edit": "refuse"}}, 0),
    ("a rule that rewrites", "", {}, '[rules]\ndelete = "correct"', {"rules": {}}, 1),
    ("a rule that repairs", "", {}, '[rules]\nwrite = "repair"', {"rules": {}}, 1),
    (
        "a rule below the user's own",
        '[rules]\nedit = "observe"',
        {},
        'policy = "suggest"\n[rules]\nedit = "refuse"',
        {"policy": "suggest", "rules": {"edit": "observe"}},
        1,
    ),
    (
        "a user's rule that does less than a project's policy",
        '[rules]\nread = "refuse"',
        {},
        'policy = "guide"',
        {"policy": "guide", "rules": {}},
        0,
    ),
    ("no journal", "", {}, "journal = false", {"journal": True}, 1),
    (
        "a journal that the user does not want",
        "journal = false",
        {},
        "journal = true",
        {"journal": False},
        1,
    ),
    ("another store", "", {}, 'store = "redis://elsewhere.example/0"', {"store": ""}, 1),
    (
        "past the user's own hooks",
        "",
        {},
        'beside_hooks = "rewrite"',
        {"beside_hooks": "refuse"},
        1,
    ),
    ("more to hide", 'deny = ["a"]', {}, 'deny = ["b"]', {"deny": ("a", "b")}, 0),
    (
        "what is hidden is not shown again",
        'deny = ["a"]',
        {},
        'deny = ["!a", "b"]',
        {"deny": ("a", "b")},
        1,
    ),
    ("less time", "", {}, "deadline = 1", {"deadline": 1}, 0),
    ("more time", "", {}, "deadline = 600", {"deadline": 5.0}, 1),
    ("more names", "", {}, "limit = 1000000000", {"limit": 2_000_000}, 1),
    ("switched off", "", {}, "enabled = false", {"enabled": False}, 0),
    ("switched on again", "enabled = false", {}, "enabled = true", {"enabled": False}, 0),
]


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    "row", A_PROJECT_ONLY_TIGHTENS, ids=[each[0] for each in A_PROJECT_ONLY_TIGHTENS]
)
def test_a_project_may_only_tighten(root, home, environ, row, inside):
    _, user, variables, project, holds, ignored = row
    write_user_file(home, user)
    if inside:
        (root / ".truepath.toml").write_text(project)
    else:
        nested = project.replace("[rules]", "[tool.truepath.rules]")
        (root / "pyproject.toml").write_text(f"[tool.truepath]\n{nested}")
    settings = load(str(root), {**environ, **variables})
    assert {name: getattr(settings, name) for name in holds} == holds
    assert len(settings.ignored) == ignored
    assert settings.problems == ()


def test_an_ignored_setting_of_a_project_is_one_line_with_its_reason(root, home, environ):
    write_user_file(home, 'policy = "suggest"')
    (root / ".truepath.toml").write_text('\npolicy = "recover"\n[rules]\ndelete = "correct"')
    policy, rule = load(str(root), environ).ignored
    why = "is ignored: a project can only make yours"
    assert policy == f"{root}/.truepath.toml:2: `policy` {why} (suggest) do less"
    assert rule == f"{root}/.truepath.toml:4: `rules.delete` {why} (refuse) do less"
    check(str(root), environ)  # nothing that its user could mend


# (what the file says, what is hidden all the same)
BROKEN_BUT_LEGIBLE = [
    ("deny = [\"secrets/\", 'a b']\npolicy = \n", ("secrets/", "a b")),
    ('policy = \n  deny = [  # why\n  "secrets/",\n  "*.key", # more\n]\n', ("secrets/", "*.key")),
    ('deny = ["secrets/", unquoted]', ("secrets/",)),
    ("policy = \n# deny = ['x']", ()),
]


@pytest.mark.parametrize(("text", "hidden"), BROKEN_BUT_LEGIBLE)
def test_a_broken_file_still_hides_what_can_be_read_of_it(root, environ, text, hidden):
    (root / ".truepath.toml").write_text(text)
    settings = load(str(root), environ)
    assert settings.deny == hidden
    (problem,) = settings.problems
    assert ("its `deny` is kept" in problem) == bool(hidden)


def test_the_list_of_a_broken_pyproject_is_the_one_in_our_own_table(root, environ):
    (root / "pyproject.toml").write_text(
        '[tool.other]\ndeny = ["x"]\n[tool.truepath]\ndeny = ["y"]\n[project]\nname =\n'
    )
    assert load(str(root), environ).deny == ("y",)


@pytest.mark.parametrize(
    ("value", "hidden"), [('"vendor"', ("vendor",)), ('["a", 1]', ("a",)), ("1", ())]
)
def test_a_list_to_hide_that_is_wrong_hides_what_is_legible(root, environ, value, hidden):
    (root / ".truepath.toml").write_text(f"deny = {value}")
    settings = load(str(root), environ)
    assert settings.deny == hidden
    assert len(settings.problems) == 1


def test_a_table_in_pyproject_is_read_and_other_tables_are_not(root, environ):
    (root / "pyproject.toml").write_text(
        '[tool.other]\npolicy = "suggest"\n[tool.truepath]\npolicy = "guide"\n'
    )
    assert load(str(root), environ) == Settings(policy="guide")


def test_the_projects_own_file_hides_the_table_in_pyproject(root, environ):
    (root / "pyproject.toml").write_text('[tool.truepath]\npolicy = "guide"\njournal = false\n')
    (root / ".truepath.toml").write_text('policy = "suggest"\n')
    assert load(str(root), environ) == Settings(policy="suggest")


def test_the_environment_wins_over_the_users_file(home, environ):
    write_user_file(home, 'policy = "guide"\ndeadline = 1')
    settings = load(None, {**environ, "TRUEPATH_POLICY": "recover"})
    assert (settings.policy, settings.deadline) == ("recover", 1)


def test_what_one_file_denies_no_other_shows_again(root, home, environ):
    write_user_file(home, 'deny = ["secrets/", "a"]')
    (root / ".truepath.toml").write_text('deny = ["a", "b"]')
    assert load(str(root), environ).deny == ("secrets/", "a", "b")


def test_the_users_file_is_below_xdg_config_home(root, home, environ):
    folder = home / "elsewhere" / "truepath"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('policy = "guide"')
    environ["XDG_CONFIG_HOME"] = str(home / "elsewhere")
    assert load(str(root), environ).policy == "guide"
    environ["XDG_CONFIG_HOME"] = "elsewhere"  # relative: ignored
    assert load(str(root), environ).policy == "careful"


@pytest.mark.parametrize("variable", ["TRUEPATH", "CLAUDE_RESOLVE_PATH"])
@pytest.mark.parametrize("value", ["0", "off", "FALSE", " no "])
def test_either_switch_turns_everything_off(root, environ, variable, value):
    (root / ".truepath.toml").write_text("not toml at all")
    assert load(str(root), {**environ, variable: value}) == Settings(enabled=False)


@pytest.mark.parametrize("value", ["", "1", "yes"])
def test_a_switch_with_another_value_turns_nothing_off(root, environ, value):
    assert load(str(root), {**environ, "TRUEPATH": value, "TRUEPATH_JOURNAL": value}) == Settings()


def test_the_environment_sets_journal_and_store(root, environ):
    environ.update({"TRUEPATH_JOURNAL": "0", "TRUEPATH_STORE": "redis://localhost:6379/0"})
    assert load(str(root), environ) == Settings(journal=False, store="redis://localhost:6379/0")


# (the file, the line named, what the one line says); everything else keeps its default.
WRONG = [
    ('policy = "carefull"', 1, "`policy` is 'carefull'; use careful, recover, suggest, guide or"),
    ("\n\npolicy = 3", 3, "`policy` is 3; use careful"),
    ("[thresholds]\nread = 1", 1, "`thresholds` is {'read': 1}; there is no such setting"),
    ('polcy = "careful"', 1, "`polcy` is 'careful'; there is no such setting, only policy, rules"),
    ("journal = 1", 1, "`journal` is 1; use true or false"),
    ('deny = "vendor"', 1, "`deny` is 'vendor'; use a list of globs"),
    ("deny = [1]", 1, "`deny` is [1]; use a list"),
    ("deadline = 0", 1, "`deadline` is 0; use seconds"),
    ("deadline = nan", 1, "`deadline` is nan; use seconds"),
    ("deadline = true", 1, "`deadline` is true; use seconds"),
    ("limit = 1.5", 1, "`limit` is 1.5; use a whole number"),
    ("limit = -1", 1, "`limit` is -1; use a whole number"),
    ('rules = "careful"', 1, "`rules` is 'careful'; use a table of operations"),
    (
        '[rules]\n# why\nread = "maybe"',
        3,
        "`rules.read` is 'maybe'; use assume, correct, refuse, guide",
    ),
    ('rules = {read = "maybe"}', 1, "`rules.read` is 'maybe'; use assume"),
    ('rules.read = "maybe"', 1, "`rules.read` is 'maybe'; use assume"),
    ('[rules]\nread = ["correct"]', 2, "`rules.read` is ['correct']; use assume"),
    ('[rules]\nwrite = "correct"', 2, "`rules.write` is 'correct'; use repair, protect or observe"),
    ('[rules]\nread = "recover"', 2, "`rules.read` is 'recover'; use assume"),
    ('[rules]\nedit = "assume"', 2, "`rules.edit` is 'assume'; use recover, correct"),
    ('[rules]\nread = "repair"', 2, "`rules.read` is 'repair'; use assume"),
    ('[rules]\nchmod = "refuse"', 2, "`rules.chmod` is 'refuse'; there is no such operation, only"),
    ('store = "mongodb://x"', 1, "`store` is 'mongodb://x'; use file:, memory:"),
]


@pytest.mark.parametrize(("text", "line", "said"), WRONG)
def test_a_wrong_value_keeps_its_default_and_is_one_line(home, environ, text, line, said):
    write_user_file(home, text)
    settings = load(None, environ)
    (problem,) = settings.problems
    assert f"config.toml:{line}: {said}" in problem
    assert "\n" not in problem
    assert replace(settings, deny=()) == Settings(problems=settings.problems)


def test_one_wrong_value_costs_no_other_its_place(home, environ):
    write_user_file(home, 'policy = "x"\njournal = false\n[rules]\nread = "x"\nedit = "refuse"\n')
    settings = load(None, environ)
    assert (settings.policy, settings.journal) == ("careful", False)
    assert settings.rules == {"edit": "refuse"}
    assert len(settings.problems) == 2


def test_the_line_in_pyproject_is_that_of_our_own_table(root, environ):
    (root / "pyproject.toml").write_text(
        '[project]\npolicy = "x"\n[tool.truepath]\r\n\n"policy" = "wild"\n'
    )
    (problem,) = load(str(root), environ).problems
    assert "pyproject.toml:5: `policy` is 'wild'" in problem


def test_a_wrong_policy_in_the_environment_is_told(root, environ):
    environ["TRUEPATH_POLICY"] = "brave"
    settings = load(str(root), environ)
    assert settings.policy == "careful"
    (problem,) = settings.problems
    assert problem.startswith("environment: `TRUEPATH_POLICY` is 'brave'; use careful")


def test_hostile_text_in_a_file_is_shown_as_plain_characters_and_cut(home, environ):
    write_user_file(home, '"a\\u001b[31m\\n" = "' + "x" * 500 + '"')
    (problem,) = load(None, environ).problems
    assert problem.isascii()
    assert problem.isprintable()
    assert len(problem) < 400


def broken_not_toml(file):
    file.write_text("policy = \n")


def broken_not_utf8(file):
    file.write_bytes(b"policy = '\xff'")


def broken_too_large(file):
    file.write_text("#" * 1_000_001)


def broken_too_deep(file):
    file.write_text("a = " + "[" * 100_000)


def broken_folder(file):
    file.mkdir()


def broken_pipe(file):
    os.mkfifo(file)


def broken_link_loop(file):
    file.symlink_to(file)


BROKEN = [
    (broken_not_toml, "is not valid TOML", "line 1"),
    (broken_not_utf8, "cannot be read", "not UTF-8 at byte 10"),
    (broken_too_large, "cannot be read", "larger than 1,000,000 bytes"),
    (broken_too_deep, "is not valid TOML", ""),
    (broken_folder, "cannot be read", "it is no regular file"),
    (broken_pipe, "cannot be read", "it is no regular file"),
    (broken_link_loop, "cannot be read", "Too many levels of symbolic links"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: makes pipes and links")
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


def test_check_raises_every_problem_and_load_none(root, environ):
    (root / ".truepath.toml").write_text('policy = "x"\njournal = "y"\n')
    with pytest.raises(ConfigError) as caught:
        check(str(root), environ)
    assert str(caught.value).count("\n") == 1
    assert ".truepath.toml:2: `journal` is 'y'" in str(caught.value)
    (root / ".truepath.toml").write_text('policy = "observe"\n')
    assert check(str(root), environ) == Settings(policy="observe")


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


def test_no_toml_parser_is_imported_where_no_file_speaks_of_us(root, home):
    (root / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    code = (
        "import sys; from truepath.config.settings import load; "
        f"load({str(root)!r}, {{'HOME': {str(home)!r}}}); "
        "sys.exit(any(name in sys.modules for name in ('tomllib', 'tomli')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = tmp_path / "settings"
    os.mkfifo(pipe)
    code = f"from truepath.config.regular_file import read; read({str(pipe)!r}, 10)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, timeout=20, check=False)

    assert b"OSError" in done.stderr
