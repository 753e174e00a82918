"""How programs read their arguments: data, one module for each family of programs."""
