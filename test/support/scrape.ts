import { send } from './raw-http.ts';

/** What /metrics says at one moment. */
export interface Scrape {
  readonly text: string;
  /** Each series with its labels, as `name{label="value"}`. */
  readonly series: readonly string[];
  /** The value of a series; 0 where it is not there yet. */
  readonly value: (series: string) => number;
}

/** Reads the metrics of a server; fails where it serves none. */
export async function scrape(url: string): Promise<Scrape> {
  const { status, text } = await send(`${url}/metrics`);
  if (status !== 200) throw new Error(`/metrics answers ${status}`);
  const values = new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))] as const;
      }),
  );
  return { text, series: [...values.keys()], value: (series) => values.get(series) ?? 0 };
}
