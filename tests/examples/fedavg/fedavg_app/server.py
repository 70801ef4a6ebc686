"""The server: FedAvg for one round, with the bytes of its messages and the seconds that it took."""

import json
import time
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, Context
from flwr.common.serde import recorddict_to_proto
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

app = ServerApp()


class Counted(FedAvg):
    """FedAvg that adds up the bytes of what its messages contain, both ways."""

    bytes = 0

    def configure_train(self, *given):
        """Messages to the nodes."""
        return list(map(self._count, super().configure_train(*given)))

    def aggregate_train(self, server_round, replies):
        """Answers of the nodes."""
        return super().aggregate_train(server_round, list(map(self._count, replies)))

    def _count(self, message):
        self.bytes += recorddict_to_proto(message.content).ByteSize()
        return message


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Average once; the average is that of the nodes' numbers."""
    begun, nodes = time.time(), int(context.run_config["nodes"])
    strategy = Counted(fraction_evaluate=0.0, min_train_nodes=nodes, min_available_nodes=nodes)
    start = ArrayRecord([np.zeros(int(context.run_config["entries"]))])
    (found,) = strategy.start(grid, start, num_rounds=1).arrays.to_numpy_ndarrays()
    took = {"bytes": strategy.bytes, "seconds": time.time() - begun, "average": float(found[0])}
    Path(str(context.run_config["centre"])).with_suffix(".took").write_text(json.dumps(took))
