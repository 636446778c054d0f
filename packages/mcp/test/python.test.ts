import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ASSISTED, inputsOf, ownTools } from '../../../test/support/assistants.ts';
import { startGraph } from '../../../test/support/graph.ts';
import { leaksIn, secretsOf } from '../../../test/support/leaks.ts';
import { isInstalled, programPath } from '../../../test/support/programs.ts';
import { account, legacyAccount } from '../../../test/support/writes.ts';

interface Told {
  readonly version: string;
  readonly tools: readonly { readonly name: string; readonly inputSchema: object }[];
  readonly answers: Readonly<Record<string, { readonly isError?: boolean; readonly content: unknown[] }>>;
}

async function runPython(input: object): Promise<string> {
  const child = spawn(programPath('python') ?? 'python3', [resolve(import.meta.dirname, 'client.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 100_000,
  });
  child.stdin.end(JSON.stringify(input));
  return await text(child.stdout);
}

describe.runIf(isInstalled('python'))('a client in Python, written after the text of the protocol', () => {
  test('lists the tools, and calls each of them', async () => {
    const mcp = await ownTools();
    const graph = await startGraph({ environment: ASSISTED, mcp });
    const ids = { accountId: account(), pausedId: legacyAccount() };
    const output = await runPython({
      url: `${graph.url}/mcp`,
      headers: graph.caller.both,
      inputs: inputsOf(ids),
    });
    const { version, tools, answers } = JSON.parse(output) as Told;
    expect(version).toBe('2025-06-18');
    expect(tools.map(({ name }) => name)).toEqual([...mcp.toolbox.keys()]);
    expect(Object.entries(answers).filter(([, { isError }]) => isError === true)).toEqual([]);
    expect(Object.keys(answers)).toHaveLength(tools.length);
    expect(leaksIn([output], secretsOf(graph))).toEqual([]);
  });
});
