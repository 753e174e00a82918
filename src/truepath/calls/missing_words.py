"""Words that an error text contains if it reports a missing path: those of programs in
English, and those of the C library and of Git in other languages.
"""

from __future__ import annotations

_IN_ENGLISH = (
    "no such", "exist", "not found", "not match", "enoent", "enotdir", "cannot find",
    "not a directory", "can't cd", "could not", "unable to", "unknown revision",
    "not contain", "is not a", "fileexception", "no files match", "error opening dir",
    "filenotfound", "destination=", "os error", "winerror", "not recognized",
    "can't open", "cannot open", "cannot read", "couldn't", "no match", "no test files",
    "no rule to make", "msb1009", "find file to patch",
)  # fmt: skip

GONE = {
    "de": ("Datei oder Verzeichnis nicht gefunden", "Ist kein Verzeichnis"),
    "es": (
        "No existe el fichero o el directorio",
        "No existe el archivo o el directorio",
        "No es un directorio",
    ),
    "fr": (
        "Aucun fichier ou dossier de ce type",
        "Aucun fichier ou dossier de ce nom",
        "Aucun fichier ou répertoire de ce type",
        "N'est pas un dossier",
        "N'est pas un répertoire",
    ),
    "it": ("File o directory non esistente", "Non è una directory"),
    "ja": (
        "そのようなファイルやディレクトリはありません",
        "ディレクトリではありません",
    ),
    "ko": (
        "그런 파일이나 디렉터리가 없습니다",
        "그런 파일이나 디렉토리가 없습니다",
        "디렉터리가 아닙니다",
        "디렉토리가 아닙니다",
    ),
    "pt": (
        "Arquivo ou diretório inexistente",
        "Ficheiro ou pasta inexistente",
        "Ficheiro ou directoria inexistente",
        "Não é um diretório",
        "Não é pasta",
    ),
    "ru": ("Нет такого файла или каталога", "Это не каталог"),
    "zh": (
        "没有那个文件或目录",
        "不是目录",
        "沒有此一檔案或目錄",
        "並不是一個目錄",
    ),
}
"""Language -> glibc's words for ENOENT and ENOTDIR, at the end of a line (glibc 2.36,
and some words of earlier versions).
"""

GIT = {
    "de": ("stimmt mit keinen", "mehrdeutiges Argument", "ungültige Quelle"),
    "es": ("no concordó con ningún archivo", "argumento ambiguo", "mala fuente"),
    "fr": ("ne correspond à aucun fichier", "révision inconnue ou", "mauvaise source"),
    "it": ("non corrisponde ad alcun file", "ambiguo: revisione", "rgente errata"),
    "ko": ("어떤 파일과도 일치하지", "애매한 인자", "잘못된 원본"),
    "pt": ("correspondeu a ficheiro", "argumento ambíguo", "origem incorreta"),
    "ru": ("не соответствует ни одному", "неоднозначный аргумент", "плохой источник"),
    "zh": (
        "未匹配任何",
        "有歧义的参数",
        "坏的源",
        "错误的源",
        "未符合任何",
        "有歧義的參數",
        "來源損壞",
    ),
}
"""Language -> Git's words for a path that matches nothing, is neither a revision nor a
path, or is a bad source of a move (Git 2.39).
"""


def _beginnings_aside(table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    # Of an event, only ASCII letters are made small. Most texts begin with a capital.
    return tuple(text[1:].lower() for texts in table.values() for text in texts)


MISSING_WORDS = (*_IN_ENGLISH, *_beginnings_aside(GONE), *_beginnings_aside(GIT))
"""In lower case: a line without any of these reports no missing path."""
