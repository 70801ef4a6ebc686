"""A node: it answers with an array of its own."""

import numpy as np
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

app = ClientApp()


@app.train()
def train(message: Message, context: Context) -> Message:
    """An array of as many numbers as came."""
    size = message.content["arrays"].to_numpy_ndarrays()[0].size
    own = np.full(size, float(context.node_config["number"]))
    content = {"arrays": ArrayRecord([own]), "metrics": MetricRecord({"num-examples": 100})}
    return Message(RecordDict(content), reply_to=message)
