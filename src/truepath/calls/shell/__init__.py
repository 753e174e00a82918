"""Shell command lines: `command_line` reads one with all its rules, `fast` looks at a plain one.

This file imports nothing: the hook loads `fast` for every command, and should pay for no more.
"""
