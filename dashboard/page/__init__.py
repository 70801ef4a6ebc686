"""What a page is, and the kinds of pages: streamed, swept, with an own table."""
