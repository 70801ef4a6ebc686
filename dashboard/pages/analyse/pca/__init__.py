"""PCA: private principal components of records at several sites, streamed while they are computed."""
