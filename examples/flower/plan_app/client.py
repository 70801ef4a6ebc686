"""A site: what comes from the server is given to `core.parties.Site`, and what that answers is sent back.

Between two messages the site's state is kept in the node's own context. The server never sees it.
"""

import os
from pathlib import Path

import records
from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from core.parties import Plan, Site

app = ClientApp()


@app.query()
def answer(message: Message, context: Context) -> Message:
    """Take the aggregator's messages, or join if there are none."""
    asked = message.content["letters"]
    folder = Path(str(context.node_config.get("folder", os.environ.get("CAPE_FOLDER", "."))))
    # Every site has its own copy of the plan: a server with another one is refused.
    plan = Plan.read((folder / str(asked["plan"])).read_bytes())
    kept = context.state.get(plan.id)
    site = new_site(plan, folder, context) if kept is None else Site.restore(plan, kept["state"])
    out = list(site.join()) if site.phase == "new" else []
    for data in asked["data"]:
        out += site.receive(data)
    context.state[plan.id] = ConfigRecord({"state": site.state()})
    return Message(RecordDict({"letters": ConfigRecord({"data": out})}), reply_to=message)


def new_site(plan: Plan, folder: Path, context: Context) -> Site:
    """The site of this node, with the records of its own file; an error goes to the server and quotes no record."""
    number = int(context.node_config["partition-id"])
    consent = (str(context.node_config.get("consent", "")),)
    return records.site(plan, number, folder / f"site-{number}.csv", consent)
