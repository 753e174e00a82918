"""What runs when an agent program calls a hook: a thin client, then the engine."""
