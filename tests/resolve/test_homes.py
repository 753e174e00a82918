from __future__ import annotations

import pytest

from truepath import Guard, ToolCall, Workspace
from truepath.resolve.homes import home_of, stray

NAMES = ["README.md", "src/app/billing.py", "src/app/models.py", "docs/status.md"]
ROOT = "/home/tbekolay/p"


def guard(root=ROOT, **more):
    return Guard(workspace=Workspace.from_names(NAMES, root=root), **more)


def read(guarded, path, tool="read_file", argument="path", **more):
    return guarded.before(ToolCall(tool, {argument: path}, **{"session": "s", **more}))


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("/home/ann/x/y.py", "/home/ann"),
        ("/Users/ann", "/Users/ann"),
        ("C:/Users/ann/x", "C:/Users/ann"),
        ("/root/x", "/root"),
        ("/home", ""),
        ("/srv/home/ann", ""),
        ("home/ann/x", ""),
        ("/workspace/x", ""),
        ("", ""),
    ],
)
def test_a_home_is_known_by_its_shape(path, home):
    assert home_of(path) == home


@pytest.mark.parametrize(
    ("path", "root", "home", "pair"),
    [
        ("/home/tbekolag/x", ROOT, None, ("/home/tbekolag", "/home/tbekolay")),
        ("/Users/tbekolay/x", ROOT, None, ("/Users/tbekolay", "/home/tbekolay")),
        ("/home/user/x", "/workspace/p", "/root", ("/home/user", "/root")),
        ("/home/tbekolay/x", ROOT, "/root", None),
        ("c:\\Users\\Ann\\x", "C:/Users/ann/p", None, None),
        ("/home/Tbekolay/x", ROOT, None, ("/home/Tbekolay", "/home/tbekolay")),
        ("/srv/x", ROOT, None, None),
        ("/home/user/x", "/workspace/p", None, None),
    ],
)
def test_a_home_is_astray_when_it_is_not_there(path, root, home, pair):
    assert stray(path, root, home, lambda _: False) == pair


def test_somebody_elses_home_is_theirs(tmp_path, monkeypatch):
    assert stray("/home/bob/x", ROOT, None, "/home/bob".__eq__) is None


@pytest.mark.parametrize(
    ("written", "root"),
    [
        ("/home/tbekolag/p/src/app/billing.py", ROOT),
        ("/home/Tbekolay/p/src/app/billing.py", ROOT),
        ("/Users/tbekolay/p/src/app/billing.py", ROOT),
        ("/Users/somebody/p/src/app/billing.py", ROOT),
        ("/home/user/p/src/app/billing.py", ROOT),
        ("/root/p/src/app/billing.py", ROOT),
        ("home/tbekolay/p/src/app/billing.py", ROOT),
        ("home/tbekolag/p/src/app/billing.py", ROOT),
        ("/home/tbekolay/p/home/tbekolay/p/src/app/billing.py", ROOT),
        ("/home/tbekolay/p/p/src/app/billing.py", ROOT),
        ("/Users/bartlomiejczyk/p/src/app/billing.py", "/Users/bartlomiejczyz/p"),
        ("/Users/yaelman/code/p/src/app/billing.py", "/Users/yaleman/code/p"),
        ("/Users/harold.lastname/p/src/app/billing.py", "/Users/harald.koppe/p"),
        ("workspace/src/app/billing.py", "/workspace"),
    ],
)
def test_a_wrong_home_is_repaired_when_the_rest_is_there(written, root):
    workspace = Workspace.from_names(NAMES, root=root)

    resolution = workspace.resolve(written)

    assert (resolution.status, resolution.path) == ("resolved", "src/app/billing.py")


def test_a_typo_behind_a_wrong_home_is_a_question_about_this_project():
    resolution = Workspace.from_names(NAMES, root=ROOT).resolve("/home/tbekolag/p/src/app/bill.py")

    assert resolution.status in ("ambiguous", "absent")
    assert resolution.target == "src/app/bill.py"


def test_the_right_home_is_told_once_a_session():
    guarded = guard()
    first = read(guarded, "/home/tbekolag/p/README.md")
    second = read(guarded, "/home/tbekolag/p/docs/status.md")
    other = read(guarded, "/home/tbekolag/p/docs/status.md", session="other")

    note = "HOME: there is no `/home/tbekolag`; the home folder here is `/home/tbekolay`."
    assert first.action == second.action == "rewrite"
    assert first.text.endswith(note)
    assert note not in second.text
    assert other.text.endswith(note)


@pytest.mark.parametrize(
    ("tool", "argument"), [("read_file", "path"), ("write_file", "file_path"), ("Bash", "command")]
)
def test_it_is_told_where_the_path_itself_is_none_of_ours(tool, argument):
    guarded = guard()
    value = "cat /home/tbekolag/notes.md" if tool == "Bash" else "/home/tbekolag/notes.md"

    first = read(guarded, value, tool, argument)
    second = read(guarded, value, tool, argument)

    assert first.action == "advise"
    assert first.arguments == {argument: value}
    assert first.text.startswith("HOME: there is no `/home/tbekolag`")
    assert (second.action, second.text) == ("allow", "")


@pytest.mark.parametrize("preset", ["guide", "observe"])
def test_who_only_watches_says_nothing(preset):
    assert read(guard(policy=preset), "/home/tbekolag/notes.md").text == ""


@pytest.mark.parametrize("path", ["/home/tbekolay/notes.md", "/etc/hosts", "src/app/none.py"])
def test_nothing_is_told_of_the_right_home(path):
    assert "HOME" not in read(guard(), path).text


def test_a_name_in_the_note_can_end_no_line():
    text = read(guard(), "/home/x\nPATH_CORRECTED: y/notes.md").text

    assert "\n" not in text


class TestTilde:
    @pytest.fixture
    def project(self, isolated, write):
        write(isolated / "p", {"src/app.py": "", "src/my file.py": ""})
        return isolated / "p"

    @pytest.mark.parametrize(
        "written", ["~/p/src/app.py", '"~/p/src/app.py"', "$HOME/p/src/app.py"]
    )
    def test_is_written_out_where_no_shell_does_it(self, project, written):
        decision = read(Guard(project), written)

        assert decision.action == "rewrite"
        assert decision.arguments == {"path": f"{project}/src/app.py"}

    @pytest.mark.parametrize(
        ("command", "right"),
        [
            ('cat "~/p/src/app.py"', 'cat "{project}/src/app.py"'),
            ("cat '~/p/src/my file.py'", "cat '{project}/src/my file.py'"),
        ],
    )
    def test_is_written_out_where_quotes_keep_the_shell_from_it(self, project, command, right):
        decision = read(Guard(project), command, "Bash", "command")

        assert decision.arguments == {"command": right.format(project=project)}

    @pytest.mark.parametrize("command", ['rm -r "~/p/src"', 'mkdir "~/p/src/new"'])
    def test_in_quotes_is_not_acted_on(self, project, command):
        decision = read(Guard(project), command, "Bash", "command")

        assert decision.action == "refuse"

    def test_is_left_to_the_shell(self, project):
        assert read(Guard(project), "cat ~/p/src/app.py", "Bash", "command").text == ""
