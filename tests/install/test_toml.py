"""Settings in TOML: hooks are added to them and taken out, and all else stays as it
was.
"""

from __future__ import annotations

import pytest
from commandline import ran
from rows import check_each

from truepath.config.settings import parsed
from truepath.hosts import find

EVENTS = [*find("kimi").EVENTS]
OWN = """\
# what I like
default_model = "k2"   # the fast one
hooks_are = "fun"

[[hooks]]
event = "Stop"
command = 'notify-send "done"'

# the other one
[models.k2]
max_context_size = 100_000"""

MADE = [
    ("there is no file", None),
    ("an empty file", ""),
    ("settings with a comment, a hook and no last line end", OWN),
    ("a byte order mark", f"\ufeff{OWN}"),
    ("Windows line ends", OWN.replace("\n", "\r\n") + "\r\n"),
    (
        "a hook at the end",
        '[[hooks]]\nevent = "Stop"\ncommand = """\na\n[[hooks]]\nb"""\n',
    ),
]


@pytest.fixture
def config(isolated, make_repo, monkeypatch):
    monkeypatch.chdir(make_repo({"docs/status.md": "all green\n"}))
    return isolated / ".kimi-code/config.toml"


def put(config, text):
    config.unlink(missing_ok=True)
    if text is not None:
        config.parent.mkdir(exist_ok=True)
        config.write_bytes(text.encode())


def hooks(config):
    return [
        (hook["event"], "truepath" in hook["command"])
        for hook in _data(config)["hooks"]
    ]


def _data(config):
    return parsed(config.read_bytes().decode("utf-8-sig"))


def test_an_installation_adds_hooks_and_taking_it_out_leaves_the_same_bytes(
    config, capsys
):
    def check(row):
        _, before = row
        put(config, before)
        assert ran(capsys, "install", "kimi").code == 0
        after = config.read_bytes()
        assert after.startswith((before or "").encode())
        assert [event for event, ours in hooks(config) if ours] == EVENTS
        assert set(_data(config)["hooks"][-1]) == {"event", "command", "timeout"}
        assert ran(capsys, "doctor", "kimi").code == 0
        assert ran(capsys, "install", "kimi").code == 0
        assert config.read_bytes() == after
        assert ran(capsys, "uninstall", "kimi").code == 0
        assert (config.read_bytes() if config.exists() else None) == (
            None if before is None else before.encode()
        )

    check_each(MADE, check, lambda row: row[0])


def test_of_settings_that_were_changed_since_only_the_hooks_go(config, capsys):
    put(config, OWN)
    ran(capsys, "install", "kimi")
    text = config.read_text().replace("the fast one", "the slow one")
    config.write_text(text + '\n[thinking]\nlevel = "high"  # new\n')
    assert ran(capsys, "uninstall", "kimi").code == 0
    assert hooks(config) == [("Stop", False)]
    changed = OWN.replace("the fast one", "the slow one")
    assert config.read_text() == changed + '\n[thinking]\nlevel = "high"  # new\n'


def test_hooks_that_the_program_wrote_anew_are_left_to_the_user(config, capsys):
    ran(capsys, "install", "kimi")
    again = config.read_text().replace(" = ", "=")
    config.write_text(again)
    done = ran(capsys, "uninstall", "kimi")
    assert (done.code, config.read_text()) == (2, again)
    assert "was changed since; delete what truepath wrote there yourself" in done.err
    config.write_text("")
    assert ran(capsys, "uninstall", "kimi").code == 0


LEFT_ALONE = [
    ("hooks in a table", "[hooks]\n", "`hooks` that is no list"),
    ("no TOML", "hooks = [\n", "is not TOML"),
    ("the same key twice", "a = 1\na = 2\n", "is not TOML"),
]


def test_what_cannot_be_kept_is_left_alone_and_the_entries_are_printed(config, capsys):
    def check(row):
        _, before, said = row
        put(config, before)
        done = ran(capsys, "install", "kimi")
        assert (done.code, config.read_text()) == (1, before)
        assert said in done.err
        assert len(parsed(done.out)["hooks"]) == len(EVENTS)

    check_each(LEFT_ALONE, check, lambda row: row[0])


IN_ONE_LIST = [
    ("an empty list", "# mine\nhooks = []\n", 2),
    ("a hook", "a = 1\n\n'hooks' = [{ event = 'Stop', command = 'x' }]\n", 3),
    ("after a byte order mark", "\ufeffhooks = [\n]\n", 1),
]


def test_hooks_in_one_list_are_left_alone_and_get_entries_for_that_list(config, capsys):
    def check(row):
        _, before, line = row
        put(config, before)
        done = ran(capsys, "install", "kimi")
        assert (done.code, config.read_bytes().decode()) == (1, before)
        assert f"in line {line}, so the entries belong in that list" in done.err
        items = parsed(f"hooks = [\n{done.out}]")["hooks"]
        assert [item["event"] for item in items] == EVENTS

    check_each(IN_ONE_LIST, check, lambda row: row[0])
