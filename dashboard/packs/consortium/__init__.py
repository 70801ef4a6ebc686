"""What a consortium asks before its first release: Plan, Sites, Limits."""
