"""Topics: private spectral LDA on documents that stay at several sites."""
