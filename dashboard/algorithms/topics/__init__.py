"""Topics in the documents of several sites."""
