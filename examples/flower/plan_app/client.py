"""A node: it hands letters to the desk's socket and its answers back."""

from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from plan_app import ask

app = ClientApp()


@app.query()
def answer(message: Message, context: Context) -> Message:
    """Ask the desk; without letters it says its join, or what it said last."""
    found = ask(str(context.node_config["socket"]), message.content["letters"]["data"])
    told = {"number": int(context.node_config["number"]), "data": [data for _, data in found["letters"]]}
    return Message(RecordDict({"letters": ConfigRecord(told)}), reply_to=message)
