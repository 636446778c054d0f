import { generationOf, type AiGenerationRecord, type StartedGeneration } from '../records/ai-generation.ts';
import { getOrInsertComputed } from '../remember.ts';
import { HistoryFeed } from '../sources/ai-results/history.ts';
import { Channel, type LiveCaller, type LiveReader, type RelayParts } from './channel.ts';
import { EventQueue, type Leave } from './event-queue.ts';
import { Generations } from './generations.ts';

/**
 * Relays the results of slow generations to waiting callers; one per process. Nothing is opened before somebody reads.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #generations: Generations;
  readonly #channels = new Map<string, Channel>();
  #isClosed = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#generations = new Generations(parts.config.aiResultMaxWaitMs, parts.peers);
  }

  /** The number of credentials whose results are waited for. */
  get channels(): number {
    return this.#channels.size;
  }

  /** Returns the state of one generation, then its end. An Error ends the events. */
  read(caller: LiveCaller, contentId: string): AsyncIterableIterator<AiGenerationRecord | Error> {
    return this.#enter(caller, (reader) => this.#channelOf(caller).read(contentId, reader));
  }

  /** Returns the end of each generation that the credential requested here, from now until the caller leaves. */
  follow(caller: LiveCaller): AsyncIterableIterator<AiGenerationRecord | Error> {
    return this.#enter(caller, (reader) => this.#channelOf(caller).follow(reader));
  }

  /** Records that a generation was requested. */
  started(holder: string, { contentId, ...started }: StartedGeneration): void {
    this.#generations.start(holder, contentId, started);
  }

  /** Returns what is known of a generation that the credential requested here, or null. */
  recall(holder: string, contentId: string): AiGenerationRecord | null {
    const known = this.#generations.find(holder, contentId);
    return known?.startedHere ? generationOf(known, this.#parts.onDrift) : null;
  }

  /** Ends every reading and closes every feed. */
  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels.values()) channel.close();
  }

  #enter(caller: LiveCaller, begin: (reader: LiveReader) => Leave): EventQueue<AiGenerationRecord> {
    return new EventQueue(caller, this.#isClosed ? null : begin);
  }

  #channelOf(caller: LiveCaller): Channel {
    const { holder } = caller;
    const open = (): Channel =>
      new Channel({
        ...this.#parts,
        caller,
        generations: this.#generations,
        openHistory: (search, listener) => new HistoryFeed(search, listener),
        onIdle: () => void this.#channels.delete(holder),
      });
    return getOrInsertComputed(this.#channels, holder, open);
  }
}
