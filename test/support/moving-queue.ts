import type { Loaders } from '../../src/loaders/loaders.ts';
import { choosableSizes } from '../../src/lists/pages.ts';
import type { PagedList } from '../../src/lists/reading.ts';
import { queuedPost, type QueuedPost } from '../../src/sources/current/posts.ts';
import { SourceError } from '../../src/sources/errors.ts';

/** A post of the moving queue, as far as it matters. */
export interface MovingPost {
  readonly postId: string;
  readonly postTitle: string;
}

/** A queue that changes while its pages are read, and remembers how it was. */
export interface MovingQueue {
  /** What was in the queue, from the beginning to now; posts never come back. */
  readonly history: readonly (readonly MovingPost[])[];
  /** Changes the queue. */
  become(posts: readonly MovingPost[]): void;
  readonly posts: readonly MovingPost[];
  readonly loaders: Loaders;
  /** How many pages were asked for. */
  readonly pagesRead: number;
}

/** Makes one whose pages have `pageSize` posts; `beforePage` may change it, or fail the page by returning true. */
export function movingQueue(pageSize: number, beforePage: (queue: MovingQueue) => boolean): MovingQueue {
  const history: (readonly MovingPost[])[] = [[]];
  let pagesRead = 0;
  const origin = { surface: 'current', endpoint: 'GET /posts/queued', onDrift: () => undefined } as const;
  const list: PagedList<QueuedPost> = {
    fingerprint: 'moving',
    surface: 'current',
    memory: { sizes: choosableSizes(pageSize) },
    keyOf: ({ postId }) => postId,
    async readPage(page, size) {
      await Promise.resolve();
      pagesRead += 1;
      if (beforePage(queue)) throw new SourceError('unavailable', 'current', 'out of order');
      const { posts } = queue;
      const rows = posts.slice((page - 1) * size, page * size).map((post) => queuedPost(post, origin));
      return { page, size, total: posts.length, rows };
    },
  };
  const queue: MovingQueue = {
    history,
    become: (posts) => void history.push(posts),
    get posts() {
      return history.at(-1) ?? [];
    },
    get pagesRead() {
      return pagesRead;
    },
    loaders: { queue: () => list } as Partial<Loaders> as Loaders,
  };
  return queue;
}
