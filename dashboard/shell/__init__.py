"""What stands around a page: frame, navigation, heading, toolbar, actions, ledger drawer, lecture mode."""
