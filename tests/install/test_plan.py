"""Installing on disk: what is kept, what is refused, and that nothing is ever half
done.
"""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from disks import UNBOUND, fill, read_only, small_disk

from truepath.hook.installed import label, load
from truepath.hosts import find
from truepath.install import InstallError, settings
from truepath.install.disk import Change
from truepath.install.plan import carry_out, files, installing, uninstalling

CLAUDE, CLINE, OPENCODE = find("claude-code"), find("cline"), find("opencode")
COPILOT, CODEX, GEMINI = find("copilot"), find("codex"), find("gemini")
CLIENT = "/opt/tools/truepath-hook claude-code"
OLDER = "/old/truepath-hook claude-code"


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def path(isolated):
    """Return the settings of Claude Code, whose folder is there."""
    (isolated / ".claude").mkdir()
    return isolated / ".claude/settings.json"


def the_file(isolated, client=CLIENT, host=CLAUDE):
    """Return the file of a user, with `client` in the place of this installation's."""
    file = files(host, {"HOME": str(isolated)}, None)[0]
    return replace(
        file, content=host.pieces(client)[0].content, line=label(host.hook(client, 1))
    )


def install(state, file, host=CLAUDE):
    return carry_out(state, [installing(file, host, state)])


def uninstall(state, file, host=CLAUDE):
    return carry_out(state, [uninstalling(file, host, state)])


def test_the_hosts_own_variable_says_where_its_settings_are(isolated, tmp_path):
    environ = {"HOME": str(isolated), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    [file] = files(CLAUDE, environ, None)
    assert file.path == str(tmp_path / "settings.json")
    [file] = files(CLAUDE, environ, "/p")
    assert file.path == "/p/.claude/settings.json"
    [file] = files(OPENCODE, {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, None)
    assert file.path.startswith("/x/opencode/")


@pytest.mark.parametrize("host", [CLAUDE, CLINE, OPENCODE], ids=lambda host: host.NAME)
def test_what_was_not_there_is_made_and_goes_again_with_its_folders(
    isolated, state, host
):
    environ = {"HOME": str(isolated)}
    own = files(host, environ, None)
    carry_out(state, [installing(file, host, state) for file in own])
    assert all(os.access(file.path, os.X_OK) >= file.executable for file in own)
    assert carry_out(state, [installing(file, host, state) for file in own]) == []
    carry_out(state, [uninstalling(file, host, state) for file in own])
    assert [*isolated.iterdir()] == []
    assert not os.path.exists(state)


BEFORE = [
    b"{}",
    b"",
    '{\r\n\t"a": "é"\r\n}'.encode(),
    b'{"hooks": {"PreToolUse": []}}\n\n\n',
    b'{ "a": [1,\n2], "n": 1e2 }',
    b'{ "hooks": { } }',
    '\ufeff{\r\n  "model": "x"\r\n}\r\n'.encode(),
    b'{"a": "\\/\\u00e9", "hooks": {"Stop": [ ]}}',
]


@pytest.mark.parametrize("before", BEFORE)
def test_a_file_comes_back_byte_for_byte_after_updates_too(
    isolated, path, state, before
):
    path.write_bytes(before)
    install(state, the_file(isolated, OLDER))
    install(state, the_file(isolated))
    text = path.read_text()
    assert settings.opened(text)["hooks"]
    assert ("/old/" in text, install(state, the_file(isolated))) == (False, [])
    uninstall(state, the_file(isolated))
    assert path.read_bytes() == before
    assert not os.path.exists(state)


def test_comments_come_back_where_the_program_reads_them(isolated, state):
    before = '// mine\n{"model": "x" /* last */}\n'
    file = the_file(isolated, host=GEMINI)
    put(file.path, before)
    install(state, file, GEMINI)
    assert settings.opened(Path(file.path).read_text())["hooks"]
    uninstall(state, file, GEMINI)
    assert Path(file.path).read_text() == before


@pytest.mark.parametrize(
    ("host", "text", "sign"),
    [
        (CLAUDE, '{"a": 1,\n}', "a comma before the `}` in line 2"),
        (CLAUDE, '{\n// x\n"a": 1}', "a comment in line 2 (`//`)"),
        (GEMINI, '{"a": [1,]}', "a comma before the `]` in line 1"),
        (CODEX, '\ufeff{"a": 1}', "a byte order mark at the beginning"),
        (CODEX, '/* x */{"a": 1}', "a comment in line 1 (`/*`)"),
    ],
)
def test_settings_that_the_program_would_not_read_are_refused_and_stay(
    isolated, state, host, text, sign
):
    file = the_file(isolated, host=host)
    put(file.path, text)
    with pytest.raises(InstallError, match=re.escape(f"has {sign}, so {host.TITLE}")):
        installing(file, host, state)
    assert Path(file.path).read_text() == text


def put(path, text):
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text(text)


MINE = {"hooks": [{"type": "command", "command": f"deny.sh && {CLIENT} || true"}]}
PARTLY = {"type": "command", "command": f"{CLIENT} || true", "timeout": 99}

# (what the user does to the settings after the installation, what is left after
# uninstalling)
SINCE = [
    ("a value", lambda it: {**it, "env": {"TOKEN": "y"}}, {"env": {"TOKEN": "y"}}),
    ("a hook with our name in it", lambda it: with_entry(it, MINE),
     {"env": {"TOKEN": "x"}, "hooks": {"PreToolUse": [MINE]}}),
    ("our hook's seconds", lambda it: json.loads(json.dumps(it).replace("10}", "99}")),
     {"env": {"TOKEN": "x"}}),
    ("our hook among his own",
     lambda it: with_entry(it, {"hooks": [*MINE["hooks"], PARTLY]}),
     {"env": {"TOKEN": "x"}, "hooks": {"PreToolUse": [MINE]}}),
    ("all of our hooks", lambda _: {"env": {"TOKEN": "x"}}, {"env": {"TOKEN": "x"}}),
    ("everything", lambda _: {}, {}),
]  # fmt: skip


def with_entry(settings, entry):
    hooks = settings["hooks"]
    return {**settings, "hooks": {**hooks, "PreToolUse": [entry, *hooks["PreToolUse"]]}}


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(("_", "edit", "left"), SINCE, ids=[row[0] for row in SINCE])
def test_what_its_user_changed_since_stays(isolated, path, state, _, edit, left, again):
    path.write_text('{\n  "env": {\n    "TOKEN": "x"\n  }\n}')
    file = the_file(isolated)
    install(state, file)
    path.write_text(json.dumps(edit(json.loads(path.read_text()))))
    if again:
        install(state, file)
        assert installing(file, CLAUDE, state).is_needed is False
        for event, entries in json.loads(path.read_text())["hooks"].items():
            ours = [each for each in entries if each in file.content["hooks"][event]]
            assert len(ours) == 1
    uninstall(state, file)
    assert json.loads(path.read_text()) == left
    assert not os.path.exists(state)


@pytest.mark.parametrize("host", [CLAUDE, COPILOT])
def test_a_file_that_was_made_and_has_something_of_its_user_by_then_stays(
    isolated, state, host
):
    file = the_file(isolated, host=host)
    install(state, file, host)
    with open(file.path) as opened:
        text = opened.read()
    with open(file.path, "w") as opened:
        opened.write(text.replace("{", '{"model": "x",', 1))
    uninstall(state, file, host)
    with open(file.path) as opened:
        assert json.load(opened) == {"model": "x"}


VERSIONS = [
    ('{"mine": 1}', ', "yours": 2}', {"mine": 1, "yours": 2}, "truepath's goes"),
    ('{"version": 1}', ', "yours": 2}', {"version": 1, "yours": 2}, "the user's stays"),
    (
        '{"hooks": {"stop": [{"command": "x"}]}}',
        ', "yours": 2}',
        {"hooks": {"stop": [{"command": "x"}]}, "version": 1, "yours": 2},
        "a hook of the user needs it",
    ),
]


@pytest.mark.parametrize(
    ("before", "more", "left", "_"), VERSIONS, ids=[row[-1] for row in VERSIONS]
)
def test_the_version_that_truepath_added_goes_with_its_hooks(
    isolated, state, before, more, left, _
):
    file = the_file(isolated, host=find("cursor"))
    put(file.path, before)
    install(state, file, find("cursor"))
    path = Path(file.path)
    path.write_text(path.read_text().rstrip().removesuffix("}") + more)
    uninstall(state, file, find("cursor"))
    assert json.loads(path.read_text()) == left


IN_ONE_LINE = [
    ('{"hooks": {"Stop": []}}', '{"hooks": {"Stop": [], "Other": []}}'),
    ('{ "hooks": { "Stop": [] } }', '{ "hooks": { "Stop": [], "Other": [] } }'),
    ('{"model": "x"}', '{"model": "x", "Other": []}'),
]


@pytest.mark.parametrize(("before", "left"), IN_ONE_LINE)
def test_what_was_in_one_line_is_in_one_line_again(isolated, path, state, before, left):
    path.write_text(before)
    file = the_file(isolated)
    install(state, file)
    [last] = re.findall(r'"Stop": \[\]|"model": "x"', before)
    path.write_text(path.read_text().replace(last, f'{last}, "Other": []'))
    uninstall(state, file)
    assert path.read_text() == left


def test_a_file_that_was_deleted_since_is_forgotten_or_made_anew(isolated, path, state):
    path.write_text('{"model": "x"}')
    install(state, the_file(isolated))
    path.unlink()
    assert uninstall(state, the_file(isolated)) == []
    assert not os.path.exists(state)
    path.write_text('{"model": "x"}')
    install(state, the_file(isolated))
    path.unlink()
    install(state, the_file(isolated))
    uninstall(state, the_file(isolated))
    assert not path.exists()


def test_a_home_folder_is_the_same_by_whatever_link_it_is_reached(
    isolated, path, state, tmp_path
):
    path.write_text("{ }")
    (tmp_path / "link").symlink_to(isolated)
    install(state, the_file(tmp_path / "link", OLDER))
    assert load(state, str(path)).before == "{ }"
    install(state, the_file(isolated))
    uninstall(state, the_file(tmp_path / "link"))
    assert path.read_text() == "{ }"


def test_a_byte_order_mark_stays_in_settings_that_were_changed(isolated, path, state):
    path.write_bytes(b"\xef\xbb\xbf{}")
    install(state, the_file(isolated))
    path.write_bytes(path.read_bytes().replace(b"{", b'{"model": "x",', 1))
    uninstall(state, the_file(isolated))
    assert path.read_bytes()[:3] == b"\xef\xbb\xbf"
    assert json.loads(path.read_text("utf-8-sig")) == {"model": "x"}


def test_the_record_holds_what_was_there_and_is_its_users_alone(isolated, path, state):
    path.write_text('{"env": {"TOKEN": "x"}}')
    install(state, the_file(isolated))
    [kept] = os.listdir(os.path.join(state, "installed"))
    assert (
        stat.S_IMODE(os.stat(os.path.join(state, "installed", kept)).st_mode) == 0o600
    )
    assert stat.S_IMODE(os.stat(state).st_mode) == 0o700
    assert load(state, str(path)).before == '{"env": {"TOKEN": "x"}}'


def test_the_client_of_another_installation_is_ours_only_where_it_was_recorded(
    isolated, path, state
):
    install(state, the_file(isolated, OLDER))
    text = path.read_text()
    install(os.path.join(state, "other"), the_file(isolated))
    assert "/old/" in path.read_text()
    path.write_text(text)
    install(state, the_file(isolated))
    assert "/old/" not in path.read_text()


def test_another_installation_takes_out_what_was_recorded(isolated, path, state):
    path.write_text("{ }")
    install(state, the_file(isolated, OLDER))
    path.write_text(path.read_text().replace("{", '{"model": "x",', 1))
    uninstall(state, the_file(isolated))
    assert json.loads(path.read_text()) == {"model": "x"}


def test_what_was_put_there_by_hand_is_ours(isolated, path, state):
    file = the_file(isolated, "truepath-hook claude-code")
    path.write_text(json.dumps(file.content))
    assert not installing(file, CLAUDE, state).is_needed
    text = path.read_text().replace("{", '{"model": "x", // best\n', 1)
    path.write_text("// mine\n" + text)
    uninstall(state, file)
    assert path.read_text() == '// mine\n{"model": "x" // best\n}'
    path.write_text(json.dumps({"model": "x", **file.content}))
    uninstall(state, file)
    assert json.loads(path.read_text()) == {"model": "x"}


def test_two_projects_are_two_matters(tmp_path, state):
    own = []
    for name in ("one", "two"):
        (tmp_path / name / ".claude").mkdir(parents=True)
        (tmp_path / name / ".claude/settings.json").write_text(
            f'{{ "model": "{name}" }}'
        )
        own += files(CLAUDE, {"HOME": "/h"}, str(tmp_path / name))
    for file in own:
        install(state, file)
    uninstall(state, own[0])
    assert (tmp_path / "one/.claude/settings.json").read_text() == '{ "model": "one" }'
    assert not installing(own[1], CLAUDE, state).is_needed
    uninstall(state, own[1])
    assert (tmp_path / "two/.claude/settings.json").read_text() == '{ "model": "two" }'


def test_a_link_goes_on_leading_to_its_file_and_the_mode_stays(
    isolated, path, state, tmp_path
):
    real = tmp_path / "dotfiles.json"
    real.write_text("{ }")
    real.chmod(0o640)
    path.symlink_to(real)
    install(state, the_file(isolated))
    assert path.is_symlink()
    assert "truepath" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    uninstall(state, the_file(isolated))
    assert (path.is_symlink(), real.read_text()) == (True, "{ }")
    assert [
        each.name for each in tmp_path.iterdir() if each.name.startswith(".truepath")
    ] == []


def test_settings_that_became_a_link_are_freed_and_stay_one(
    isolated, path, state, tmp_path
):
    install(state, the_file(isolated))
    real = path.rename(tmp_path / "dotfiles.json")
    path.symlink_to(real)
    uninstall(state, the_file(isolated))
    assert (path.is_symlink(), json.loads(real.read_text())) == (True, {})


def test_a_program_that_is_not_as_truepath_wrote_it_is_left_alone(isolated, state):
    file = the_file(isolated, host=OPENCODE)
    os.makedirs(os.path.dirname(file.path))
    of(b"// Written by truepath, and by me\n")(file.path)
    with pytest.raises(
        InstallError, match="is there already, and not as truepath wrote it"
    ):
        installing(file, OPENCODE, state)
    assert not uninstalling(file, OPENCODE, state).is_needed
    os.unlink(file.path)
    install(state, file, OPENCODE)
    of(b"// a line of mine\n" + file.content.encode())(file.path)
    with pytest.raises(InstallError, match="is there already"):
        installing(file, OPENCODE, state)
    with pytest.raises(InstallError, match="delete what truepath wrote there yourself"):
        uninstalling(file, OPENCODE, state)


def test_an_older_program_of_ours_is_replaced(isolated, state):
    older = the_file(isolated, OLDER, OPENCODE)
    install(state, older, OPENCODE)
    install(state, the_file(isolated, host=OPENCODE), OPENCODE)
    with open(older.path) as file:
        assert "/old/" not in file.read()
    uninstall(state, older, OPENCODE)
    assert [*isolated.iterdir()] == []


def of(data):
    def write(path):
        with open(path, "wb") as file:
            file.write(data)

    return write


BAD = [
    ("a folder", os.mkdir, "is not a regular file"),
    ("a link to nothing", lambda path: os.symlink("/no/such/file", path),
     "is a link to /no/such/file, which does not exist"),
    ("a pipe", os.mkfifo, "is not a regular file"),
    ("an error in it", of(b'{"a": }'), "not JSON (Expecting value: line 1 column 7"),
    ("not UTF-8", of(b'{"a": "\xff"}'), "is not UTF-8 (byte 7)"),
]  # fmt: skip


def as_it_is(path):
    """Return what tells a file from any other or changed one; not when it was read
    last.
    """
    found = os.lstat(path)
    return (
        found.st_ino,
        found.st_mode,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )


@pytest.mark.parametrize(("what", "spoil", "said"), BAD, ids=[row[0] for row in BAD])
def test_what_cannot_be_used_is_told_in_one_line_and_left(
    isolated, path, state, what, spoil, said
):
    spoil(path)
    before = as_it_is(path)
    with pytest.raises(InstallError) as error:
        installing(the_file(isolated), CLAUDE, state)
    assert str(path) in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert as_it_is(path) == before
    assert not os.path.exists(state)


def test_a_folder_that_cannot_be_written_leaves_all_as_it_was(isolated, path, state):
    path.write_text("{}")
    with read_only(path.parent):
        with pytest.raises(InstallError, match=r"settings\.json: cannot be written"):
            install(state, the_file(isolated))
        assert path.read_text() == "{}"
    assert not os.path.exists(state)


def test_a_file_that_its_user_protects_is_left_as_it_is(isolated, path, state):
    path.write_text("{}")
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        pytest.skip(UNBOUND)
    with pytest.raises(InstallError, match=r"cannot be written \(Permission denied\)"):
        install(state, the_file(isolated))
    assert path.read_text() == "{}"
    assert not os.path.exists(state)


def test_without_a_record_nothing_is_changed(isolated, path, tmp_path):
    path.write_text("{}")
    (tmp_path / "blocked").write_text("")
    with pytest.raises(InstallError, match="no copy of"):
        install(str(tmp_path / "blocked/state"), the_file(isolated))
    assert path.read_text() == "{}"


@pytest.mark.root
@pytest.mark.parametrize("full", ["settings", "state"])
def test_a_full_disk_leaves_all_as_it_was(isolated, path, tmp_path, full):
    disk = path.parent if full == "settings" else tmp_path / "state"
    with small_disk(disk):
        path.write_text('{"model": "x"}')
        fill(disk)
        with pytest.raises(InstallError, match="No space left"):
            install(str(tmp_path / "state"), the_file(isolated))
        assert path.read_text() == '{"model": "x"}'
        assert not os.path.exists(tmp_path / "state/installed")


def test_a_file_that_somebody_changes_meanwhile_is_left_to_them(isolated, path, state):
    path.write_text("{}")
    change = installing(the_file(isolated), CLAUDE, state)
    path.write_text("theirs")
    with pytest.raises(InstallError, match="changed by somebody else just now"):
        carry_out(state, [change])
    assert path.read_text() == "theirs"
    path.write_text("{}")
    carry_out(state, [change])
    with pytest.raises(InstallError, match="changed by somebody else just now"):
        carry_out(
            state, [change]
        )  # as another `truepath install` at the same time would
    assert load(state, str(path)) == change.record
    path.write_text("{}")

    def changed_by_another():
        path.write_text("theirs")
        return "it does not work"

    with pytest.raises(InstallError, match="changed by somebody else just now"):
        carry_out(state, [change], changed_by_another)
    assert path.read_text() == "theirs"


@pytest.mark.parametrize("act", ["install", "uninstall"])
def test_all_changes_are_made_or_none(isolated, path, state, tmp_path, act):
    path.write_text("{ }")
    file = the_file(isolated)
    if act == "uninstall":
        install(state, file)
    before, known = path.read_text(), load(state, str(path))
    (tmp_path / "second").mkdir()
    second = Change(str(tmp_path / "second"), None, b"y")
    first = (installing if act == "install" else uninstalling)(file, CLAUDE, state)
    with pytest.raises(InstallError):
        carry_out(state, [first, second])
    assert (path.read_text(), load(state, str(path))) == (before, known)


def test_an_undone_update_leaves_what_was_known_before(isolated, path, state):
    path.write_text('{"a": 1}')
    install(state, the_file(isolated, OLDER))
    between, known = path.read_text(), load(state, str(path))
    newer = installing(the_file(isolated), CLAUDE, state)
    with pytest.raises(InstallError, match="it is late"):
        carry_out(state, [newer], lambda: "it is late")
    assert (path.read_text(), load(state, str(path))) == (between, known)


def test_a_path_of_the_client_that_is_no_text_is_told(isolated, path, state):
    path.write_text('{"a": "é"}')
    with pytest.raises(InstallError, match="the path of the client is not UTF-8"):
        installing(
            the_file(isolated, "/opt/\udcff/truepath-hook claude-code"), CLAUDE, state
        )
