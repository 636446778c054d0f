// What searches for expensive cases share: options, figures that other work on the machine does not disturb, and the
// worst cases so far.

/** A figure counts when it comes again: the least of so many, since other work on the machine only adds to it. */
const REPEATS = 3;

/** A number from the command line, such as `--seed=1`. */
export function option(name, unset) {
  const given = textOption(name);
  return given === undefined ? unset : Number(given);
}

/** A text from the command line. */
export function textOption(name) {
  const start = `--${name}=`;
  return process.argv.find((text) => text.startsWith(start))?.slice(start.length);
}

/** The figures of a case that other work on the machine has disturbed least. */
export async function least(probe, sent) {
  const found = [];
  for (let time = 0; time < REPEATS; time += 1) found.push(await probe(sent));
  return leastOf(found);
}

/** The smallest times of several measurements of one case. */
export function leastOf(found) {
  const times = ['cpuMs', 'stallCpuMs', 'stallMs'];
  const smallest = times.map((name) => [name, Math.min(...found.map((one) => one[name]))]);
  return { ...found[0], ...Object.fromEntries(smallest) };
}

/** The worst cases so far, by each of several metrics of their figures. */
export class Worst {
  #metrics;
  #kept;
  #found;

  constructor(metrics, kept) {
    this.#metrics = metrics;
    this.#kept = kept;
    this.#found = Object.fromEntries(Object.keys(metrics).map((name) => [name, []]));
  }

  isAmong(figures) {
    return Object.entries(this.#metrics).some(
      ([name, of]) => this.#found[name].length < this.#kept || of(figures) > this.#found[name].at(-1).value,
    );
  }

  add(made, figures) {
    for (const [name, of] of Object.entries(this.#metrics)) {
      this.#found[name] = [...this.#found[name], { made, figures, value: of(figures) }]
        .toSorted((one, other) => other.value - one.value)
        .slice(0, this.#kept);
    }
  }

  /** All of them, the worst of each metric first. */
  all() {
    return Object.values(this.#found).flat();
  }

  /** By metric, the worst first. */
  entries() {
    return Object.entries(this.#found);
  }

  /** One that a search can go on from; undefined as long as there is none. */
  pick(turn) {
    const all = this.all();
    return all[Math.floor(turn * 0.618 * all.length) % Math.max(1, all.length)];
  }
}
