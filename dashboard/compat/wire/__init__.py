"""What makes the app's answers light, and keeps them in order: scripts listed once, packed files, one queue."""
