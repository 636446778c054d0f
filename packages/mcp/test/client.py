"""A client of the Model Context Protocol over streamable HTTP, written after the text of the protocol with httpx alone.

Reads the address of the endpoint, the headers and the calls as JSON from its standard input; writes what it was told as JSON.
"""

import itertools
import json
import sys

import httpx

VERSION = "2025-06-18"


class Client:
    def __init__(self, url, headers):
        self.http = httpx.Client(headers={**headers, "accept": "application/json, text/event-stream"}, timeout=50)
        self.url = url
        self.ids = itertools.count(1)

    def request(self, method, params):
        message_id = next(self.ids)
        answer = self.http.post(
            self.url, json={"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}
        )
        answer.raise_for_status()
        [message] = [one for one in messages_of(answer) if one.get("id") == message_id]
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def notify(self, method):
        answer = self.http.post(self.url, json={"jsonrpc": "2.0", "method": method})
        assert answer.status_code == 202 and answer.content == b"", answer.text

    def connect(self):
        about = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "python", "version": "0"}}
        begun = self.request("initialize", about)
        self.http.headers["mcp-protocol-version"] = begun["protocolVersion"]
        self.notify("notifications/initialized")
        return begun


def messages_of(answer):
    kind = answer.headers["content-type"].split(";")[0]
    if kind == "application/json":
        return [answer.json()]
    assert kind == "text/event-stream", kind
    events = answer.text.replace("\r\n", "\n").split("\n\n")
    data = [[line[5:].lstrip() for line in event.split("\n") if line.startswith("data:")] for event in events]
    return [json.loads("\n".join(lines)) for lines in data if lines and lines != [""]]


def main():
    told = json.load(sys.stdin)
    client = Client(told["url"], told["headers"])
    begun = client.connect()
    tools = client.request("tools/list", {})["tools"]
    answers = {
        tool["name"]: client.request(
            "tools/call", {"name": tool["name"], "arguments": told["inputs"].get(tool["name"], {})}
        )
        for tool in tools
    }
    json.dump({"version": begun["protocolVersion"], "tools": tools, "answers": answers}, sys.stdout)


main()
