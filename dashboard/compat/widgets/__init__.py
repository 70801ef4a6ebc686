"""What the libraries' widgets and models need to serve many sessions and to answer in words."""
