"""The two doors, `before` and `after` a tool call: policy, effects, and every word an agent reads.

Entrance: `guard.Guard`. It knows no host and no framework.
"""
