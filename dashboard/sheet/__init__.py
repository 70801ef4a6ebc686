"""Pages that are pure views: a frozen record says what a page is, one function what it shows, one class shows it."""
