"""New folders that are slips of a sibling, and near ones that people really made."""

from __future__ import annotations

from dataclasses import replace

import pytest
import repos

from truepath import Guard, ToolCall
from truepath.project.names import Names
from truepath.resolve.folder_typos import find_slip

CATCHES = [
    # written, siblings (files), what was meant, why
    (".knife/projects/x/a.md", [".claude/projects/y/b.md"], ".claude", "the same folder below"),
    ("testcases/w/fs.py", ["testcases/work/net.py"], "testcases/work", "cut off"),
    ("dynamedx/a.ts", ["dynamedex/b.ts"], "dynamedex", "a letter lost inside"),
    ("serivces/a.go", ["services/b.go"], "services", "two letters swapped"),
    ("components/buttton/a.tsx", ["components/button/b.tsx"], "components/button", "doubled"),
    ("src/notificatons/a.py", ["src/notifications/b.py"], "src/notifications", "a letter lost"),
    ("src/controlers/a.py", ["src/controllers/b.py"], "src/controllers", "a double letter once"),
    ("authentification/a.py", ["authentication/b.py"], "authentication", "two letters too many"),
    ("intergration-tests/a.py", ["integration-tests/b.py"], "integration-tests", "in one word"),
    ("webClinet/a.ts", ["webClient/b.ts"], "webClient", "in a word of a camel"),
    ("Componants/a.ts", ["Components/b.ts"], "Components", "another vowel"),
    (".githbu/workflows/a.yml", [".github/dependabot.yml"], ".github", "a hidden folder too"),
    (".claud/settings.json", [".claude/agents/a.md"], ".claude", "the last letter lost"),
    ("Src/a.py", ["src/b.py"], "src", "case"),
    ("my_package/a.py", ["my-package/b.py"], "my-package", "another separator"),
    ("checkpoint/a.py", ["check_point/b.py"], "check_point", "a separator lost"),
    ("scr/a.py", ["src/b.py"], "src", "a short word with two letters swapped"),
]

LEAVES_ALONE = [
    ("summarise/a.py", ["summarize/b.py"], "another spelling of a word is a word"),
    ("users/jon/a.md", ["users/john/b.md"], "two people"),
    ("marten/a.csv", ["martin/b.csv"], "a bird and a man"),
    ("contract/a.py", ["contact/b.py"], "a letter more makes another word"),
    ("blacklist/a.py", ["blocklist/b.py"], "so does another letter in a long one"),
    ("data/formdata/a.py", ["data/fromdata/b.py"], "and in one of two words"),
    ("preact/a.js", ["react/b.js"], "another first letter is another word"),
    ("react/a.js", ["preact/b.js"], "so is one letter less there"),
    ("unarchive/a.py", ["archive/b.py"], "a prefix makes a word of its own"),
    ("posts/a.astro", ["post/b.astro"], "a plural stands beside its singular"),
    ("post/a.astro", ["posts/b.astro"], "and the reverse"),
    ("router/a.ts", ["route/b.ts"], "an ending makes another word"),
    ("timer/a.rs", ["time/b.rs"], "so it does in a short one"),
    ("namespaced/a.js", ["namespace/b.js"], "so it does in a participle"),
    ("eos_facts/a.py", ["ios_facts/b.py"], "a short word of two is a product's name"),
    ("lacp_interfaces/a.py", ["lldp_interfaces/b.py"], "so is a longer one"),
    ("lb_mysql/a.py", ["lb_mssql/b.py"], "two databases"),
    ("core-image-ssr/a.js", ["core-image-ssg/b.js"], "two abbreviations"),
    ("each-block-b/a.js", ["each-block/b.js"], "the second of its kind"),
    ("step-03/a.md", ["step-02/b.md"], "the next of a series"),
    ("v2/a.md", ["v1/b.md"], "the next version"),
    ("v1/a.go", ["v1beta1/b.go"], "the version that follows a beta"),
    ("log4j2/a.java", ["log4j/b.java"], "a version in a name"),
    ("nl/a.md", ["nl-NL/b.md"], "a language, not the beginning of a word"),
    ("_build/a.txt", ["build/b.txt"], "a sign in front makes it private"),
    ("types/a.d.ts", ["@types/b.d.ts"], "a sign in front makes it a scope"),
    ("vscode/a.ts", [".vscode/b.json"], "an extension beside its settings"),
    (".codex/skills/a.md", [".claude/skills/b.md"], "another program's own folder"),
    (".cursor/rules/a.md", [".clinerules/b.md"], "so is this"),
    ("api/a.py", ["app/b.py"], "one letter of three"),
    ("style/a.css", ["state/b.ts"], "two letters of five"),
    ("convert/a.py", ["context/b.py"], "two letters of seven"),
    ("restconf/a.py", ["netconf/b.py"], "the beginning of a compound"),
    ("tests/a.py", ["test/b.py", "testy/c.py"], "two are as near"),
    ("文档/a.md", ["文件/b.md"], "one character of two is another word"),
    ("src/new/a.py", ["src/b.py"], "nothing stands beside it"),
]


def slip(written, files):
    names = Names(files)

    def folders(path):
        return [child[:-1] for child in names.children(path) if child.endswith("/")]

    return find_slip(written, folders, last_is_folder=False)


@pytest.mark.parametrize(("written", "files", "meant", "why"), CATCHES)
def test_it_catches(written, files, meant, why):
    found = slip(written, files)

    assert found is not None, why
    assert found.meant == meant
    assert found.path == meant + written[len(found.made) :]


@pytest.mark.parametrize(("written", "files", "why"), LEAVES_ALONE)
def test_it_leaves_alone(written, files, why):
    assert slip(written, files) is None, why


PROJECT = {
    "index.ts": "",
    "dynamedex/protocol.ts": "",
    "testcases/work/fs.py": "",
    ".claude/projects/roadmap/notes.md": "",
}

CALLS = [
    ("write_file", {"file_path": "dynamedx/codec.ts", "content": ""}, "dynamedex/codec.ts"),
    ("write_file", {"file_path": ".knife/projects/roadmap/x.md"}, ".claude/projects/roadmap/x.md"),
    ("create_directory", {"path": "testcases/w"}, "testcases/work"),
    ("Bash", {"command": "mkdir -p dynamedx/parts"}, "dynamedex/parts"),
    ("Bash", {"command": "mkdir dynamedx"}, "dynamedex"),
    ("Bash", {"command": "mv index.ts dynamedx/"}, "dynamedex"),
    ("Bash", {"command": "mv index.ts dynamedx/main.ts"}, "dynamedex/main.ts"),
    ("Bash", {"command": "git mv index.ts dynamedx/main.ts"}, "dynamedex/main.ts"),
    ("Bash", {"command": "cp index.ts dynamedx/main.ts"}, "dynamedex/main.ts"),
    ("Bash", {"command": "cp -r testcases/work dynamedx/"}, "dynamedex"),
    ("Bash", {"command": "cp -t dynamedx index.ts"}, "dynamedex"),
    ("Bash", {"command": "echo x > testcases/w/fs.py"}, "testcases/work/fs.py"),
    ("Bash", {"command": "cd testcases && touch w/fs.py"}, "testcases/work/fs.py"),
    ("write_file", {"file_path": "dynamedex/protocol.ts:12"}, "dynamedex/protocol.ts"),
    ("write_file", {"file_path": "dynamedex\\protocol.ts"}, "dynamedex/protocol.ts"),
    ("write_file", {"file_path": "dynamedex/protocol.ts,"}, "dynamedex/protocol.ts"),
    ("write_file", {"file_path": "dynamedex/protocol.ts)"}, "dynamedex/protocol.ts"),
    ("write_file", {"file_path": "index.ts\u200b"}, "index.ts"),
    ("write_file", {"file_path": "dynamedex%2Fprotocol.ts"}, "dynamedex/protocol.ts"),
    ("write_file", {"file_path": "testcases/work/fs.py::test_x"}, "testcases/work/fs.py"),
    ("write_file", {"file_path": "[`x`](dynamedex/protocol.ts#L9)"}, "`dynamedex/protocol.ts`"),
    ("Bash", {"command": "echo x > 'testcases/work/fs.py:3'"}, "testcases/work/fs.py"),
]


@pytest.mark.parametrize(("tool", "arguments", "meant"), CALLS)
def test_a_slip_is_refused_once_and_named(make_repo, tool, arguments, meant):
    guard = Guard(make_repo(PROJECT))

    def ask(session, turn):
        return guard.before(ToolCall(tool, arguments, session=session, turn=turn))

    first, again, elsewhere = ask("one", "1"), ask("one", "2"), ask("two", "1")

    assert first.action == "refuse"
    assert first.text.startswith("PATH_LOOKS_WRONG")
    assert f"{meant.removeprefix('testcases/')}" in first.text
    assert "send the same call again" in first.text
    assert (again.action, again.text, again.arguments) == ("allow", "", arguments)
    assert elsewhere.action == "refuse"


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("Bash", {"command": "mv dynamedex dynamedx"}, "it renames the folder itself"),
        ("Bash", {"command": "git mv testcases/work testcases/Work"}, "so does this, in case"),
        ("Bash", {"command": "mkdir dynamedx2 telemetry"}, "names of their own"),
        ("Bash", {"command": "mkdir -p dynamedex/parts"}, "the folder above is there"),
        ("write_file", {"file_path": "dynamedex/deep/er/x.ts"}, "a new folder in an old one"),
        ("write_file", {"file_path": "telemetry/spans.ts"}, "a name like no other"),
        ("write_file", {"file_path": "dynamedex/other.ts:12"}, "undone, nothing is there either"),
        ("write_file", {"file_path": "a/index.ts"}, "no diff speaks of it"),
        ("write_file", {"file_path": "dynamedex/protocol (1).ts"}, "a copy's name"),
    ],
)
def test_what_is_no_slip_is_made(make_repo, tool, arguments, reason):
    decision = Guard(make_repo(PROJECT)).before(ToolCall(tool, arguments, session="s"))

    assert (decision.action, decision.text) == ("allow", ""), reason


MOVED = [
    ("write_file", {"file_path": "specs/new.md"}, "docs/new.md"),
    ("write_file", {"file_path": "specs/status.md"}, "docs/status.md"),
    ("write_file", {"file_path": "specs/deep/er.md"}, "docs/deep/er.md"),
    ("create_directory", {"path": "specs"}, "docs/"),
    ("Bash", {"command": "echo x > specs/new.md"}, "docs/new.md"),
]


@pytest.mark.parametrize(("tool", "arguments", "meant"), MOVED)
def test_a_folder_that_has_moved_is_made_anew_only_when_asked_twice(
    make_repo, git, tool, arguments, meant
):
    repo = make_repo({"specs/status.md": "green\n", "specs/roadmap.md": "far\n", "README.md": "x"})
    git(repo, "mv", "specs", "docs")
    git(repo, "commit", "-qm", "move")
    guard = Guard(repo, timeout_s=10.0)

    first = guard.before(ToolCall(tool, arguments, session="s", turn="1"))
    again = guard.before(ToolCall(tool, arguments, session="s", turn="2"))

    assert first.action == "refuse"
    assert " to docs/" in first.text
    assert f"Did you mean `{meant}`?" in first.text
    assert (again.action, again.text) == ("allow", "")


def test_a_folder_whose_files_were_deleted_is_made_anew(make_repo, git):
    repo = make_repo({"specs/status.md": "green\n", "README.md": "x"})
    git(repo, "rm", "-rq", "specs")
    git(repo, "commit", "-qm", "drop")
    call = ToolCall("write_file", {"file_path": "specs/new.md"}, session="s")

    decision = Guard(repo, timeout_s=10.0).before(call)

    assert (decision.action, decision.text) == ("allow", "")


@pytest.mark.parametrize("policy", ["careful", "recover"])
@pytest.mark.parametrize("written", ["dynamedx/codec.ts", "ouptuts/codec.ts", "outpust/x/y.ts"])
def test_a_folder_that_is_ignored_is_neither_named_nor_written_to(make_repo, policy, written):
    repo = make_repo({**PROJECT, "outputs/x/r.txt": "", ".gitignore": "outputs/\n"})
    arguments = {"file_path": written, "content": ""}

    decision = Guard(repo, policy=policy).before(ToolCall("write_file", arguments, session="s"))

    assert "outputs" not in decision.text + str(decision.arguments)
    assert (decision.action == "allow") is not written.startswith("dynamedx")


AWAY = [
    ("Write", {"file_path": "backend/src/new.py"}, "packages/api/src/new.py"),
    ("Write", {"file_path": "backend/src/app.py"}, "packages/api/src/app.py"),
    ("Write", {"file_path": "backend/other/deep/new.py"}, "packages/api/other/deep/new.py"),
    ("Write", {"file_path": "specs/status.md"}, "docs/status.md"),
    ("Edit", {"file_path": "backend/new.py", "old_string": ""}, "packages/api/new.py"),
    ("Bash", {"command": "mkdir -p backend/src/new"}, "packages/api/src/new/"),
    ("Bash", {"command": "mkdir backend"}, "packages/api/"),
    ("Bash", {"command": "cat > backend/new.py <<E\nx\nE"}, "packages/api/new.py"),
    ("Bash", {"command": "mkdir -p backend/a && touch backend/a/b.py"}, "packages/api/a/"),
]


def moving(repo):
    """Make a repository whose folder `backend` became `packages/api`, and `specs` lost files."""
    old = ["backend/src/app.py", "backend/src/api.py", "backend/setup.py", "specs/status.md"]
    rest = ["specs/plan.md", "specs/goals.md", "docs/guide.md", "packages/web/index.ts"]
    repos.start(repo, {path: f"this is {path}\n" * 9 for path in (*old, *rest)})
    repos.run_git(repo, "mv", "backend", "packages/api")
    repos.run_git(repo, "mv", "specs/status.md", "docs/status.md")
    repos.run_git(repo, "rm", "-q", "specs/plan.md", "specs/goals.md")
    repos.run_git(repo, "commit", "-qm", "move")


@pytest.fixture
def moved(copy_of):
    return copy_of(moving)


@pytest.mark.parametrize(("tool", "arguments", "there"), AWAY)
def test_what_would_go_into_a_folder_that_was_moved_is_refused_once(moved, tool, arguments, there):
    guard = Guard(moved, timeout_s=5)
    call = ToolCall(tool, {"content": "x", "new_string": "x", **arguments}, session="s", turn="1")

    first, again = guard.before(call), guard.before(replace(call, turn="2"))

    assert first.text.startswith("PATH_LOOKS_WRONG")
    assert f"Did you mean `{there}`" in first.text
    assert (again.action, again.text) == ("allow", "")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("specs/new.md", "most of what the folder held was deleted"),
        ("backends/new.py", "that folder never was"),
        ("packages/api/src/new/a.py", "it is in the new folder"),
        ("docs/deep/er/a.py", "a new folder in one that stands"),
    ],
)
def test_a_folder_that_was_not_moved_is_made(moved, path, reason):
    call = ToolCall("Write", {"file_path": path, "content": "x"}, session="s")

    decision = Guard(moved, timeout_s=5).before(call)

    assert (decision.action, decision.text) == ("allow", ""), reason
