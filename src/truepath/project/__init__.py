"""What is on disk and in git: names, secrets, work trees, history.

Entrance: `tree.Disk`. It answers questions about what exists and what existed; it knows no written
path, no evidence and no agent.
"""
