"""Publishes one post, once, and follows a text to its end, with httpx and websockets.

    python3 examples/python/publish.py "Doors at seven." order-7 "A line about rain, slowly"

The second argument is the key: a name of your own for this very post, such as its id in your own database.
"""

import asyncio
import json
import os
import sys
import time
import uuid

import httpx
import websockets

URL = os.environ.get("GRAPHQL_URL", "http://127.0.0.1:4000/graphql")
HEADERS = {"x-api-key": os.environ.get("SERVICE_API_KEY", "demo-key-harbour")}
# The pauses between attempts are 0.5, 1, 2, ... seconds, 31 together: longer than the server works on one write.
ATTEMPTS = 7

# The server works on a write for up to 25 seconds: wait longer than that for the response.
client = httpx.Client(headers=HEADERS, timeout=40)

FIRST_ACCOUNT = "query FirstAccount { accounts(first: 1) { totalCount nodes { id displayName } } }"

CREATE_POST = """
mutation CreatePost($input: CreatePostInput!) {
  createPost(input: $input) { outcome postIds replayed userErrors { code message path retryable } }
}
"""

LAST_QUEUED = "query LastQueued { queuedPosts(last: 20) { nodes { postId text } } }"

GENERATE_TEXT = """
mutation GenerateText($input: GenerateAiTextInput!) {
  generateAiText(input: $input) { aiGeneration { id } userErrors { code message } }
}
"""

TEXT_UPDATED = "subscription TextUpdated($id: ID!) { aiGenerationUpdated(id: $id) { status text } }"


class GraphError(Exception):
    """The errors of a response or of a payload."""

    def __init__(self, errors):
        super().__init__("\n".join(f"{error['message']} ({code_of(error)})" for error in errors))
        self.retryable = any(error.get("extensions", {}).get("retryable") for error in errors)


def code_of(error):
    return error.get("code") or error.get("extensions", {}).get("code")


def run(query, variables=None):
    """Runs a query or a mutation; raises its errors."""
    response = client.post(URL, json={"query": query, "variables": variables or {}})
    if "json" not in response.headers.get("content-type", ""):
        response.raise_for_status()
    answer = response.json()
    if "errors" in answer:
        raise GraphError(answer["errors"])
    return answer["data"]


def create_post(variables):
    """Sends the same call with the same key until another attempt would not change the result."""
    for attempt in range(1, ATTEMPTS + 1):
        last = attempt == ATTEMPTS
        try:
            result = run(CREATE_POST, variables)["createPost"]
            if last or not any(error["retryable"] for error in result["userErrors"]):
                return result
        except GraphError as error:
            if last or not error.retryable:
                raise
        except httpx.HTTPStatusError as error:
            if last or error.response.status_code < 500:
                raise
        except httpx.TransportError:
            # The response is lost. The post may exist, but because of the key the call can be repeated.
            if last:
                raise
        print(f"Attempt {attempt} failed; the same call is sent again, with the same key.", file=sys.stderr)
        time.sleep(0.25 * 2**attempt)


async def follow(generation_id):
    """Yields the generation as it stands, then with its text; a lost connection is made again."""
    url = "ws" + URL[len("http") :]
    for attempt in range(ATTEMPTS):
        try:
            async with websockets.connect(url, subprotocols=["graphql-transport-ws"]) as socket:
                await socket.send(json.dumps({"type": "connection_init", "payload": HEADERS}))
                async for text in socket:
                    message = json.loads(text)
                    if message["type"] == "connection_ack":
                        payload = {"query": TEXT_UPDATED, "variables": {"id": generation_id}}
                        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
                    elif message["type"] == "ping":
                        await socket.send(json.dumps({"type": "pong"}))
                    elif message["type"] == "next":
                        if "errors" in message["payload"]:
                            raise GraphError(message["payload"]["errors"])
                        yield message["payload"]["data"]["aiGenerationUpdated"]
                    elif message["type"] == "error":
                        raise GraphError(message["payload"])
                    elif message["type"] == "complete":
                        return
        except (OSError, websockets.ConnectionClosed):
            if attempt == ATTEMPTS - 1:
                raise
        await asyncio.sleep(0.5 * 2**attempt)


async def generate_and_follow(prompt):
    payload = run(GENERATE_TEXT, {"input": {"prompt": prompt, "tone": "warm", "idempotencyKey": str(uuid.uuid4())}})
    generation = payload["generateAiText"]["aiGeneration"]
    if generation is None:
        raise GraphError(payload["generateAiText"]["userErrors"])
    async for state in follow(generation["id"]):
        print(json.dumps(state))


def main(text="Hello from Python", key=None, prompt="A line about rain, slowly"):
    accounts = run(FIRST_ACCOUNT)["accounts"]
    print(f"{accounts['totalCount']} accounts; the first is {accounts['nodes'][0]['displayName']}.")
    post = {
        "idempotencyKey": key or str(uuid.uuid4()),
        "accountIds": [accounts["nodes"][0]["id"]],
        "timing": {"placement": "QUEUE"},
        "variants": [{"variant": "ORIGINAL", "text": text}],
    }
    result = create_post({"input": post})
    print(json.dumps(result))

    # UNKNOWN: the service had the call and did not confirm it. The same call with the same key looks again and never
    # sends; another key could make a second post. So look first.
    if result["outcome"] == "UNKNOWN":
        queue = run(LAST_QUEUED)["queuedPosts"]["nodes"]
        found = next((queued for queued in queue if queued and queued["text"] == text), None)
        print(f"It waits in the queue as {found['postId']}." if found else "The end of the queue does not show it.")
    if result["outcome"] != "COMPLETED":
        return 1

    asyncio.run(generate_and_follow(prompt))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (GraphError, httpx.HTTPError, OSError, websockets.WebSocketException) as failure:
        sys.exit(str(failure))
