import type { GenerationSeed } from '../story.ts';

/** The roaster's requests to the fake assistant, oldest first. */
export const harbourGenerations: readonly GenerationSeed[] = [
  {
    prompt: 'A line for the reopening of the net loft',
    answer: 'The nets are gone, the knots stayed: come and untie a morning with us.',
    tone: 'Warm',
    from: 'post',
  },
  {
    prompt: 'Tags for a cold-brew weekend',
    answer: '#coldbrew #slowdrip #kelpgate',
    tone: 'Casual',
    from: 'hashtag',
  },
  {
    prompt: 'Explain resting after the roast in two sentences',
    answer: 'Fresh coffee is still breathing out. Give it two days and it starts to talk.',
    tone: 'Informative',
    from: 'post',
    template: 'Explain it simply',
  },
  {
    prompt: 'An apology for the broken card reader',
    answer: 'Our card reader went swimming. Cash, please, or a promise.',
    tone: 'Witty',
    from: 'post',
  },
  {
    prompt: 'Friday deliveries, for offices',
    answer: 'Fridays smell better now: beans by bike before ten.',
    tone: 'Professional',
    from: 'post',
  },
  { prompt: 'Tags for the harbour swim', answer: '#coldswim #wethair', tone: 'Casual', from: 'hashtag' },
  {
    prompt: 'A caption for three hundred stamped bags',
    answer: 'Three hundred gulls, none of them after your chips.',
    tone: 'Witty',
    from: 'post',
  },
  {
    prompt: 'Invite café owners to a tasting',
    answer: 'Four lots, one table. Bring the cup you would be sad to lose.',
    tone: 'Professional',
    from: 'post',
    template: 'Invitation',
  },
  {
    prompt: 'Tell people about the returns shelf',
    answer: 'Not your bean? No hard feelings. Swap it.',
    tone: 'Warm',
    from: 'post',
  },
  {
    prompt: 'A line about decaf',
    answer: 'Decaf: for people who like coffee, not for people who like waking up.',
    tone: 'Witty',
    from: 'post',
  },
  { prompt: 'Tags for moka mending', answer: '#mokapot #mendit', tone: 'Casual', from: 'hashtag' },
  {
    prompt: 'Say that we close early on Sunday',
    answer: 'Sunday, we close at noon and go to look at the sea.',
    tone: 'Warm',
    from: 'post',
  },
];
