"""Decide `before` and `after` a tool call: rulers, tables, and every text that an agent
reads.

    a call -> Reading: its paths (calls), a resolution each (resolve), what is known
           -> Ruling: action, paths, new arguments; the first ruler that speaks
           -> Decision: text and payload, from one table
           -> what the session counts and the journal records

Entrance: `guard.Guard`. `reading` has the values that go down this line, `guard.BEFORE`
and `after.AFTER` are the rulers, `wording` words, `bookkeeping` writes. The room must
not know hosts or frameworks.
"""
