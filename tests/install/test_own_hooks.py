"""What a user says of their own hooks, written into settings that stay as they are."""

from __future__ import annotations

import pytest

from truepath.config.settings import parsed
from truepath.install.own_hooks import with_items

# (why, the settings, where they are written)
LISTS = [
    ("no settings", "", 'harmless_hooks = ["log.sh"]\n'),
    (
        "above the first table",
        "# mine\n[rules]\nedit = 'refuse'\n",
        "harmless_hooks = [\"log.sh\"]\n# mine\n[rules]\nedit = 'refuse'\n",
    ),
    (
        "at the end of the list",
        'deny = ["a]"]\nharmless_hooks = ["x"] # those\n',
        'deny = ["a]"]\nharmless_hooks = ["x", "log.sh"] # those\n',
    ),
    (
        "a list in lines, with a comma and a comment after the last",
        'harmless_hooks = [\n  "[x]", # ]\n]\npolicy = "guide"\n',
        'harmless_hooks = [\n  "[x]", # ]\n"log.sh"]\npolicy = "guide"\n',
    ),
    ("an empty list", "harmless_hooks=[ ]", 'harmless_hooks=[ "log.sh"]'),
    (
        "a name in quotes",
        "'harmless_hooks' = ['x']\r\n",
        "'harmless_hooks' = ['x', \"log.sh\"]\r\n",
    ),
    (
        "a table of another's with the name",
        "[other]\nharmless_hooks = ['x']\n",
        "harmless_hooks = [\"log.sh\"]\n[other]\nharmless_hooks = ['x']\n",
    ),
]


@pytest.mark.parametrize(
    ("text", "wanted"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS]
)
def test_an_item_comes_into_a_list_and_all_else_stays(text, wanted):
    assert with_items(text, "harmless_hooks", ["log.sh"]) == wanted


def test_any_command_is_written_so_that_it_is_read_back():
    commands = ['sh -c "a \\\\ b"', "ü\t'x'", "a\nb", "\x7f"]
    text = with_items("", "harmless_hooks", commands)
    assert parsed(text) == {"harmless_hooks": commands}
