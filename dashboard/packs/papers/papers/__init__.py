"""Papers: every figure of the four papers, as published and corrected, beside the printed points."""
