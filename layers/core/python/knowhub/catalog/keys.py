"""The key grammar: every partition and sort key that the catalog writes, in one place.

`docs/data-model.md` shows it as a table. Numbers in sort keys are zero-padded so that bytes sort as numbers do.
"""

import unicodedata
from hashlib import sha256

from knowhub.ports.table import Key

COUNT_SHARDS = 16
VECTOR_SHARDS = 16
AUDIT_SHARDS = 16
WORK_SHARDS = 4


MAX_ID = 64
"""Characters of the longest id that is ours; a longer one is nobody's."""


def user(user_id: str) -> Key:
    """Name a user's row."""
    return Key(f"USER#{user_id}", "USER")


def username(name: str) -> Key:
    """Name the row that keeps a username unique, however it is typed (`same_name`)."""
    return Key(f"USERNAME#{same_name(name)}", "USERNAME")


def same_name(name: str) -> str:
    """Give what two spellings of a username share: neither case nor how accents are composed tells them apart."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def directory_entry(created_at: str, user_id: str) -> Key:
    """Name a user's place in the list of all users, by time."""
    return Key(DIRECTORY, f"{created_at}#{user_id}")


DIRECTORY = "USERS"


def administrator(user_id: str) -> Key:
    """Name a user's place in the list of those who keep the hub administered."""
    return Key(ADMINISTRATORS, user_id)


ADMINISTRATORS = "ADMINS"


def first_admin() -> Key:
    """Name the row that says that the first admin was made."""
    return Key("HUB", "FIRSTADMIN")


def issued_user(issuer: str, subject: str) -> Key:
    """Name the row that leads from an issuer's subject to the user."""
    return Key(f"ISSUED#{sha256(f'{issuer} {subject}'.encode()).hexdigest()}", "USER")


def sign_in(digest: str) -> Key:
    """Name a session's row by the hash of its token."""
    return Key(f"SIGNIN#{digest}", "SIGNIN")


def tries(bucket: str, window: int) -> Key:
    """Name the count of tries of one bucket in one stretch of time."""
    return Key(f"TRIES#{bucket}", f"{window:012d}")


def known_place(user: str, place: str) -> Key:
    """Name the row that says that somebody signed in from a place."""
    return Key(f"PLACE#{user}", place)


def api_key(digest: str) -> Key:
    """Name an API key's row by the hash of its secret."""
    return Key(f"KEY#{digest}", "KEY")


def user_api_key(user_id: str, key_id: str) -> Key:
    """Name the row that leads from a key's public id to its hash."""
    return Key(f"USER#{user_id}", f"{API_KEY_PREFIX}{key_id}")


API_KEY_PREFIX = "APIKEY#"


def membership(user_id: str, kb_id: int) -> Key:
    """Name a user's membership of a KB."""
    return Key(f"USER#{user_id}", f"MEMBER#{kb_id:012d}")


MEMBERSHIP_PREFIX = "MEMBER#"


def knowledge_base(kb_id: int) -> Key:
    """Name a KB's row."""
    return Key(f"KB#{kb_id}", "KB")


def knowledge_base_name(owner_id: str, name: str) -> Key:
    """Name the row that keeps a KB's name unique among its owner's, without regard to case."""
    return Key(f"USER#{owner_id}", f"KBNAME#{name.casefold()}")


def shared_knowledge_base(kb_id: int) -> Key:
    """Name a KB's place in the list of those that every signed-in user reads."""
    return Key("SHARED", f"KB#{kb_id:012d}")


def knowledge_base_counter() -> Key:
    """Name the counter from which `kb_id`s come."""
    return Key("COUNTER", "KB")


def counts(kb_id: int, shard: int) -> Key:
    """Name one shard of a KB's counters."""
    return Key(f"KB#{kb_id}", f"COUNTS#{shard:02d}")


COUNTS_PREFIX = "COUNTS#"


def document(doc_id: str) -> Key:
    """Name a document's head row."""
    return Key(f"DOC#{doc_id}", "HEAD")


def document_detail(doc_id: str, revision: int) -> Key:
    """Name the detail row of one revision."""
    return Key(f"DOC#{doc_id}", f"DETAIL#{revision:010d}")


DETAIL_PREFIX = "DETAIL#"


def attached(parent: str, doc_id: str) -> Key:
    """Name the row that ties an attachment to its mail."""
    return Key(f"DOC#{parent}", f"ATTACHED#{doc_id}")


ATTACHED_PREFIX = "ATTACHED#"


def job(job_id: str) -> Key:
    """Name a job's row."""
    return Key(f"JOB#{job_id}", "JOB")


def upload(upload_id: str) -> Key:
    """Name the row of a file that a client is about to upload."""
    return Key(f"UPLOAD#{upload_id}", "UPLOAD")


def source(kb_id: int, name: str) -> Key:
    """Name the row of a KB's source."""
    return Key(f"KB#{kb_id}", f"SOURCE#{name}")


SOURCE_PREFIX = "SOURCE#"


def source_items(kb_id: int, collection: str) -> str:
    """Name the partition of what an import listed: a source's by its name, a one-off import's by its job."""
    return f"ITEMS#{kb_id}#{collection}"


def import_run(job_id: str) -> Key:
    """Name the row that an import goes on from."""
    return Key(f"JOB#{job_id}", "RUN")


def audit_event(day: str, shard: int, at: str, event_id: str) -> Key:
    """Name an audit event by its day, shard and time."""
    return Key(f"AUDIT#{day}#{shard:02d}", f"{at}#{event_id}")


def document_list(kb_id: int, shard: int) -> str:
    """Name the `list` index partition of a KB's documents by time."""
    return f"KB#{kb_id}#{shard}"


def document_state(kb_id: int, status: str, shard: int) -> str:
    """Name the `state` index partition of a KB's documents in one status."""
    return f"KB#{kb_id}#{status}#{shard}"


def work(shard: int) -> str:
    """Name the `due` index partition of rows that wait for background work."""
    return f"WORK#{shard}"


def principal_jobs(user_id: str) -> str:
    """Name the `list` index partition of a user's jobs."""
    return f"JOBS#{user_id}"


def vectors(kb_id: int, shard: int) -> str:
    """Name one of the partitions of a KB's embeddings that are kept."""
    return f"VECTORS#{kb_id}#{shard:02d}"


def reindex() -> Key:
    """Name the row of the rebuild of the chunk index that is going on."""
    return Key("HUB", "REINDEX")


def facets(kb_id: int) -> str:
    """Name the partition of a KB's metadata keys."""
    return f"FACETS#{kb_id}"


def facet_values(kb_id: int, key: str) -> str:
    """Name the partition of one metadata key's values."""
    return f"FACETS#{kb_id}#{key}"


def members(kb_id: int) -> str:
    """Name the `list` index partition of a KB's members."""
    return f"MEMBERS#{kb_id}"


def repeated(digest: str) -> Key:
    """Name the row of a request that may be sent again, by the hash of who sends it, where, and under which key."""
    return Key(f"REPEAT#{digest}", "REPEAT")


def session(owner: str, session_id: str) -> Key:
    """Name a conversation's row; its owner is part of the key, so that nobody else's can be found."""
    return Key(sessions(owner), session_id)


def sessions(owner: str) -> str:
    """Name the partition of somebody's conversations."""
    return f"SESSIONS#{owner}"


def turn(owner: str, session_id: str, number: int) -> Key:
    """Name a turn of a conversation."""
    return Key(turns(owner, session_id), f"{number:010d}")


def turns(owner: str, session_id: str) -> str:
    """Name the partition of a conversation's turns."""
    return f"TURNS#{owner}#{session_id}"
