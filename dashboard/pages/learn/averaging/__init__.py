"""Averaging: the protocol that everything else rests on, one draw and the law of many."""
