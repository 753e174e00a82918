"""Words that an error text contains if it reports a missing path."""

from __future__ import annotations

MISSING_WORDS = (
    "no such", "exist", "not found", "not match", "enoent", "enotdir", "cannot find",
    "not a directory", "can't cd", "could not", "unable to", "unknown revision",
    "not contain", "is not a", "fileexception", "no files match", "error opening dir",
    "filenotfound", "destination=", "e902", "os error", "winerror", "not recognized",
    "nicht gefunden", "\u5b58\u5728\u3057\u306a\u3044",
)  # fmt: skip
"""In lower case: a line without any of these matches no pattern of `error_shapes.txt`.
"""
