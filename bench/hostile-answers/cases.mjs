// Random cases: which operation is asked, and what the service answers; and random changes of them.
import { createRandom } from '../hostile/random.mjs';
import { KINDS } from './body.mjs';

const TEXTS = [
  'a', ' ', '=', '%', '<', '&', '"', '\\', '/', '.', '-', '@', '\n', '\u0000', 'é', '😀', '\ud800', '0', '%41', '%25', '&amp;',
  '&#60;', '&lt', '<b>', '</p>', '<!--', '<a href="', 'token=', 'token=a', 'access_token=abcdefgh&', 'key=value&', '?token=',
  'https://a.example/?token=abcdefgh&x=1 ', 'Bearer abcdefgh ', 'password: ', '"token":"', '{"token":"abcdefgh"}', 'eyJhbGci.',
  'abcdefgh', 'tokentoken', 'to%6ben=', 'a=', '=a', ';', ':', '//', 'x'.repeat(100), '%2525', '=%', '2031-05-20 ', '12:00', '1e9',
]; // prettier-ignore
const SECRETS = [
  'token',
  'accessToken',
  'access_token',
  'password',
  'secret',
  'apiKey',
  'k',
  'id',
  'msg',
  '__proto__',
];
const VALUES = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'null',
  'x',
  [],
  {},
  [[]],
  [null],
  { id: 1 },
  9_007_199_254_740_992,
];
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 200, 400, 500];
const MAX_STEPS = 6;

/** Makes cases; always the same ones for the same seed. */
export class Cases {
  #random;
  #operations;

  constructor(operations, seed) {
    this.#random = createRandom(seed);
    this.#operations = operations;
  }

  fresh(operation = this.#random.pick(Object.keys(this.#operations))) {
    const { pick, below, chance } = this.#random;
    return {
      operation,
      status: pick(STATUSES),
      chunks: chance(0.05) ? this.#chunks() : null,
      steps: Array.from({ length: 1 + below(3) }, () => this.#step(operation)),
    };
  }

  /** Another case with one to three changes. */
  changed(made) {
    const copy = { ...made, steps: made.steps.map((step) => ({ ...step })) };
    for (let times = 1 + this.#random.below(3); times > 0; times -= 1) this.#change(copy);
    return copy;
  }

  #change(made) {
    const { below, pick } = this.#random;
    const step = pick(made.steps);
    const kind = below(8);
    if (kind === 0 && made.steps.length < MAX_STEPS) made.steps.push(this.#step(made.operation));
    else if (kind === 1 && made.steps.length > 1) made.steps.splice(made.steps.indexOf(step), 1);
    else if (kind === 2) step.at = this.#at();
    else if (kind === 3) step.text = this.#text();
    else if (kind === 4)
      step.bytes = Math.min(this.#bound(made.operation), Math.ceil(step.bytes * pick([0.3, 2, 10])));
    else if (kind === 5) Object.assign(step, this.#step(made.operation), { bytes: step.bytes });
    else if (kind === 6) step.kind = pick(KINDS);
    else this.#changeLittle(made, step);
  }

  #changeLittle(made, step) {
    const { pick, below } = this.#random;
    const kind = below(10);
    if (kind < 3) made.chunks = made.chunks ? null : this.#chunks();
    else if (kind < 5) made.status = pick(STATUSES);
    else step.secret = pick(SECRETS);
  }

  #step(operation) {
    const { pick, below, chance } = this.#random;
    return {
      kind: pick(KINDS),
      at: this.#at(),
      bytes: this.#bytes(operation),
      text: this.#text(),
      secret: pick(SECRETS),
      value: pick(VALUES),
      count: chance(0.5) ? below(100) : below(10_000),
      isObject: chance(0.5),
    };
  }

  // Mostly near the beginning: there are the envelope and the first record.
  #at() {
    const { below, chance } = this.#random;
    return (below(1e6) / 1e6) ** (chance(0.5) ? 3 : 1);
  }

  #text() {
    const { pick, chance } = this.#random;
    return chance(0.2) ? pick(TEXTS) + pick(TEXTS) : pick(TEXTS);
  }

  // As many tens as millions of bytes: what grows with a square shows at some size, and what is refused at another.
  #bytes(operation) {
    const bound = this.#bound(operation);
    if (this.#random.chance(0.3)) return bound;
    return Math.ceil(bound ** (this.#random.below(1_000) / 1_000));
  }

  #bound(operation) {
    return this.#operations[operation].maxBytes;
  }

  #chunks() {
    const { pick } = this.#random;
    return { count: pick([2, 20, 100]), pauseMs: pick([0, 1, 5]) };
  }
}
