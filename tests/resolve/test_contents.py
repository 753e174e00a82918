"""What the call says about the contents decides which file is meant, and which is not."""

from __future__ import annotations

import os

import pytest

from truepath import Guard, ToolCall, Workspace
from truepath.project import contents
from truepath.types import Contents

TEXT = (
    "def total(orders):\n    return sum(each.price * each.count - each.rebate for each in orders)\n"
)
FILE = f"import decimal\n\n\n{TEXT}\n\nVERSION = 3\n"
OTHER = "def average(orders):\n    return total(orders) / len(orders)\n"
CAFE = "caf\u00e9 = 'a line of sixty signs and more, one of them an accent', 'and no other'\n"
PLAIN = {f"src/shop/part_{at}.py": f"PART = {at}\n" for at in range(9)} | {"README.md": "Shop\n"}


def edit(repo, path, text=TEXT):
    call = ToolCall("Edit", {"file_path": path, "old_string": text, "new_string": "pass\n"})
    return Guard(repo).before(call)


CORRECTS = [
    ("src/shop/price.py", "src/shop/prices.py", {}, "a letter less"),
    ("src/store/prices.py", "src/shop/prices.py", {}, "another folder"),
    ("prices.py", "src/shop/prices.py", {}, "a bare name"),
    ("src/shop/sums_order.py", "src/shop/order_sums.py", {}, "the same words"),
    (
        "src/web/prices.py",
        "src/shop/prices.py",
        {"src/shop/price.py": OTHER},
        "the nearer lacks it",
    ),
    (
        "lib/prices.py",
        "src/shop/prices.py",
        {"lib/price.py": OTHER},
        "the one in the folder lacks it",
    ),
    ("src/shop/prices.ts", "src/shop/prices.py", {}, "another extension"),
]


@pytest.mark.parametrize(("written", "meant", "more", "why"), CORRECTS)
def test_an_edit_goes_to_the_only_file_that_holds_its_text(make_repo, written, meant, more, why):
    repo = make_repo({**PLAIN, meant: FILE, **more})

    decision = edit(repo, written)

    assert decision.action == "rewrite", (why, decision.text)
    assert decision.arguments["file_path"] == meant
    assert decision.text.startswith("PATH_CORRECTED")


def test_the_answer_names_the_proof(make_repo):
    repo = make_repo({**PLAIN, "src/shop/prices.py": FILE, "src/shop/price_list.py": OTHER})

    assert edit(repo, "src/web/prices.py").text == (
        "PATH_CORRECTED: `src/web/prices.py` does not exist; using `src/shop/prices.py` "
        "(the only file that holds the text to be replaced)."
    )


PLACE, WRITTEN = "src/web/prices.py", "src/api/prices.py"
LEAVES_ALONE = [
    ("src/shop/price.py", {"src/shop/prices.py": OTHER}, TEXT, "alike, and without the text"),
    ("app/prices.py", {"src/app/prices.py": OTHER}, TEXT, "the path's end, and without the text"),
    (WRITTEN, {PLACE: FILE, "src/shop/prices.py": FILE}, TEXT, "two of the name hold it"),
    (WRITTEN, {PLACE: FILE, "src/copy.py": FILE}, TEXT, "a copy holds it"),
    (WRITTEN, {PLACE: "}\n"}, "}", "a brace tells nothing"),
    (WRITTEN, {PLACE: "- React 18\n"}, "- React 18", "a short line tells nothing"),
    (WRITTEN, {"docs/notes.py": FILE}, TEXT, "another name and folder"),
    ("src/web/users.py", {PLACE: FILE}, TEXT, "another name in the folder: a copy of it is meant"),
    ("src/web/costs_v2.py", {"src/web/costs_v1.py": FILE}, TEXT, "another number"),
    ("src/web/make_prices.py", {PLACE: FILE}, TEXT, "a word more"),
    ("v1/prices.py", {"v2/prices.py": FILE}, TEXT, "another version"),
    ("src/trial.py", {"src/trail.py": FILE}, TEXT, "another word"),
    ("client/prices.py", {"server/prices.py": FILE}, TEXT, "the other side"),
    ("src/web/test_prices.py", {PLACE: FILE}, TEXT, "what the missing test tests"),
    (WRITTEN, {PLACE: TEXT[:50]}, TEXT, "half of the text"),
    (WRITTEN, {PLACE: b"\0\1" + FILE.encode()}, TEXT, "a binary file"),
    (WRITTEN, {PLACE: FILE + "#" * contents.LARGEST}, TEXT, "a huge file is not looked into"),
    (
        WRITTEN,
        {PLACE: FILE, "big.py": "#" * (contents.LARGEST + 1)},
        TEXT,
        "a huge one may hold it",
    ),
    (WRITTEN, {PLACE: CAFE.encode("latin-1")}, CAFE, "its text is in another encoding"),
]


@pytest.mark.parametrize(("written", "files", "text", "why"), LEAVES_ALONE)
def test_an_edit_without_proof_is_left_alone(make_repo, written, files, text, why):
    repo = make_repo({**PLAIN, **files})

    decision = edit(repo, written, text)

    assert decision.action == "refuse", (why, decision.text)


UNSEEN = [
    ({"src/.env": TEXT}, "a secret file"),
    ({"src/keys/id_rsa": TEXT, "src/keys/prices.pem": TEXT}, "keys"),
    ({"build/prices.py": FILE, ".gitignore": "build/\n"}, "an ignored file"),
    ({"secret/prices.py": FILE, ".truepath.toml": 'deny = ["secret/"]\n'}, "a denied file"),
]


@pytest.mark.parametrize(("files", "why"), UNSEEN)
def test_what_may_not_be_named_is_not_found_by_its_contents(make_repo, files, why):
    repo = make_repo({**PLAIN, **files})

    for written in ("src/prices.py", "src/env", "src/keys/prices.py", "src/keys/.pem"):
        decision = edit(repo, written)
        assert not any(name in decision.text for name in files), (why, decision.text)
        assert not any(name in str(decision.payload) for name in files), why
        assert decision.action in ("refuse", "allow")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_and_pipes_are_no_holders(make_repo, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "prices.py").write_text(FILE)
    repo = make_repo(PLAIN)
    (repo / "src/shop/prices.py").symlink_to(outside / "prices.py")
    (repo / "src/web").symlink_to(outside)
    os.mkfifo(repo / "src/shop/price.py")

    decision = edit(repo, "src/api/prices.py")

    assert decision.action == "refuse"
    assert "outside" not in decision.text
    assert "src/web" not in decision.text


def test_no_file_is_edited_for_a_path_in_another_checkout_though_it_holds_the_text(
    make_repo, git, tmp_path
):
    repo = make_repo({**PLAIN, "src/shop/prices.py": FILE})
    other = tmp_path / "other"
    git(repo, "worktree", "add", "--quiet", "-b", "topic", str(other))
    git(other, "rm", "--quiet", "src/shop/prices.py")

    for path in (other / "src/shop/prices.py", other / "src/web/prices.py"):
        assert edit(repo, str(path)).action != "rewrite", path


SAME = [
    ("crlf", FILE.replace("\n", "\r\n"), TEXT),
    ("a text with carriage returns", FILE, TEXT.replace("\n", "\r\n")),
    ("other indentation", FILE.replace("    ", "\t"), TEXT),
    ("blanks at line ends", FILE.replace(":\n", ":  \n"), TEXT),
    ("no line break at the end", f"import decimal\n{TEXT.rstrip()}", TEXT),
    ("a part of its lines", FILE, TEXT[4:-9]),
    ("a byte order mark", b"\xef\xbb\xbf" + TEXT.encode(), TEXT),
    ("other bytes than utf-8 elsewhere", b"# caf\xe9\n" + FILE.encode(), TEXT),
]


@pytest.mark.parametrize(("why", "content", "text"), SAME)
def test_texts_that_differ_in_blanks_alone_are_the_same(make_repo, why, content, text):
    repo = make_repo({**PLAIN, "src/shop/prices.py": content})

    assert edit(repo, "src/web/prices.py", text).action == "rewrite", why


def test_the_file_that_git_deleted_is_not_replaced_by_a_copy_of_it(make_repo, drop):
    repo = make_repo({**PLAIN, "src/web/prices.py": FILE, "src/shop/prices.py": FILE})
    drop(repo, "src/web/prices.py")

    decision = edit(repo, "src/web/prices.py")

    assert decision.action == "refuse"
    assert "deleted in" in decision.text
    assert "src/shop/prices.py` (the only file that holds" in decision.text


def test_a_recorded_rename_is_followed_though_the_text_is_wrong(make_repo, move):
    repo = make_repo({**PLAIN, "src/web/prices.py": FILE})
    move(repo, "src/web/prices.py", "src/shop/prices.py")

    assert edit(repo, "src/web/prices.py", "text that it does not hold").action == "rewrite"


def test_a_recorded_rename_is_doubted_where_another_file_alone_holds_the_text(make_repo, move):
    repo = make_repo({**PLAIN, "src/web/prices.py": OTHER, "src/api/prices.py": FILE})
    move(repo, "src/web/prices.py", "src/shop/prices.py")

    decision = edit(repo, "src/web/prices.py")

    assert decision.action == "refuse"
    assert "src/api/prices.py` (the only file that holds" in decision.text


def test_nothing_inside_is_edited_for_a_path_outside(make_repo, tmp_path):
    repo = make_repo({**PLAIN, "src/shop/prices.py": FILE})

    for written in (f"{tmp_path}/elsewhere/shop/prices.py", "../other/prices.py"):
        assert edit(repo, written).action != "rewrite", written


def test_a_copy_that_git_does_not_track_counts(make_repo):
    repo = make_repo({**PLAIN, "src/web/prices.py": FILE})
    (repo / "src/shop/old_prices.py").write_text(FILE)

    assert edit(repo, "src/api/prices.py").action == "refuse"


def test_a_folder_without_git_is_searched_as_well(make_repo):
    repo = make_repo({**PLAIN, "src/shop/prices.py": FILE}, git=False)

    assert edit(repo, "src/web/prices.py").action == "rewrite"


PATCH = (
    "*** Begin Patch\n*** Update File: src/web/prices.py\n"
    "@@ def total(orders):\n def total(orders):\n"
    "-    return sum(each.price * each.count - each.rebate for each in orders)\n"
    "+    return 0\n*** End Patch\n"
)


def test_the_hunks_of_a_patch_are_the_proof(make_repo):
    repo = make_repo({**PLAIN, "src/shop/prices.py": FILE, "src/shop/price.py": OTHER})
    shell = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
    for tool, arguments in (("apply_patch", {"input": PATCH}), ("Bash", {"command": shell})):
        decision = Guard(repo).before(ToolCall(tool, arguments))
        assert decision.action == "rewrite", (tool, decision.text)
        assert "src/shop/prices.py" in "".join(decision.arguments.values())

    lacking = make_repo({**PLAIN, "src/shop/prices.py": OTHER})
    assert Guard(lacking).before(ToolCall("apply_patch", {"input": PATCH})).action == "refuse"


def test_a_search_that_takes_too_long_proves_nothing(make_repo, monkeypatch):
    repo = make_repo({**PLAIN, "src/shop/prices.py": FILE})
    workspace = Workspace(repo)
    said = Contents((TEXT,))
    assert workspace.resolve("src/web/prices.py", "edit", contents=said).status == "resolved"

    monkeypatch.setattr(contents, "SECONDS", 0.0)
    monkeypatch.setattr(contents, "LEAST", 0.0)
    assert workspace.resolve("src/web/prices.py", "edit", contents=said).status == "ambiguous"


def test_so_many_files_are_looked_into_and_no_more(tmp_path):
    names = [f"{at}.py" for at in range(contents.MOST + 1)]
    for name in names:
        (tmp_path / name).write_text("x = 1\n" * 20)
    files = contents.Files(str(tmp_path), bool, lambda _: False)
    said = Contents((TEXT,))

    assert len(files.holding(names, said)) == contents.MOST
    assert files.holders(names, said) == []
    assert files.holders(names * 99, said) is None, "too many"


def test_names_alone_know_no_contents():
    workspace = Workspace.from_names(["src/shop/prices.py", "src/shop/part.py"])
    written = "src/shop/prcies.py"

    with_text = workspace.resolve(written, "edit", contents=Contents((TEXT,)))
    assert with_text == workspace.resolve(written, "edit")


LONG, SHORT = "x = 1\n" * 300, "x = 1\n" * 40
TEST = "class TestCart:\n    def test_sum(self):\n        pass\n"
PARTS = [
    ("read", "app/cart.py", Contents(lines=30), "rewrite", "the line is there"),
    ("read", "app/cart.py", Contents(lines=200), "refuse", "the file ends before that line"),
    ("read", "app/cart.py", Contents(words=("x",)), "rewrite", "the name is there"),
    ("read", "app/cart.py", Contents(words=("Basket",)), "refuse", "the name is not there"),
    ("execute", "app/cart.py", Contents(words=("Basket",)), "refuse", "the test is not there"),
]


@pytest.mark.parametrize(("operation", "written", "said", "action", "why"), PARTS)
def test_a_part_that_a_candidate_lacks_speaks_against_it(
    make_repo, operation, written, said, action, why
):
    repo = make_repo({**PLAIN, "src/app/cart.py": SHORT})

    found = Workspace(repo).resolve(written, operation, contents=said)

    assert (found.status == "resolved") == (action == "rewrite"), why
    assert found.candidates[0].path == "src/app/cart.py", "it is named all the same"


def test_the_candidate_with_the_part_is_named_first(make_repo):
    repo = make_repo({**PLAIN, "tests/unit/test_cart.py": TEST, "tests/web/test_cart.py": LONG})

    for name in ("test_sum", "TestCart"):
        call = {"command": f"pytest tests/test_cart.py::{name}"}
        text = Guard(repo).before(ToolCall("Bash", call)).text
        assert text.index("tests/unit/test_cart.py") < text.find("tests/web") % 10_000


def test_the_answer_says_what_a_candidate_lacks(make_repo):
    repo = make_repo({**PLAIN, "src/app/cart.py": SHORT})

    for call, said in [
        (ToolCall("Read", {"file_path": "app/cart.py", "offset": 200}), "it has fewer lines"),
        (ToolCall("Bash", {"command": "sed -n '200,240p' app/cart.py"}), "it has fewer lines"),
        (ToolCall("Edit", {"file_path": "app/cart.py", "old_string": "y", "new_string": ""}),
         "it does not hold the text to be replaced"),
        (ToolCall("Bash", {"command": "pytest app/cart.py::Basket"}),
         "it does not hold the name that is asked for"),
    ]:  # fmt: skip
        text = Guard(repo).before(call).text
        assert f"`src/app/cart.py` ({said})" in text, text


def test_the_very_path_is_followed_whatever_it_holds(make_repo):
    repo = make_repo({**PLAIN, "src/app/cart.py": SHORT})

    found = Workspace(repo).resolve("src/app/cart.py:412", contents=Contents(lines=412))

    assert found.path == "src/app/cart.py"


def test_what_may_be_meant_for_a_deleted_file_is_not_edited_for_its_copy(make_repo, drop):
    repo = make_repo({**PLAIN, "lib/sdk/prices.py": FILE, "lib/core/deep/prices.py": FILE})
    drop(repo, "lib/sdk/prices.py")

    decision = edit(repo, "libb/sdk/prices.py")

    assert decision.action == "refuse", decision.text
    assert "lib/core/deep/prices.py" in decision.text
