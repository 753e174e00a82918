"""mini-swe-agent: a command with a file that was renamed. `pip install
'.[mini-swe-agent]'`.
"""

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output
from project import make_project

import truepath
from truepath.adapters.mini_swe_agent import GuardedEnvironment

root = make_project()
commands = ("cat specs/status.md", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
agent = DefaultAgent(
    DeterministicModel(
        outputs=[make_output("", [{"command": each}]) for each in commands]
    ),
    GuardedEnvironment(LocalEnvironment(cwd=root), truepath.Guard(root)),
    system_template="You are a reader.",
    instance_template="{{task}}",
)
agent.run("How are we doing?")
print(next(each["content"] for each in agent.messages if "OK: " in each["content"]))
