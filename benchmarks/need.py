"""What the scripts that fit and count need beyond truepath; imported before it is used."""

from __future__ import annotations

from importlib.util import find_spec

_MISSING = [name for name in ("numpy", "scipy") if find_spec(name) is None]
if _MISSING:
    raise SystemExit(
        f"{' and '.join(_MISSING)} not installed: run `make bench-tools`, and this with "
        "`.venv/bin/python`"
    )
