"""Components: private tensor decomposition of mixtures, streamed while it is computed."""
