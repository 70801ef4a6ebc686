"""Where the app holds against the libraries that it is built on; README.md says what, why and until when."""
