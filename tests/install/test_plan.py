"""Installing on disk: what is kept, what is refused, and that nothing is ever half done."""

from __future__ import annotations

import json
import os
import stat

import pytest
from disks import read_only

from truepath.hosts.setup import Piece, Setup
from truepath.install import InstallError
from truepath.install.changes import Change, make, unmake
from truepath.install.plan import (
    carry_out,
    forget,
    holds_us,
    home_of,
    installing,
    is_new,
    places,
    remembered,
    take_back,
    uninstalling,
)

HOST = "claude-code"
CONTENT = {"hooks": {"PreToolUse": [{"hooks": [{"command": f"truepath-hook {HOST}"}]}]}}
OLDER = {"hooks": {"PreToolUse": [{"hooks": [{"command": f"/old/truepath hook {HOST}"}]}]}}
SCRIPT = "#!/bin/sh\n# truepath\ntruepath-hook cline || true\n"
SETTINGS = Piece("settings.json", ".claude/settings.json", CONTENT)


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "state")


def setup(*pieces):
    return Setup(".claude", "CLAUDE_CONFIG_DIR", pieces or (SETTINGS,))


def the_place(isolated, **more):
    [place] = places(HOST, setup(*more.values()), {"HOME": str(isolated)})
    return place


def install(state, place):
    record = remembered(state, place.path)
    change = installing(place, record)
    return carry_out(state, [(change, is_new(place, record))] if change.is_needed else [])


def uninstall(state, place):
    change = uninstalling(place, remembered(state, place.path))
    return [forget(state, made) for made in carry_out(state, [(change, False)])]


def test_the_hosts_own_variable_says_where_its_settings_are(isolated, tmp_path):
    environ = {"HOME": str(isolated)}
    assert home_of(setup(), environ) == str(isolated / ".claude")
    assert home_of(setup(), {**environ, "CLAUDE_CONFIG_DIR": str(tmp_path)}) == str(tmp_path)
    assert home_of(setup(), {**environ, "CLAUDE_CONFIG_DIR": "~/x"}) == str(isolated / "x")
    below = Setup(".config/x", "", (SETTINGS,))
    assert home_of(below, environ) == str(isolated / ".config/x")
    assert home_of(below, {**environ, "XDG_CONFIG_HOME": str(tmp_path)}) == str(tmp_path / "x")
    assert home_of(setup(), {**environ, "XDG_CONFIG_HOME": "/x"}) == str(isolated / ".claude")
    [place] = places("claude-code", setup(), environ, str(tmp_path))
    assert place.path == str(tmp_path / ".claude/settings.json")


def test_a_host_without_such_settings_says_which_it_has(isolated):
    only_user = setup(Piece("x.json", "", CONTENT))
    with pytest.raises(InstallError, match="leave out --project"):
        places("pi", only_user, {"HOME": str(isolated)}, "/p")
    with pytest.raises(InstallError, match="use --project"):
        places("pi", setup(Piece("", "x.json", CONTENT)), {"HOME": str(isolated)})


def test_the_file_with_comments_in_its_name_is_used_where_only_that_is_there(isolated):
    folder = isolated / ".claude"
    folder.mkdir()
    (folder / "settings.jsonc").write_text("{}")
    assert the_place(isolated).path == str(folder / "settings.jsonc")
    (folder / "settings.json").write_text("{}")
    assert the_place(isolated).path == str(folder / "settings.json")


def test_what_was_not_there_is_made_and_goes_again_with_its_folders(isolated, state):
    place = the_place(isolated)
    assert not holds_us(place)
    install(state, place)
    assert holds_us(place)
    assert install(state, place) == []
    assert uninstall(state, place) == [""]
    assert [*isolated.iterdir()] == []
    assert not os.path.exists(state)


def test_a_folder_that_holds_something_else_by_then_stays(isolated, state):
    place = the_place(isolated)
    install(state, place)
    (isolated / ".claude/history").write_text("")
    uninstall(state, place)
    assert [each.name for each in (isolated / ".claude").iterdir()] == ["history"]


@pytest.mark.parametrize(
    "before",
    [
        b"{}",
        b"",
        '{\r\n\t"a": "é"\r\n}'.encode(),
        b'{"hooks": {"PreToolUse": []}}\n\n\n',
        b'{ "a": [1,\n2] }',
    ],
)
def test_a_file_comes_back_byte_for_byte(isolated, state, before):
    place = the_place(isolated)
    os.mkdir(os.path.dirname(place.path))
    with open(place.path, "wb") as file:
        file.write(before)
    install(state, place)
    with open(place.path, "rb") as file:
        assert json.loads(file.read())["hooks"]
    assert uninstall(state, place) == [""]
    with open(place.path, "rb") as file:
        assert file.read() == before
    assert not os.path.exists(state)


def test_the_copy_is_the_users_alone_and_is_named_when_it_is_still_needed(isolated, state):
    place = the_place(isolated)
    os.mkdir(os.path.dirname(place.path))
    before = '{\n  "env": {\n    "TOKEN": "x"\n  }\n}'
    with open(place.path, "w") as file:
        file.write(before)
    install(state, place)
    with open(place.path) as file:
        text = file.read()
    with open(place.path, "w") as file:
        file.write(text.replace('"x"', '"y"'))
    install(state, place)
    [kept] = uninstall(state, place)
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    with open(kept) as old, open(place.path) as new:
        assert (old.read(), new.read()) == (before, before.replace("x", "y"))
    install(state, place)
    assert uninstall(state, place) == [""]
    assert os.path.exists(kept)


def test_what_is_known_of_the_first_time_outlives_a_newer_client(isolated, state):
    folder = isolated / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{ "hooks": { } }')
    install(state, the_place(isolated, piece=Piece("settings.json", "", OLDER)))
    install(state, the_place(isolated))
    assert "/old/" not in (folder / "settings.json").read_text()
    assert uninstall(state, the_place(isolated)) == [""]
    assert (folder / "settings.json").read_text() == '{ "hooks": { } }'


def test_without_a_record_our_entries_go_all_the_same(isolated, state):
    place = the_place(isolated)
    folder = isolated / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{\n  "model": "x"\n}\n')
    install(state, place)
    uninstall(os.path.join(state, "other"), place)
    assert (folder / "settings.json").read_text() == '{\n  "model": "x"\n}\n'


def test_a_link_goes_on_leading_to_its_file_and_the_mode_stays(isolated, state, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    place = the_place(isolated)
    os.mkdir(os.path.dirname(place.path))
    os.symlink(real, place.path)
    install(state, place)
    assert os.path.islink(place.path)
    assert "truepath" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    uninstall(state, place)
    assert os.path.islink(place.path)
    assert real.read_text() == "{}"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".truepath")] == []


def test_a_program_of_ours_is_one_that_runs_and_goes(isolated, state):
    place = the_place(isolated, piece=Piece("hooks/PreToolUse", "", SCRIPT, executable=True))
    install(state, place)
    assert os.access(place.path, os.X_OK)
    os.chmod(place.path, 0o644)
    assert installing(place, remembered(state, place.path)).is_needed
    install(state, place)
    assert os.access(place.path, os.X_OK)
    uninstall(state, place)
    assert [*isolated.iterdir()] == []


def test_a_program_of_somebody_else_is_left_alone(isolated, state):
    place = the_place(isolated, piece=Piece("PreToolUse", "", SCRIPT, executable=True))
    os.mkdir(os.path.dirname(place.path))
    with open(place.path, "w") as file:
        file.write("#!/bin/sh\nmine\n")
    with pytest.raises(InstallError, match="is there already and not ours"):
        installing(place, None)
    assert not uninstalling(place, None).is_needed


def test_an_older_program_of_ours_is_replaced_and_what_was_changed_in_it_is_kept(isolated, state):
    place = the_place(isolated, piece=Piece("PreToolUse", "", SCRIPT))
    os.mkdir(os.path.dirname(place.path))
    with open(place.path, "w") as file:
        file.write("#!/bin/sh\n# truepath, with a line of mine\n")
    install(state, place)
    with open(place.path) as file:
        assert file.read() == SCRIPT
    [kept] = uninstall(state, place)
    assert not os.path.exists(place.path)
    with open(kept) as file:
        assert "a line of mine" in file.read()


def a_folder(path):
    os.mkdir(path)


def a_dangling_link(path):
    os.symlink("/no/such/file", path)


def a_pipe(path):
    os.mkfifo(path)


def of(data):
    def write(path):
        with open(path, "wb") as file:
            file.write(data)

    return write


BAD = [
    ("a folder", a_folder, "is a folder"),
    ("a link to nothing", a_dangling_link, "is a link to /no/such/file, which does not exist"),
    ("a pipe", a_pipe, "is no file"),
    ("an error in it", of(b'{"a": }'), "is no plain JSON (Expecting value: line 1 column 7"),
    ("a comment", of(b"{} // x"), '; to be put there by hand: {"hooks": '),
    ("a byte order mark", of(b"\xef\xbb\xbf{}"), "is no plain JSON"),
    ("not UTF-8", of(b'{"a": "\xff"}'), "is not UTF-8 (byte 7)"),
    ("UTF-16", of('{"a": 1}'.encode("utf-16")), "is not UTF-8 (byte 0)"),
    ("a list for hooks", of(b'{"hooks": []}'), "'hooks' is not an object"),
    ("one key twice", of(b'{"hooks": {}, "hooks": {}}'), "holds the key 'hooks' twice"),
]


def test_comments_are_no_hindrance_to_what_was_put_in_by_hand(isolated):
    place = the_place(isolated)
    os.mkdir(os.path.dirname(place.path))
    of(b"// mine\n" + json.dumps(CONTENT).encode())(place.path)
    assert holds_us(place)


def as_it_is(path):
    """Return what tells a file from any other or changed one; not when it was read last."""
    found = os.lstat(path)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@pytest.mark.parametrize(("what", "spoil", "said"), BAD, ids=[row[0] for row in BAD])
def test_what_cannot_be_used_is_told_in_one_line_and_left(isolated, state, what, spoil, said):
    place = the_place(isolated)
    os.mkdir(os.path.dirname(place.path))
    spoil(place.path)
    before = as_it_is(place.path)
    with pytest.raises(InstallError) as error:
        installing(place, None)
    assert place.path in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert as_it_is(place.path) == before
    assert not os.path.exists(state)


def test_a_file_where_a_folder_belongs_is_told(isolated, state):
    (isolated / ".claude").write_text("")
    with pytest.raises(InstallError, match="Not a directory"):
        installing(the_place(isolated), None)


def test_a_folder_that_cannot_be_written_leaves_all_as_it_was(isolated, state):
    folder = isolated / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    with read_only(folder):
        with pytest.raises(InstallError, match=r"settings\.json: cannot be written"):
            install(state, the_place(isolated))
        assert (folder / "settings.json").read_text() == "{}"
    assert not os.path.exists(state)


def test_without_a_copy_nothing_is_changed(isolated, tmp_path):
    folder = isolated / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    with pytest.raises(InstallError, match="no copy of"):
        install(str(blocked / "state"), the_place(isolated))
    assert (folder / "settings.json").read_text() == "{}"


def test_a_file_that_somebody_changes_meanwhile_is_left_to_them(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text("theirs")
    with pytest.raises(InstallError, match="changed by somebody else just now"):
        make(Change(str(path), b"{}", b"ours"))
    assert path.read_text() == "theirs"


def test_all_changes_are_made_or_none(isolated, state, tmp_path):
    first, second = tmp_path / "new/first", tmp_path / "second"
    second.mkdir()
    changes = [(Change(str(first), None, b"x"), True), (Change(str(second), None, b"y"), True)]
    with pytest.raises(InstallError):
        carry_out(state, changes)
    assert not first.parent.exists()
    assert not os.path.exists(state)


def test_a_change_is_undone_with_all_that_was_made_for_it(isolated, state):
    place = the_place(isolated)
    take_back(state, install(state, place))
    assert [*isolated.iterdir()] == []
    assert not os.path.exists(state)


def test_an_undone_update_leaves_what_was_known_before(isolated, state):
    folder = isolated / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{"a": 1}')
    older = the_place(isolated, piece=Piece("settings.json", "", OLDER))
    install(state, older)
    between = (folder / "settings.json").read_text()
    take_back(state, install(state, the_place(isolated)))
    assert (folder / "settings.json").read_text() == between
    assert uninstall(state, older) == [""]
    assert (folder / "settings.json").read_text() == '{"a": 1}'


def test_undoing_puts_back_what_a_file_held(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    change = Change(str(path), b"old", b"new")
    folders = make(change)
    unmake(change, folders)
    assert path.read_bytes() == b"old"
