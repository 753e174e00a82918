"""An index of a project's names in the user's cache: written behind, read without listing anew."""
