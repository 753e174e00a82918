"""What a user says of their own hooks, kept in their settings: calls are corrected past
those that only watch.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps

from truepath.config.settings import load as load_settings
from truepath.config.settings import parsed
from truepath.config.user_dirs import user_file
from truepath.hook.other_hooks import Seen
from truepath.install import InstallError
from truepath.install.checks import BESIDE, HARMLESS, HostSetup, has_decided
from truepath.install.disk import content_of, put


def undecided(here: HostSetup) -> Sequence[Seen]:
    """Return the hooks that a user may call harmless, each command once.

    They are those of their own settings: a project must not get its hooks called that.
    None if the host shows its hooks the corrected call, if the user has set what is
    done beside hooks, or if that cannot be read.
    """
    if here.host.hooks(here.environ, here.root).see_corrected:
        return ()
    settings = load_settings(here.root, here.environ)
    if settings.problems or has_decided(here.environ):
        return ()
    hooks = {
        hook.named: hook
        for hook in here.own
        if not hook.owner and hook.named and hook.named not in settings.harmless_hooks
    }
    return [*hooks.values()]


def keep_answers(
    here: HostSetup, watching: Sequence[Seen], *, some_change: bool
) -> str:
    """Write what the user has said into their settings; return the file, "" if there
    is nothing to write.

    Args:
        here: The host's setup.
        watching: The hooks that only watch.
        some_change: Whether another one changes calls. What is done then is the
            default; it is written down, so that nobody asks again.

    Raises:
        InstallError: The file cannot be changed.
    """
    path = user_file(here.environ)
    if not watching and not some_change:
        return ""
    text = (content_of(path) or b"").decode("utf-8-sig")
    if some_change:
        text = f'{BESIDE} = "refuse"\n{text}'
    if watching:
        text = with_items(text, HARMLESS, [hook.named for hook in watching])
    try:
        data = text.encode()
    except UnicodeEncodeError:
        text = "the command of a hook is no text that TOML can hold"
        raise InstallError(text) from None
    put(path, data, "cannot be written")
    return path


def with_items(text: str, name: str, items: Sequence[str]) -> str:
    """Return settings with more items in a list at their top; all else stays as it is
    spelled.

    Raises:
        InstallError: No place for them was found.
    """
    old = parsed(text)
    wanted = {**old, name: [*old.get(name, ()), *items]}
    # What JSON writes is TOML too, but for one sign.
    added = dumps([*items], ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
    # A list of its own at the top, or the end of each list that is there.
    candidates = [f"{name} = [{added}]\n{text}"]
    for end in (place for place, sign in enumerate(text) if sign == "]"):
        candidates.append(f"{text[:end]}, {added}{text[end:]}")
        candidates.append(f"{text[:end]}{added}{text[end:]}")
    for new in candidates:
        try:
            is_right = parsed(new) == wanted
        except ValueError:  # there is such a list, or this is no place in it
            continue
        if is_right:
            return new
    raise InstallError(f"`{name}` in your settings cannot be added to")
