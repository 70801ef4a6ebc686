"""The aggregator's side of the pipe: letters between Flower's grid and the socket of `cape-lab aggregate`."""

import json
import time
from pathlib import Path

from flwr.app import ConfigRecord, Context, Message, MessageType, RecordDict
from flwr.common.serde import recorddict_to_proto
from flwr.serverapp import Grid, ServerApp

from plan_app import ask

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Carry letters until the receipt is signed; with `close` a round ends without nodes that did not answer in time."""
    centre, close = str(context.run_config["centre"]), bool(context.run_config["close"])
    patience, begun = float(context.run_config["patience"]), time.time()
    numbers: dict[int, int] = {}
    took = {"rounds": 0, "bytes": 0, "done": False, "refused": []}
    outgoing: dict[int, list[bytes]] = {
        node: [] for node in nodes(grid, int(context.run_config["nodes"]), patience)
    }
    while outgoing and not took["done"]:
        came, took["rounds"] = [], took["rounds"] + 1
        contents = {
            node: RecordDict({"letters": ConfigRecord({"data": data})}) for node, data in outgoing.items()
        }
        messages = [Message(content, node, MessageType.QUERY) for node, content in contents.items()]
        for reply in grid.send_and_receive(messages, timeout=patience):
            if not reply.has_error():
                numbers[int(reply.content["letters"]["number"])] = reply.metadata.src_node_id
                came += reply.content["letters"]["data"]
                took["bytes"] += size(reply.content)
        took["bytes"] += sum(map(size, contents.values()))
        found = ask(centre, came)
        took["refused"] += found["refused"]
        if close and not found["letters"] and not found["done"]:
            found = ask(centre, close=True)
            took["refused"] += found["refused"]
        took["done"], outgoing = found["done"], {}
        for number, data in found["letters"]:
            if number in numbers:
                outgoing.setdefault(numbers[number], []).append(data)
    Path(centre).with_suffix(".took").write_text(json.dumps(took | {"seconds": time.time() - begun}))


def nodes(grid: Grid, count: int, patience: float) -> list[int]:
    """The nodes, as soon as so many are there; those that are there when the time is over."""
    end = time.time() + patience
    while len(found := list(grid.get_node_ids())) < count and time.time() < end:
        time.sleep(0.2)
    return found


def size(content: RecordDict) -> int:
    """Bytes of what a message contains, as Flower encodes it."""
    return recorddict_to_proto(content).ByteSize()
