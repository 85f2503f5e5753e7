"""How good the search is: a collection with judged queries, the hub's own kernel over it, and what came of it."""
