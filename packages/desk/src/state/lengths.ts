import { computed, effect, signal } from '@preact/signals';
import {
  TextLimits,
  type Client,
  type SocialNetwork,
  type TextLimitsQuery,
} from '../../../client/src/index.ts';
import { NETWORKS } from '../lib/networks.ts';
import { chosenNetworks, draft, textFor } from './draft.ts';
import { home } from './home.ts';
import { client } from './session.ts';

/** How long a text is for a network, and how long it may be, in the network's own unit. */
export type Length = NonNullable<TextLimitsQuery['textLimits']>[number];

const PAUSE_MS = 100;

// The server counts: what a link is depends on the list of top-level domains, which would be an eighth of the page.
const counted = signal<ReadonlyMap<string, readonly Length[]>>(new Map());
const distinctTexts = computed(() => {
  const distinct = new Set(chosenNetworks.value.map((network) => textFor(network, draft.value)));
  return JSON.stringify([...distinct]);
});

/** The lengths for the chosen networks that document a limit; the last known ones while somebody types. */
export const lengths = computed(() => chosenNetworks.value.flatMap((network) => lengthFor(network) ?? []));

/** The names of the networks that the text is too long for, as far as it has been counted. */
export const tooLong = computed(() =>
  lengths.value
    .filter(({ network }) => counted.value.has(textFor(network, draft.value)))
    .filter(({ length, max }) => (length ?? 0) > max)
    .map(({ network }) => NETWORKS[network].name),
);

function lengthFor(network: SocialNetwork): Length | undefined {
  const text = textFor(network, draft.value);
  const known = counted.value.get(text) ?? [...counted.value.values()].at(-1);
  return known?.find((limit) => limit.network === network && limit.field === 'TEXT');
}

let counting: Promise<void> = Promise.resolve();

/** Waits until the lengths are those of the draft, or could not be counted. */
export async function whenCounted(): Promise<void> {
  for (let last = null; last !== counting; await last) last = counting;
}

effect(() => {
  const graph = client.value;
  const wanted = JSON.parse(distinctTexts.value) as string[];
  // Counts again what could not be counted while the server was away.
  void home.value;
  if (graph === null || wanted.length === 0) return undefined;
  const stopping = new AbortController();
  // What could not be counted is counted again after the next keystroke.
  counting = count(graph, wanted, stopping.signal).catch(() => undefined);
  return () => stopping.abort();
});

async function count(graph: Client, texts: readonly string[], stopped: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (stopped.aborted) return;
  const asked = texts.map(async (text) => {
    const { textLimits } = await graph.request(TextLimits, { text }, { signal: stopped });
    return [text, textLimits ?? []] as const;
  });
  const entries = await Promise.all(asked);
  if (!stopped.aborted) counted.value = new Map(entries);
}
