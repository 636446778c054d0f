import { styleText } from 'node:util';

const COLOURS = { error: 'red', warn: 'yellow', info: 'green', debug: 'gray' } as const;
const WIDTH = 5;

/** Formats the JSON lines of the log for a terminal: time, level, message, and the named fields. */
export function forPeople(write: (text: string) => void): (line: string) => void {
  return (line) => write(readable(line));
}

/** A log event with its named fields. */
interface Event extends Readonly<Record<string, unknown>> {
  readonly time: number;
  readonly level: string;
  readonly msg?: string;
}

function readable(line: string): string {
  const { time, level, msg = '', ...fields } = JSON.parse(line) as Event;
  const colour = COLOURS[level as keyof typeof COLOURS] ?? 'gray';
  const head = `${timeOfDay(time)} ${styleText(colour, level.padEnd(WIDTH))} ${oneLine(msg)}`;
  return `${[head, ...Object.entries(fields).map(told)].join('  ')}\n`;
}

function timeOfDay(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function told([name, value]: [name: string, value: unknown]): string {
  if (typeof value === 'object' && value !== null && 'stack' in value)
    return `\n${plain(String(value.stack))}`;
  const shown = typeof value === 'number' ? Math.round(value * 10) / 10 : value;
  return styleText('gray', oneLine(`${name}=${typeof shown === 'string' ? shown : JSON.stringify(shown)}`));
}

const CONTROLS = /[^\P{Cc}\n]/gu;

function oneLine(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}

// A terminal would interpret control characters.
function plain(text: string): string {
  return text.replaceAll(CONTROLS, '\uFFFD');
}
