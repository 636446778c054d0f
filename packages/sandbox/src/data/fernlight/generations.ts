import type { GenerationSeed } from '../story.ts';

/** The bookshop's requests to the fake assistant, oldest first. */
export const fernlightGenerations: readonly GenerationSeed[] = [
  { prompt: 'A line for story hour', answer: 'Bring a child or borrow one.', tone: 'Warm', from: 'post' },
  { prompt: 'Tags for the night readers', answer: '#nightreaders', tone: 'Casual', from: 'hashtag' },
  { prompt: 'Explain the swap crate', answer: 'A crate, a truce, a paperback.', tone: 'Witty', from: 'post' },
  {
    prompt: 'A caption for blue spines',
    answer: 'All the feelings, one colour.',
    tone: 'Witty',
    from: 'post',
  },
  {
    prompt: 'Sell recycled paper to schools',
    answer: 'Paper with a past, for pupils with a future.',
    tone: 'Professional',
    from: 'post',
    template: 'Offer',
  },
  { prompt: 'Announce ghost stories', answer: 'The bridge creaks. So do we.', tone: 'Bold', from: 'post' },
  { prompt: 'Tags for a frost reading', answer: '#firstfrost #bridge', tone: 'Casual', from: 'hashtag' },
  {
    prompt: 'A note about the cat',
    answer: 'He reads over shoulders. Allow it.',
    tone: 'Warm',
    from: 'post',
  },
  { prompt: 'Invite people to ink evening', answer: 'Come and blot.', tone: 'Witty', from: 'post' },
  {
    prompt: 'Thank the mill',
    answer: 'Every page here began a mile upstream.',
    tone: 'Warm',
    from: 'post',
    template: 'Thank-you note',
  },
  { prompt: 'Tags for the fair', answer: '#midsummerfair #greenawning', tone: 'Casual', from: 'hashtag' },
  { prompt: 'Say that the whale book is back', answer: 'It surfaced.', tone: 'Witty', from: 'post' },
];
