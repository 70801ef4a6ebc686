"""The page Every month: noise over sites and over time."""
