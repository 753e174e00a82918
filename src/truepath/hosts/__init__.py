"""The agent programs with hooks, one module each, imported on demand."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from truepath.hosts.host import Host

HOSTS = {
    "claude-code": "truepath.hosts.claude_code",
    "cline": "truepath.hosts.cline",
    "codex": "truepath.hosts.codex",
    "copilot": "truepath.hosts.copilot_cli",
    "crush": "truepath.hosts.crush",
    "cursor": "truepath.hosts.cursor",
    "gemini": "truepath.hosts.gemini_cli",
    "kimi": "truepath.hosts.kimi_code",
    "opencode": "truepath.hosts.opencode",
    "pi": "truepath.hosts.pi",
    "qwen": "truepath.hosts.qwen_code",
    "vscode": "truepath.hosts.vscode",
}
"""Name on the command line -> module; its `host` is a `host.Host`."""


def find(name: str) -> Host:
    """Return the host called `name`; raise LookupError if there is none."""
    if name not in HOSTS:
        raise LookupError(f"no host is called {name!r}; name one of {', '.join(HOSTS)}")
    # What `import_module` does, without the 0.5 ms that importing `importlib` takes.
    host: Host = __import__(HOSTS[name], fromlist=("host",)).host
    return host
