"""The app's problems, which pages share: records, a problem of `core`, and all settings of a point."""
