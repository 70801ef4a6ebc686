"""Records by name, dealt to sites: tables, labelled records, documents."""
