"""The aggregator: it passes messages between Flower's grid and `core.parties.Aggregator`, and writes what is released."""

import json
import logging
import os
import time
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MessageType, MetricRecord, RecordDict
from flwr.common.serde import recorddict_to_proto
from flwr.serverapp import Grid, ServerApp

from core.parties import Aggregator, Plan, Refused, TooFewSites
from core.parties.messages.letter import read

app = ServerApp()
log = logging.getLogger(__name__)


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Carry out every plan of the folder, one after another."""
    folder = Path(str(context.run_config.get("folder") or os.environ["CAPE_FOLDER"]))
    patience = float(context.run_config.get("patience", 60.0))
    for path in sorted(folder.glob("plan*.json")):
        try:
            carry_out(grid, path, patience)
        except (ValueError, TooFewSites) as error:
            log.error("%s: %s", path.name, error)


def carry_out(grid: Grid, path: Path, patience: float) -> None:
    """Carry out one plan and write what is released, and what it took, beside it."""
    plan = Plan.read(path.read_bytes())
    if plan.needs_trusted:
        raise ValueError("zero_sum must be 'secure' in Flower, where all messages pass the server")
    begun, post = time.time(), Post(grid, path.name, patience)
    aggregator = Aggregator(plan)
    nodes, address = waited(grid, len(plan.sites), patience), {}
    outgoing: dict[int, list[bytes]] = {node: [] for node in nodes}
    while outgoing:
        came = post.round(outgoing)
        sent: list[bytes] = []
        for node, data in came:
            try:
                address[read(data).sender] = node
                sent += aggregator.receive(data)
            except Refused as error:
                log.warning("refused a message of node %s: %s", node, error)
        if not sent and aggregator.result is None:
            sent += aggregator.close()  # The others have had their time.
        outgoing = {}
        for data in sent:
            outgoing.setdefault(address[read(data).receiver], []).append(data)
    released = aggregator.result
    np.savez(path.with_suffix(".npz"), value=released.value, std=released.std, sites=released.sites)
    took = {"seconds": time.time() - begun, "rounds": post.rounds, "bytes": post.bytes}
    took["bytes of FedAvg"] = len(plan.sites) * sum(map(size, fedavg(plan.statistic.shape)))
    path.with_suffix(".took").write_text(json.dumps(took))


class Post:
    """Messages through Flower's grid, and what they took."""

    def __init__(self, grid: Grid, plan: str, patience: float):
        self.grid, self.plan, self.patience = grid, plan, patience
        self.rounds = self.bytes = 0

    def round(self, outgoing: dict[int, list[bytes]]) -> list[tuple[int, bytes]]:
        """Send every node its messages, and return those that come back in time."""
        contents = {
            node: RecordDict({"letters": ConfigRecord({"plan": self.plan, "data": data})})
            for node, data in outgoing.items()
        }
        messages = [Message(content, node, MessageType.QUERY) for node, content in contents.items()]
        self.rounds += 1
        self.bytes += sum(map(size, contents.values()))
        came = []
        for reply in self.grid.send_and_receive(messages, timeout=self.patience):
            if reply.has_error():
                log.warning("node %s: %s", reply.metadata.src_node_id, reply.error.reason)
                continue
            self.bytes += size(reply.content)
            came += [(reply.metadata.src_node_id, data) for data in reply.content["letters"]["data"]]
        return came


def fedavg(shape: tuple[int, ...]) -> tuple[RecordDict, RecordDict]:
    """What `flwr.serverapp.strategy.FedAvg` and a client send each other in one round, for an array of this shape."""
    arrays = ArrayRecord([np.zeros(shape)])
    asked = RecordDict({"arrays": arrays, "config": ConfigRecord({"server-round": 1})})
    return asked, RecordDict({"arrays": arrays, "metrics": MetricRecord({"num-examples": 1})})


def size(content: RecordDict) -> int:
    """Bytes of what a message contains, as Flower encodes it."""
    return recorddict_to_proto(content).ByteSize()


def waited(grid: Grid, count: int, patience: float) -> list[int]:
    """The nodes, as soon as so many are there; those that are there when the time is over."""
    end = time.time() + patience
    while len(nodes := list(grid.get_node_ids())) < count and time.time() < end:
        time.sleep(0.2)
    return nodes
