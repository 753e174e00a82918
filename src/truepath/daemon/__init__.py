"""The warm process: an interpreter with the engine loaded, which forks to answer one hook event."""
