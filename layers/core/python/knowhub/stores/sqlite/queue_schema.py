"""The tables of the embedded queues; all queues of one file share them.

A message is *in flight* while it has a receipt and `visible_at` lies ahead, *delayed* while it has none and
`visible_at` lies ahead, *visible* otherwise. `queue_groups` has a row for each group with messages; `served` is the
last turn it had. A message without a group belongs to the group `''`, which no sender can name.
"""

QUEUE_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS queue_messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        grp TEXT NOT NULL,
        message_id TEXT NOT NULL,
        body TEXT NOT NULL,
        sent_at REAL NOT NULL,
        visible_at REAL NOT NULL,
        receives INTEGER NOT NULL DEFAULT 0,
        receipt TEXT
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS queue_groups (
        queue TEXT NOT NULL,
        grp TEXT NOT NULL,
        served INTEGER NOT NULL,
        PRIMARY KEY (queue, grp)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS queue_seen (
        queue TEXT NOT NULL,
        deduplication_id TEXT NOT NULL,
        expires_at REAL NOT NULL,
        PRIMARY KEY (queue, deduplication_id)
    ) WITHOUT ROWID
    """,
    # One question each: whose turn, the next of a group, a group's order, its lock, the counts, the receipt, old ids.
    "CREATE INDEX IF NOT EXISTS queue_groups_turn ON queue_groups (queue, served, grp)",
    "CREATE INDEX IF NOT EXISTS queue_messages_next ON queue_messages (queue, grp, visible_at)",
    "CREATE INDEX IF NOT EXISTS queue_messages_order ON queue_messages (queue, grp)",
    """
    CREATE INDEX IF NOT EXISTS queue_messages_delivered ON queue_messages (queue, grp, visible_at)
    WHERE receipt IS NOT NULL
    """,
    "CREATE INDEX IF NOT EXISTS queue_messages_due ON queue_messages (queue, visible_at)",
    "CREATE UNIQUE INDEX IF NOT EXISTS queue_messages_receipt ON queue_messages (receipt) WHERE receipt IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS queue_seen_expiry ON queue_seen (queue, expires_at)",
)
