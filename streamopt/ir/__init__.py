"""The values that stages hand to each other: frozen data, their arithmetic and their text."""
