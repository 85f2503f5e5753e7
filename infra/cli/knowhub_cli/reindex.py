"""`knowhub reindex`: build the search index anew from the stored documents."""

import time

import click

from knowhub_cli.client import Hub
from knowhub_cli.failures import Failed
from knowhub_cli.jobs import Patience, wait_for
from knowhub_cli.output import Output
from knowhub_cli.session import with_hub


@click.command()
@click.option("--no-wait", is_flag=True, help="Do not wait for the end.")
@click.option("--timeout", type=click.IntRange(1), default=86_400, show_default=True, help="Seconds to wait.")
@with_hub
def reindex(hub: Hub, output: Output, *, no_wait: bool, timeout: int) -> None:
    """Build the index anew, after a change of the embedder or where the index is damaged or gone.

    Searches go on in the old index until the new one is whole. It needs an administrator's key.
    """
    job_id = str(hub.post("/admin/reindex", {})["job_id"])
    if no_wait:
        output.json({"job_id": job_id}) if output.as_json else output.text(f"begun: {job_id}")
        return
    (job,) = wait_for(hub, [job_id], Patience(timeout, time.sleep, time.monotonic))
    if output.as_json:
        output.json(job)
    else:
        output.text(f"{job['state']}: {job['done']} documents written, {job['failed']} could not be")
        for loss in job["losses"]:
            output.note(f"{loss['code']} {loss['where']}: {loss['detail']}")
    if job["state"] != "completed" or job["failed"]:
        raise Failed("The index is not whole.")
