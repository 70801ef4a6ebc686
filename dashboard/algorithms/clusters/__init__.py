"""Centres of clusters, and topics of documents of one topic each, on *Compare*."""
