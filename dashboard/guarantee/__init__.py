"""What a release promises: the guarantee of a page, its observers, and the costs that the ledger enters."""
