"""Decide `before` and `after` a tool call: policy, effects, and every text that an
agent reads.

    a call -> Mentions (calls) -> a Resolution each (resolve) -> a Finding each (rule,
           action) -> a Verdict for the call -> Decision: text, payload, arguments ->
           what the session counts and the journal records

Entrance: `guard.Guard`. `policy` decides, `messages` has the texts, `bookkeeping`
updates session and journal. The room must not know hosts or frameworks.
"""
