import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { openToolbox } from '../../src/cli/tools.ts';
import type { McpOptions } from '../../src/http/mcp.ts';
import type { CallerHeaders, RunningGraph } from './graph.ts';
import { leaksIn, secretsOf } from './leaks.ts';

/** The environment in which tools are served, with writes among them. */
export const ASSISTED = { MCP: 'on', MCP_WRITES: 'on' } as const;

/** The tools of this package, as the command line opens them. */
export async function ownTools({ writes = true }: { readonly writes?: boolean } = {}): Promise<McpOptions> {
  return { toolbox: await openToolbox({ mcp: { isOn: true, writes, operations: null } }), version: '0.0.0' };
}

/** What a tool answered; `Data` is what a test reads of it. */
export interface Answered<Data = unknown> {
  readonly isError: boolean;
  /** What was said before the data. */
  readonly words: string;
  /** All of its texts. */
  readonly text: string;
  readonly data: Data;
  readonly errors: unknown;
}

interface AssistantOptions {
  readonly headers?: CallerHeaders;
  /** Negotiates the current revision of the protocol, instead of the one before it. */
  readonly isModern?: boolean;
}

/** Connects an assistant that uses the official client to a graph; it leaves when the test ends. */
export async function connectAssistant(
  graph: RunningGraph,
  { headers = graph.caller.both, isModern = false }: AssistantOptions = {},
) {
  const negotiation = isModern ? ({ versionNegotiation: { mode: 'auto' } } as const) : {};
  const client = new Client({ name: 'test', version: '0' }, negotiation);
  const transport = new StreamableHTTPClientTransport(new URL(`${graph.url}/mcp`), {
    requestInit: { headers: { ...headers } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    /** Calls a tool; fails where the answer holds a secret of the sandbox, or says one thing in text and another in data. */
    call: async <Data = unknown>(name: string, input: Record<string, unknown> = {}) => {
      const answer = await client.callTool({ name, arguments: input });
      const leaks = leaksIn([JSON.stringify(answer)], secretsOf(graph));
      if (leaks.length > 0) throw new Error(`${name} let out ${leaks.join(', ')}`);
      return answered<Data>(answer);
    },
  };
}

function answered<Data>(answer: Awaited<ReturnType<Client['callTool']>>): Answered<Data> {
  const texts = answer.content.map((block) => (block.type === 'text' ? block.text : ''));
  const structured = answer.structuredContent as Structured<Data>;
  expect(textsOf(structured)).toEqual(texts);
  const [words = ''] = texts;
  const { data, errors } = structured;
  return { isError: answer.isError === true, words, text: texts.join('\n'), data, errors };
}

export interface Structured<Data = unknown> {
  readonly summary: string;
  readonly note?: string;
  readonly data: Data;
  readonly errors?: unknown;
}

/** The texts that carry the same information as structured content. */
export function textsOf({ summary, note, data, errors }: Structured): string[] {
  return [
    summary,
    ...(data === null ? [] : [`${note}\n${JSON.stringify(data)}`]),
    ...(errors === undefined ? [] : [`The errors as JSON.\n${JSON.stringify(errors)}`]),
  ];
}

const key = (name: string) => ({ idempotencyKey: `key-of-${name}` });

/** What a tool takes on the sandbox, by its name; a tool that is not here takes nothing that has to be given. */
export function inputsOf(ids: { readonly accountId: string; readonly pausedId: string }) {
  const text = 'High water at nine.';
  return {
    create_post: { ...key('post'), accountIds: [ids.accountId], timing: { placement: 'QUEUE' }, text },
    create_draft: { ...key('draft'), accountIds: [ids.accountId], text },
    create_library_item: { ...key('item'), title: 'Tide table', kind: 'POST', text },
    generate_text: { ...key('text'), prompt: 'A word on limewash', tone: 'Warm' },
    validate_post: { accountIds: [ids.accountId], timing: { placement: 'QUEUE' }, text },
    pause_account: { accountId: ids.pausedId },
    resume_account: { accountId: ids.pausedId },
    write_outcome: key('post'),
  } satisfies Record<string, Record<string, unknown>>;
}
