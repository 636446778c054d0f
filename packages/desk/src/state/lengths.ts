import { computed, effect, signal } from '@preact/signals';
import { TextLimits, type SocialNetwork, type TextLimitsQuery } from '../../../client/src/index.ts';
import { NETWORKS } from '../lib/networks.ts';
import { chosenNetworks, draft, textFor } from './draft.ts';
import { client } from './session.ts';

/** How long a text is for a network, and how long it may be, in the network's own unit. */
export type Length = NonNullable<TextLimitsQuery['textLimits']>[number];

const PAUSE_MS = 100;

// The server counts: what a link is depends on the list of top-level domains, which would be an eighth of the page.
const counted = signal<ReadonlyMap<string, readonly Length[]>>(new Map());
const texts = computed(() => {
  const distinct = new Set(chosenNetworks.value.map((network) => textFor(network, draft.value)));
  return JSON.stringify([...distinct]);
});

/** The lengths for the chosen networks that document a limit; the last known ones while somebody types. */
export const lengths = computed(() => chosenNetworks.value.flatMap((network) => lengthFor(network) ?? []));

function lengthFor(network: SocialNetwork): Length | undefined {
  const text = textFor(network, draft.value);
  const known = counted.value.get(text) ?? [...counted.value.values()].at(-1);
  return known?.find((limit) => limit.network === network && limit.field === 'TEXT');
}

effect(() => {
  const graph = client.value;
  const wanted = JSON.parse(texts.value) as string[];
  if (graph === null || wanted.length === 0) return undefined;
  const stopping = new AbortController();
  const timer = setTimeout(() => {
    const options = { signal: stopping.signal };
    const asked = wanted.map(async (text) => {
      const { textLimits } = await graph.request(TextLimits, { text }, options);
      return [text, textLimits ?? []] as const;
    });
    Promise.all(asked).then(
      (entries) => (counted.value = new Map(entries)),
      // The next keystroke counts again, and the check of the post reports what is too long.
      () => undefined,
    );
  }, PAUSE_MS);
  return () => {
    clearTimeout(timer);
    stopping.abort();
  };
});

/** The unit of a length, in words. */
export const UNIT_WORDS: Readonly<Record<Length['unit'], string>> = {
  CHARACTERS: 'characters',
  UTF16_UNITS: 'UTF-16 code units',
  WEIGHTED_CHARACTERS: 'weighted characters: emoji count as two, links as 23',
};

/** Names a length for people. */
export function describeLength({ network, unit }: Length): string {
  return `${UNIT_WORDS[unit]} for ${NETWORKS[network].name}`;
}
