import type { RunningGraph } from './graph.ts';

/** The secrets of a list that stand somewhere in the texts. */
export function leaksIn(texts: readonly string[], secrets: readonly string[]): string[] {
  return secrets.filter((secret) => texts.some((text) => text.includes(secret)));
}

/** Everything that no answer and no log may hold: what the sandbox planted, and every credential. */
export function secretsOf({ sandbox }: RunningGraph): string[] {
  const secrets = sandbox.secrets.all();
  if (secrets.length < 50) throw new Error('the sandbox planted too little to be worth a scan');
  return secrets;
}

/** Runs operations with both credentials over plain HTTP, and gives everything that came back: bodies and headers. */
export async function everythingAnswered(
  graph: RunningGraph,
  operations: readonly { readonly query: string; readonly variables?: object }[],
): Promise<string[]> {
  const texts: string[] = [];
  for (const operation of operations) {
    const answer = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...graph.caller.both },
      body: JSON.stringify(operation),
    });
    texts.push(await answer.text(), JSON.stringify([...answer.headers]));
  }
  return texts;
}
