import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { RunningGraph } from './graph.ts';
import { send } from './http.ts';

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

/** How the sandbox's planted secrets look: one look at a text finds them all. */
const PLANTED = /planted-[\w-]+?-\d+-[0-9a-f]{16,}/g;

/** Watches what a server lets out: nothing of it may hold a secret. Nothing fails before `look`. */
export function watchForLeaks(running: () => { readonly url: string; readonly sandbox: Sandbox }) {
  const planted = new Set<string>();
  let lines: string[] = [];
  return {
    /** Part of an answer: no planted secret may stand in it. */
    answered(part: unknown) {
      for (const [secret] of (JSON.stringify(part) ?? '').matchAll(PLANTED)) planted.add(secret);
    },
    /** A line of the log: no credential may stand in it either. */
    logged: (line: string) => void lines.push(line),
    /** Looks into everything so far, and into the metrics if the server still serves any; forgets it then. */
    async look() {
      const { url, sandbox } = running();
      const metrics = await send(`${url}/metrics`).then(
        ({ text }) => text,
        () => '',
      );
      const told = [...lines, metrics];
      for (const text of told) this.answered(text);
      const secrets = new Set(sandbox.secrets.planted);
      const leaked = [...planted].filter((secret) => secrets.has(secret));
      const { apiKeys, accessTokens, clientSecrets, passwords, authorizationCodes } = sandbox.secrets;
      const credentials = [apiKeys, accessTokens, clientSecrets, passwords, authorizationCodes].flat();
      lines = [];
      planted.clear();
      const found = [...leaked, ...leaksIn(told, credentials)];
      if (found.length > 0) throw new Error(`Let out: ${found.join(', ')}`);
    },
  };
}
