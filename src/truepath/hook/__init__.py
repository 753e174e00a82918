"""What runs when an agent program calls a hook: a thin client, and the engine behind it."""
