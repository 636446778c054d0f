import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { clockIn, dayOf } from '../lib/local-time.ts';

const TICK_MS = 15_000;

const zone = signal<string | null>(null);
const instant = signal(new Date());
setInterval(() => (instant.value = new Date()), TICK_MS);

/** The time zone of the service's clock; null if the operator has not set it. */
export const timeZone: ReadonlySignal<typeof zone.value> = zone;
/** What the service's clock shows now; the reader's own clock if the zone is not known. */
export const now = computed(() => clockIn(zone.value, instant.value));
/** The day that the service's clock shows. */
export const today = computed(() => dayOf(now.value));

/** Sets the time zone that the graph reports. */
export function setTimeZone(name: string | null): void {
  zone.value = name;
}
