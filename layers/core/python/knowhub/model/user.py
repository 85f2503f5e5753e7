"""A user."""

from dataclasses import dataclass

from knowhub.model.principal import UserRole


@dataclass(frozen=True, slots=True)
class User:
    """A person who can sign in; `password_hash` is empty where none is kept.

    `version` counts the changes of the user, `epoch` those that end every session. A user of an OpenID issuer has its
    `issuer` and `subject`, and takes the role from there.
    """

    user_id: str
    username: str
    role: UserRole
    password_hash: str
    created_at: str
    disabled: bool = False
    version: int = 1
    epoch: int = 1
    issuer: str = ""
    subject: str = ""

    @property
    def administers(self) -> bool:
        """Tell whether the hub can count on this user as an admin: one that an issuer names may be gone tomorrow."""
        return self.role == "admin" and not self.disabled and not self.issuer
