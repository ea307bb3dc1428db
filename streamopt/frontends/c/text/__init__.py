"""From the text of a file to preprocessed C, with every token's place in the user's files kept."""
