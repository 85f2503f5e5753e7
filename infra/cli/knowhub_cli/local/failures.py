"""What can go wrong in the local host, apart by who has to do something about it.

CannotStart             the person at the keyboard: each message is one plain line
|-- TemplateError       template.yaml says something the host can't follow; names the place
|-- StateInUse          another host serves this state folder
|-- StateUnusable       no folder, or not to be written to
|-- StateCorrupt        state.json is not what a host writes
|-- StateSchema         an older or a newer knowhub wrote the state
`-- PortInUse
FunctionError           one invocation; the front answers for it, a poller retries
|-- FunctionFailed      the handler raised
|-- FunctionTimedOut    the worker was over its time and is gone
|-- WorkerLost          the worker died in mid-invocation
`-- FunctionBroken      no worker gets through its start
"""


class CannotStart(Exception):
    """The host can't start; the message is one line for the person who started it."""


class TemplateError(CannotStart):
    """The template holds something that the host does not understand; the message names the place."""


class StateInUse(CannotStart):
    """Another process serves this state folder."""


class StateUnusable(CannotStart):
    """The state folder is no folder, or can't be written to."""


class StateCorrupt(CannotStart):
    """The state folder's description can't be read."""


class StateSchema(CannotStart):
    """The state folder was written by an older or a newer version."""


class PortInUse(CannotStart):
    """The port can't be bound."""


class FunctionError(Exception):
    """An invocation came to nothing; the message is for the log, never for a client."""


class FunctionFailed(FunctionError):
    """The handler raised, or answered what the runtime API does not take."""


class FunctionTimedOut(FunctionError):
    """The function was over the time that the template gives it; its worker was killed."""


class WorkerLost(FunctionError):
    """The worker's process died before it had answered."""


class FunctionBroken(FunctionError):
    """No worker of the function gets through its initialisation."""
