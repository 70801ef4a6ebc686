"""The parts of the screen around a page: frame, navigation, layout, toolbar, actions, ledger drawer, lecture mode."""
