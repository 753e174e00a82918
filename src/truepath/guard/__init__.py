"""The two doors, `before` and `after` a tool call: policy, effects, and every word an agent reads.

    a call -> Mentions (calls) -> a Resolution each (resolve) -> a Finding each (rule, action)
           -> a Verdict for the call -> Decision: text, payload, arguments
           -> what the session counts and the journal keeps

Entrance: `guard.Guard`. `policy` decides and has no words; `messages` has the words and decides
nothing; `follow` tells session and journal. It knows no host and no framework.
"""
