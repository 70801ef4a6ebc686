"""Problems as the app sets them up: records, `core`'s problem, and all settings of a point; pages share them."""
