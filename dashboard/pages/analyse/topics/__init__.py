"""Topics: what private spectral LDA still reads in documents that stay at several sites."""
