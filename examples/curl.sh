#!/usr/bin/env bash
# The graph with nothing but curl: a query, a post, a live result.
set -euo pipefail

url=${GRAPHQL_URL:-http://127.0.0.1:4000/graphql}
key=${SERVICE_API_KEY:-demo-key-harbour}

# Sends an operation. The key comes from a file, so that the machine's list of processes does not show it; an answer with a
# status of 400 or more is an error.
graphql() {
  curl -sS --fail-with-body "$url" -H 'content-type: application/json' \
    -H @<(printf 'x-api-key: %s' "$key") "$@" || exit 1
}

# The first id in an answer.
id_in() {
  [[ $1 =~ \"id\":\"([^\"]+)\" ]] && echo "${BASH_REMATCH[1]}"
}

echo '# A query'
accounts=$(graphql -d '{"query":"{ accounts(first: 2) { totalCount nodes { id displayName network } } }"}')
echo "$accounts"
account=$(id_in "$accounts")

# Because of its key there is one post, however often this runs; the second answer is the first one, marked as replayed. A
# program takes as the key what identifies the post in its own data.
echo '# A post'
graphql -d '{
  "query": "mutation ($input: CreatePostInput!) { createPost(input: $input) { outcome postIds replayed userErrors { code message path } } }",
  "variables": {
    "input": {
      "idempotencyKey": "curl-1",
      "accountIds": ["'"$account"'"],
      "timing": { "placement": "QUEUE" },
      "variants": [{ "variant": "ORIGINAL", "text": "Hello from curl" }]
    }
  }
}'

echo && echo '# A text that takes a while'
generated=$(graphql -d '{"query":"mutation { generateAiText(input: { prompt: \"A line about rain, slowly\", tone: \"warm\" }) { aiGeneration { id status } } }"}')
echo "$generated"
generation=$(id_in "$generated")

# With this header a subscription comes as server-sent events, and -N shows each as it arrives. The server ends the stream
# after the text, and curl ends with it.
echo '# Its events'
graphql -N -H 'accept: text/event-stream' -d '{
  "query": "subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }",
  "variables": { "id": "'"$generation"'" }
}'
