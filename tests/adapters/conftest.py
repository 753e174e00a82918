from frameworks import absent

collect_ignore = [f"test_{name}.py" for name in absent()]
