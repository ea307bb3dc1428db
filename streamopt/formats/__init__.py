"""Files of our own: graph.json and its weights, schedules and steps; each is read and written."""
