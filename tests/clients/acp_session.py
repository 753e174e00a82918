"""An editor's side of the Agent Client Protocol: open a session in the current folder,
send one prompt, allow what is asked, and print the calls that were asked about.

Run as `acp_session.py PROMPT AGENT...`, where AGENT is the agent's command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any


class Editor:
    """The editor, and the agent that it has started."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self._agent = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self._asked = 0
        self.boxes: list[Mapping[str, Any]] = []
        """The calls that the agent asked about, as an editor shows them."""

    def ask(self, method: str, **params: Any) -> Mapping[str, Any]:
        """Send a request; return its result, and answer what the agent asks till
        then.
        """
        self._asked += 1
        self._send(id=self._asked, method=method, params=params)
        assert self._agent.stdout
        for line in self._agent.stdout:
            message = json.loads(line)
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._asked:
                if "error" in message:
                    raise RuntimeError(line)
                return dict(message["result"])
        raise RuntimeError(f"the agent ended before it answered {method}")

    def close(self) -> None:
        self._agent.terminate()
        self._agent.wait()

    def _answer(self, message: Mapping[str, Any]) -> None:
        params = message.get("params", {})
        if message["method"] == "session/request_permission":
            self.boxes.append(params["toolCall"])
            choice = next(
                option["optionId"]
                for option in params["options"]
                if option["kind"] == "allow_once"
            )
            chosen = {"outcome": "selected", "optionId": choice}
            self._send(id=message["id"], result={"outcome": chosen})
        elif "id" in message:
            error = {"code": -32601, "message": "not offered"}
            self._send(id=message["id"], error=error)

    def _send(self, **message: Any) -> None:
        assert self._agent.stdin
        self._agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._agent.stdin.flush()


def main() -> None:
    prompt, *command = sys.argv[1:]
    editor = Editor(command)
    editor.ask("initialize", protocolVersion=1, clientCapabilities={})
    opened = editor.ask("session/new", cwd=os.getcwd(), mcpServers=[])
    text = {"type": "text", "text": prompt}
    editor.ask("session/prompt", sessionId=opened["sessionId"], prompt=[text])
    editor.close()
    json.dump(editor.boxes, sys.stdout)


if __name__ == "__main__":
    main()
